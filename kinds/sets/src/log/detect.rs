//! What in a search log gives people away (survey L1847-1866, fixture FX-7.1), as counts: no text is ever shown.
//!
//! The rules are plain and say what they match: numbers that look like identifiers, addresses of mail, names, places, a person's
//! age or sex, addresses that hardly anybody else visits, and words that people would not want to be known by. They find what they
//! are told to find and nothing more: a count of zero does not say that a log is harmless.

use foldhash::{HashMap, HashSet};
use serde::Serialize;

use super::{Log, NONE, tokens_of};

/// A way in which a query gives somebody away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Threat {
    /// A number of seven digits or more: social security, telephone, accounts, cards.
    IdentifierNumber,
    /// An address of mail.
    Mail,
    /// A name of a person.
    Name,
    /// A place: a word before the name or the abbreviation of a state, or a word of the list.
    Place,
    /// An age with a word for a person.
    Demographic,
    /// An address, asked or followed, that fewer people visit than the limit.
    OwnAddress,
    /// A word that people would not want to be known by.
    Private,
}

impl Threat {
    /// Every threat.
    pub const ALL: [Threat; 7] = [
        Threat::IdentifierNumber,
        Threat::Mail,
        Threat::Name,
        Threat::Place,
        Threat::Demographic,
        Threat::OwnAddress,
        Threat::Private,
    ];

    /// Its title.
    pub fn title(self) -> &'static str {
        match self {
            Self::IdentifierNumber => "numbers that look like identifiers",
            Self::Mail => "addresses of mail",
            Self::Name => "names of people",
            Self::Place => "places",
            Self::Demographic => "age or sex of a person",
            Self::OwnAddress => "addresses that few people visit",
            Self::Private => "private matters",
        }
    }
}

/// The words that rules look for, small letters.
#[derive(Debug, Clone)]
pub struct Lexicon {
    /// Names of people.
    pub names: HashSet<Box<str>>,
    /// Names of places.
    pub places: HashSet<Box<str>>,
    /// States and their abbreviations: what stands before one is a place.
    pub states: HashSet<Box<str>>,
    /// Words for people.
    pub persons: HashSet<Box<str>>,
    /// Private matters.
    pub private: HashSet<Box<str>>,
    /// An address visited by fewer people is somebody's.
    pub few_people: u64,
}

const NAMES: &str = "smith johnson williams brown jones garcia miller davis rodriguez martinez hernandez lopez gonzalez \
    wilson anderson thomas taylor moore jackson martin lee perez thompson white harris sanchez clark ramirez lewis robinson \
    walker young allen king wright scott torres nguyen hill flores green adams nelson baker hall rivera campbell mitchell \
    carter roberts chen wang zhang li liu yang huang kim park singh kumar patel khan ali ivanov petrov novak kowalski \
    mueller müller schmidt schneider fischer weber meyer wagner becker schulz hoffmann rossi russo ferrari bianchi dupont \
    dubois moreau laurent silva santos oliveira jensen nielsen hansen larsen olsen andersson johansson karlsson";
const STATES: &str = "al ak az ar ca co ct de fl ga hi id il ia ks ky la md ma mi mn ms mo mt ne nv nh nj nm ny nc nd oh \
    ok or pa ri sc sd tn tx ut vt va wa wv wi wy alabama alaska arizona arkansas california colorado connecticut delaware \
    florida georgia hawaii idaho illinois indiana iowa kansas kentucky louisiana maine maryland massachusetts michigan \
    minnesota mississippi missouri montana nebraska nevada ohio oklahoma oregon pennsylvania tennessee texas utah vermont \
    virginia washington wisconsin wyoming germany france italy spain austria switzerland england scotland canada australia";
const PERSONS: &str = "man men woman women male males female females boy boys girl girls single widow widower mother \
    father wife husband year years old yo y/o senior seniors";
const PRIVATE: &str = "nude naked porn sex escort divorce affair abortion pregnant pregnancy hiv aids herpes std cancer \
    depression suicide suicidal bankruptcy bankrupt addiction alcoholic rehab lawyer arrest warrant";

impl Default for Lexicon {
    fn default() -> Self {
        let words = |text: &str| text.split_whitespace().map(Box::from).collect();
        Self {
            names: words(NAMES),
            places: HashSet::default(),
            states: words(STATES),
            persons: words(PERSONS),
            private: words(PRIVATE),
            few_people: 5,
        }
    }
}

