//! What the values of a column look like: addresses of mail, numbers of accounts, codes of places.
//!
//! A column has a pattern when nine of ten distinct values have it.

/// A pattern of texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pattern {
    Email,
    Url,
    Uuid,
    IpAddress,
    MacAddress,
    BankAccount,
    CardNumber,
    SocialSecurity,
    Hash,
    Phone,
    Coordinates,
    PostalCode,
    /// A date that is not written `YYYY-MM-DD`.
    OtherDate,
}

/// Whether a text has a pattern.
type Fits = fn(&str) -> bool;

/// In this order; the first that fits is taken.
const ALL: [(Pattern, Fits); 13] = [
    (Pattern::Email, is_email),
    (Pattern::Url, is_url),
    (Pattern::Uuid, |t| shape(t).is_some_and(|s| &*s == "8-4-4-4-12")),
    (Pattern::MacAddress, is_mac_address),
    (Pattern::IpAddress, is_ip_address),
    (Pattern::OtherDate, |t| year_of(t).is_some()),
    (Pattern::SocialSecurity, |t| letters_and_digits(t) == "999-99-9999"),
    (Pattern::PostalCode, is_postal_code),
    (Pattern::CardNumber, is_card_number),
    (Pattern::BankAccount, is_bank_account),
    (Pattern::Hash, is_hash),
    (Pattern::Coordinates, is_coordinates),
    (Pattern::Phone, is_phone),
];

impl Pattern {
    /// The pattern of most of these texts.
    pub(super) fn of<'a>(texts: &(impl Iterator<Item = &'a str> + Clone)) -> Option<Self> {
        let total = texts.clone().count();
        let most = |fits: Fits| {
            let mut misses = 0;
            texts.clone().all(|text| {
                misses += usize::from(!fits(text.trim()));
                misses * 10 <= total
            })
        };
        if total == 0 {
            return None;
        }
        ALL.into_iter().find(|(_, fits)| most(*fits)).map(|(pattern, _)| pattern)
    }

    /// What the values look like, for a reason.
    pub(super) fn says(self) -> &'static str {
        match self {
            Pattern::Email => "e-mail addresses",
            Pattern::Url => "web addresses",
            Pattern::Uuid => "UUIDs",
            Pattern::IpAddress => "IP addresses",
            Pattern::MacAddress => "device addresses",
            Pattern::BankAccount => "bank account numbers",
            Pattern::CardNumber => "card numbers",
            Pattern::SocialSecurity => "social security numbers",
            Pattern::Hash => "hashes or tokens",
            Pattern::Phone => "telephone numbers",
            Pattern::Coordinates => "coordinates",
            Pattern::PostalCode => "postal codes",
            Pattern::OtherDate => "dates",
        }
    }

    /// Whether a value of it names a person, or a thing that belongs to one.
    pub(super) fn identifies(self) -> bool {
        !matches!(self, Pattern::Coordinates | Pattern::PostalCode | Pattern::OtherDate)
    }
}

/// The year of a date written in another way than `YYYY-MM-DD`: `31.12.1999`, `12/31/1999`, `1999/12/31`, `19991231`.
pub(super) fn year_of(text: &str) -> Option<u32> {
    let date = text.split([' ', 'T']).next().unwrap_or(text);
    let number = |t: &str| if t.bytes().all(|b| b.is_ascii_digit()) { t.parse::<u32>().ok() } else { None };
    let (year, a, b) = if date.len() == 8 && date.bytes().all(|b| b.is_ascii_digit()) {
        (number(&date[..4])?, number(&date[4..6])?, number(&date[6..])?)
    } else {
        let separator = date.chars().find(|c| ['.', '/', '-'].contains(c))?;
        let mut parts = date.split(separator);
        let (first, second, third) = (parts.next()?, parts.next()?, parts.next()?);
        if parts.next().is_some() {
            return None;
        }
        match (first.len(), second.len(), third.len()) {
            (4, 1..=2, 1..=2) => (number(first)?, number(second)?, number(third)?),
            (1..=2, 1..=2, 4) => (number(third)?, number(first)?, number(second)?),
            _ => return None,
        }
    };
    let possible = a >= 1 && b >= 1 && a.min(b) <= 12 && a.max(b) <= 31;
    ((1800..=2200).contains(&year) && possible).then_some(year)
}