/// How much of a log gives people away.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Threats {
    /// Per threat the rows and the people with it.
    pub found: Vec<Found>,
    /// People with any of them.
    pub people: u64,
    /// People with two or more kinds of them: a place and a name may be what it takes.
    pub people_with_several: u64,
    /// Of how many people.
    pub of_people: u64,
}

/// A threat and how often it occurs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Found {
    /// The threat.
    pub threat: Threat,
    /// Rows with it.
    pub rows: u64,
    /// People with it.
    pub people: u64,
}

/// Looks for threats.
pub fn detect(log: &Log, lexicon: &Lexicon) -> Threats {
    let of_query: Vec<u8> = log.texts().iter().map(|text| flags(text, lexicon)).collect();
    let followed: Vec<u8> =
        log.addresses().iter().map(|text| flags(text, lexicon) & bit(Threat::Name)).collect();
    let visitors = visitors(log);
    let is_few = |text: &str| {
        site_of(text).and_then(|site| visitors.get(site)).is_some_and(|&people| people < lexicon.few_people)
    };
    let own_query: Vec<bool> = log.texts().iter().map(|text| is_few(text)).collect();
    let own_address: Vec<bool> = log.addresses().iter().map(|text| is_few(text)).collect();
    let (mut rows, mut people) = ([0u64; 8], [0u64; 8]);
    let (mut any, mut several) = (0, 0);
    for person in 0..log.people() {
        let mut all = 0u8;
        for row in log.rows_of(person) {
            let query = log.queries()[row] as usize;
            let mut own = of_query[query];
            if own_query[query] {
                own |= bit(Threat::OwnAddress);
            }
            if let Some(click) = log.clicks().map(|clicks| clicks[row]).filter(|&click| click != NONE) {
                own |= followed[click as usize];
                if own_address[click as usize] {
                    own |= bit(Threat::OwnAddress);
                }
            }
            (0..8).filter(|at| own >> at & 1 == 1).for_each(|at| rows[at] += 1);
            all |= own;
        }
        (0..8).filter(|at| all >> at & 1 == 1).for_each(|at| people[at] += 1);
        any += u64::from(all != 0);
        several += u64::from(all.count_ones() > 1);
    }
    let found = Threat::ALL
        .into_iter()
        .map(|threat| Found { threat, rows: rows[threat as usize], people: people[threat as usize] })
        .collect();
    Threats { found, people: any, people_with_several: several, of_people: log.people() as u64 }
}

fn bit(threat: Threat) -> u8 {
    1 << threat as u8
}

fn flags(text: &str, lexicon: &Lexicon) -> u8 {
    let mut flags = 0;
    if has_long_number(text) {
        flags |= bit(Threat::IdentifierNumber);
    }
    if is_mail(text) {
        flags |= bit(Threat::Mail);
    }
    let lower = text.to_lowercase();
    let words: Vec<&str> = tokens_of(&lower).collect();
    let is_in = |words: &HashSet<Box<str>>, word: &str| words.contains(word);
    // An address writes words together: `chenfamilytree`.
    let begins_with_name = |word: &str| {
        site_of(&lower).is_some()
            && (3..word.len()).any(|end| word.is_char_boundary(end) && is_in(&lexicon.names, &word[..end]))
    };
    if words.iter().any(|word| is_in(&lexicon.names, word) || begins_with_name(word)) {
        flags |= bit(Threat::Name);
    }
    let before_state = words.windows(2).any(|pair| {
        is_in(&lexicon.states, pair[1]) && pair[0].len() > 2 && pair[0].chars().all(char::is_alphabetic)
    });
    if before_state || words.iter().any(|word| is_in(&lexicon.places, word)) {
        flags |= bit(Threat::Place);
    }
    let has_age = words.iter().any(|word| word.parse().is_ok_and(|age: u32| (10..=110).contains(&age)));
    if has_age && words.iter().any(|word| is_in(&lexicon.persons, word)) {
        flags |= bit(Threat::Demographic);
    }
    if words.iter().any(|word| is_in(&lexicon.private, word)) {
        flags |= bit(Threat::Private);
    }
    flags
}

/// Whether a number of seven digits or more stands in a text, whatever of `-`, `.`, `/` and parentheses stands between them; with
/// blanks between, of nine digits, because years and sizes stand side by side too.
fn has_long_number(text: &str) -> bool {
    let (mut close, mut wide, mut gap) = (0, 0, 0);
    for own in text.chars() {
        match own {
            '0'..='9' => {
                (close, wide, gap) = (close + 1, wide + 1, 0);
                if close >= 7 || wide >= 9 {
                    return true;
                }
            }
            '-' | '.' | '/' | '(' | ')' | ' ' if wide > 0 && gap < 2 => {
                gap += 1;
                close = if own == ' ' { 0 } else { close };
            }
            _ => (close, wide, gap) = (0, 0, 0),
        }
    }
    false
}