fn is_email(text: &str) -> bool {
    let Some((user, host)) = text.split_once('@') else { return false };
    !user.is_empty()
        && !text.contains(char::is_whitespace)
        && host.rsplit_once('.').is_some_and(|(name, top)| !name.is_empty() && top.len() >= 2)
}

fn is_url(text: &str) -> bool {
    ["http://", "https://", "ftp://", "www."]
        .iter()
        .any(|p| text.get(..p.len()).is_some_and(|t| t.eq_ignore_ascii_case(p)))
}

/// The lengths of the groups of hexadecimal digits between hyphens.
fn shape(text: &str) -> Option<Box<str>> {
    let groups: Option<Vec<String>> = text
        .split('-')
        .map(|group| group.bytes().all(|b| b.is_ascii_hexdigit()).then(|| group.len().to_string()))
        .collect();
    groups.map(|g| g.join("-").into())
}

fn is_mac_address(text: &str) -> bool {
    let parts: Vec<&str> = text.split([':', '-']).collect();
    parts.len() == 6 && parts.iter().all(|p| p.len() == 2 && p.bytes().all(|b| b.is_ascii_hexdigit()))
}

fn is_ip_address(text: &str) -> bool {
    text.len() >= 7 && text.parse::<std::net::IpAddr>().is_ok()
}

/// The text with every digit as `9` and every letter as `A`.
fn letters_and_digits(text: &str) -> String {
    text.chars()
        .take(20)
        .map(|c| match c {
            '0'..='9' => '9',
            'a'..='z' | 'A'..='Z' => 'A',
            other => other,
        })
        .collect()
}

/// Codes whose form alone tells: digits only are told by the name of the column.
fn is_postal_code(text: &str) -> bool {
    const FORMS: [&str; 19] = [
        "99999-9999",
        "99-999",
        "9999-999",
        "999 99",
        "999-9999",
        "99999-999",
        "9999 AA",
        "9999AA",
        "A9A 9A9",
        "A9A9A9",
        "A9 9AA",
        "A99 9AA",
        "AA9 9AA",
        "AA99 9AA",
        "A9A 9AA",
        "AA9A 9AA",
        "A-99999",
        "AA-9999",
        "A-9999",
    ];
    text.len() <= 10 && FORMS.contains(&&*letters_and_digits(text))
}

fn is_card_number(text: &str) -> bool {
    let digits: Vec<u32> = text.chars().filter_map(|c| c.to_digit(10)).collect();
    if !(13..=19).contains(&digits.len())
        || !text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b' ' | b'-'))
    {
        return false;
    }
    // The check digit of Luhn: every second digit from the right counts twice.
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(i, &d)| if i % 2 == 0 { d } else { 2 * d / 10 + 2 * d % 10 })
        .sum();
    sum.is_multiple_of(10)
}

fn is_bank_account(text: &str) -> bool {
    let compact: Vec<u8> = text.bytes().filter(|b| *b != b' ').collect();
    (15..=34).contains(&compact.len())
        && compact[..2].iter().all(u8::is_ascii_uppercase)
        && compact[2..4].iter().all(u8::is_ascii_digit)
        && compact[4..].iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
        && compact[4..].iter().filter(|b| b.is_ascii_digit()).count() >= 6
}

fn is_hash(text: &str) -> bool {
    matches!(text.len(), 32 | 40 | 64 | 128) && text.bytes().all(|b| b.is_ascii_hexdigit())
}

fn is_coordinates(text: &str) -> bool {
    let mut parts = text.trim_matches(['(', ')']).split([',', ';', ' ']).filter(|p| !p.is_empty());
    let mut degree = |most: f64| {
        parts.next().is_some_and(|p| p.contains('.') && p.parse::<f64>().is_ok_and(|d| d.abs() <= most))
    };
    degree(90.0) && degree(180.0) && parts.next().is_none()
}

fn is_phone(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let separated = text.starts_with('+') || text.contains(['-', ' ', '/', '(']);
    (7..=15).contains(&digits)
        && separated
        && text.starts_with(['+', '(', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9'])
        && text
            .bytes()
            .all(|b| b.is_ascii_digit() || matches!(b, b'+' | b'-' | b' ' | b'.' | b'/' | b'(' | b')'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(texts: &[&str]) -> Option<Pattern> {
        Pattern::of(&texts.iter().copied())
    }

    #[test]
    fn patterns_are_told_by_form() {
        assert_eq!(of(&["a.b@example.org", "x@y.de"]), Some(Pattern::Email));
        assert_eq!(of(&["https://example.org/x", "www.example.org"]), Some(Pattern::Url));
        assert_eq!(of(&["123e4567-e89b-12d3-a456-426614174000"]), Some(Pattern::Uuid));
        assert_eq!(of(&["192.168.0.1", "fe80::1ff:fe23"]), Some(Pattern::IpAddress));
        assert_eq!(of(&["00:1B:44:11:3A:B7"]), Some(Pattern::MacAddress));
        assert_eq!(of(&["DE89 3704 0044 0532 0130 00"]), Some(Pattern::BankAccount));
        assert_eq!(of(&["4111 1111 1111 1111", "5500000000000004"]), Some(Pattern::CardNumber));
        assert_eq!(of(&["078-05-1120"]), Some(Pattern::SocialSecurity));
        assert_eq!(of(&["d41d8cd98f00b204e9800998ecf8427e"]), Some(Pattern::Hash));
        assert_eq!(of(&["+49 30 1234567", "(030) 123-4567", "030/1234567"]), Some(Pattern::Phone));
        assert_eq!(of(&["52.5200, 13.4050", "-33.8,151.2"]), Some(Pattern::Coordinates));
        assert_eq!(of(&["SW1A 1AA", "M1 1AE"]), Some(Pattern::PostalCode));
        assert_eq!(of(&["31.12.1999", "1.2.2003"]), Some(Pattern::OtherDate));
        assert_eq!(of(&["12/31/1999"]), Some(Pattern::OtherDate));
        assert_eq!(of(&["19991231"]), Some(Pattern::OtherDate));
    }

    #[test]
    fn ordinary_texts_have_no_pattern() {
        for texts in
            [&["Berlin", "Paris"][..], &["12", "-7"], &["1.5", "2.25"], &["<=50K", ">50K"], &["12345"], &[""]]
        {
            assert_eq!(of(texts), None, "{texts:?}");
        }
        assert_eq!(of(&[]), None);
        assert_eq!(of(&["ä@", "@", "é-é-é", "日本-語"]), None);
    }

    #[test]
    fn one_of_ten_may_differ() {
        let mut texts = vec!["a@b.de"; 9];
        texts.push("none");
        assert_eq!(of(&texts), Some(Pattern::Email));
        texts.push("none");
        assert_eq!(of(&texts), None);
    }

    #[test]
    fn years_are_found_wherever_they_stand() {
        assert_eq!(year_of("31.12.1999"), Some(1999));
        assert_eq!(year_of("12/31/1999 10:00"), Some(1999));
        assert_eq!(year_of("1999/1/2"), Some(1999));
        assert_eq!(year_of("19990102"), Some(1999));
        assert_eq!(year_of("31.13.1999x"), None);
        assert_eq!(year_of("40.12.1999"), None);
        assert_eq!(year_of("+1.+2.1999"), None);
    }
}