fn is_mail(text: &str) -> bool {
    text.split_whitespace().any(|word| {
        word.split_once('@')
            .is_some_and(|(name, host)| !name.is_empty() && host.contains('.') && !host.ends_with('.'))
    })
}

/// The site of an address, where a text is one.
fn site_of(text: &str) -> Option<&str> {
    let text = text.trim();
    let text = text.split_once("://").map_or(text, |(_, rest)| rest);
    let site = text.split(['/', '?', '#']).next()?;
    let site = site.strip_prefix("www.").unwrap_or(site);
    let (name, ending) = site.rsplit_once('.')?;
    let is_site = !name.is_empty()
        && (2..=24).contains(&ending.len())
        && ending.chars().all(char::is_alphabetic)
        && !site.contains([' ', '@']);
    is_site.then_some(site)
}

/// Per site the people who asked for it or followed it.
fn visitors(log: &Log) -> HashMap<&str, u64> {
    let mut people: HashMap<&str, u64> = HashMap::default();
    let mut last: HashMap<&str, usize> = HashMap::default();
    let sites: Vec<Option<&str>> = log.texts().iter().map(|text| site_of(text)).collect();
    let followed: Vec<Option<&str>> = log.addresses().iter().map(|text| site_of(text)).collect();
    for person in 0..log.people() {
        for row in log.rows_of(person) {
            let click = log.clicks().map(|clicks| clicks[row]).filter(|&click| click != NONE);
            let own = [sites[log.queries()[row] as usize], click.and_then(|click| followed[click as usize])];
            for site in own.into_iter().flatten() {
                if last.insert(site, person) != Some(person) {
                    *people.entry(site).or_default() += 1;
                }
            }
        }
    }
    people
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::search_log;

    /// FX-7.1: person 1 asks with a social security number, person 2 gives away town, age and sex, family name, and is exposed
    /// by a private query, person 3 visits the own site.
    #[test]
    fn the_threats_of_the_fixture() {
        let threats = detect(&search_log(), &Lexicon::default());
        let count = |threat: Threat| {
            let found = threats.found.iter().find(|own| own.threat == threat).unwrap();
            (found.rows, found.people)
        };
        assert_eq!(count(Threat::IdentifierNumber), (1, 1));
        assert_eq!(count(Threat::Mail), (0, 0));
        assert_eq!(count(Threat::Place), (2, 1));
        assert_eq!(count(Threat::Demographic), (1, 1));
        assert_eq!(count(Threat::Name), (1, 1));
        assert_eq!(count(Threat::Private), (1, 1));
        // With three people every address is visited by few.
        assert_eq!(count(Threat::OwnAddress), (5, 2));
        assert_eq!((threats.people, threats.people_with_several, threats.of_people), (3, 1, 3));
        let shown = serde_json::to_string(&threats).unwrap();
        for word in ["111223333", "arlington", "chen", "church", "nude"] {
            assert!(!shown.contains(word));
        }
    }

    #[test]
    fn rules_one_by_one() {
        let lexicon = Lexicon::default();
        let has = |text: &str, threat: Threat| flags(text, &lexicon) & bit(threat) != 0;
        for number in ["111-22-3333", "call (608) 555-1234", "4111 1111 1111 1111", "1234567"] {
            assert!(has(number, Threat::IdentifierNumber), "{number}");
        }
        for number in ["iphone 15", "2008 2009 olympics x 12", "route 66 to 101"] {
            assert!(!has(number, Threat::IdentifierNumber), "{number}");
        }
        assert!(has("ann@example.org", Threat::Mail) && !has("pizza @ home", Threat::Mail));
        assert!(has("smith genealogy", Threat::Name) && !has("blacksmith", Threat::Name));
        assert!(!has("pizza in", Threat::Place) && has("pizza madison wisconsin", Threat::Place));
        assert!(
            has("dating for 70 year old", Threat::Demographic) && !has("top 70 songs", Threat::Demographic)
        );
        assert_eq!(site_of("https://www.some-church.com/x?y"), Some("some-church.com"));
        assert!(site_of("version 2.5").is_none() && site_of("a.b c.d").is_none());
    }
}
