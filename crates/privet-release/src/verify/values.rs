//! Which texts of a sensitive column are one value, as the referee sees it: by its own code, from the published files.
//!
//! `100` and `100.0` are one number, `2020-01-31` and `2020-01-31T00:00` one date, whichever of them the table shows, and all
//! markers of a missing value are one. A column has numbers when the manifest says that the input had, or when nothing else is
//! published in it; the manifest may say that digits are codes. Texts are compared without the blanks at their ends. What
//! promises and evidence name is brought to the same form, so that definitions compare like with like.

use std::collections::{BTreeMap, HashMap};

use privet_criteria::Requirement;
use privet_data::{Comparison, Equality, Kind};

use super::table::{Column, Table};
use crate::Manifest;
use crate::counts::{CountsData, CountsTable};
use crate::manifest::{Alike, Evidence, LabelReading};

/// The form of everything that is missing; no cell can have it.
pub(super) const MISSING: &str = "\u{0}missing";

/// How texts of a column are compared.
#[derive(Debug, Clone)]
pub(super) struct Rule {
    compare: Compare,
    trim: bool,
    fold_case: bool,
    missing: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Compare {
    Texts,
    Numbers,
    Dates,
    Words,
    Both,
}

/// What the manifest of any release says of missing values and of columns that are compared in a way of their own.
#[derive(Clone, Copy)]
pub(super) struct Told<'a> {
    pub missing: Option<&'a [String]>,
    pub equality: &'a BTreeMap<String, Equality>,
}

impl<'a> Told<'a> {
    pub fn of(manifest: &'a Manifest) -> Self {
        Self { missing: manifest.data.missing.as_deref(), equality: &manifest.data.equality }
    }

    /// How texts of a column are compared of which these are published.
    pub fn rule(self, name: &str, alike: Option<&Alike>, published: &[String]) -> Rule {
        let equality = self.equality.get(name).copied().unwrap_or_default();
        let mut missing: Vec<String> = self.missing.unwrap_or_default().to_vec();
        if missing.is_empty() {
            missing.push(String::new());
        }
        let rule =
            Rule { compare: Compare::Texts, trim: equality.trim, fold_case: equality.fold_case, missing };
        let all_are = |is: &dyn Fn(&str) -> bool| {
            let mut known =
                published.iter().map(|text| rule.trimmed(text)).filter(|text| !rule.is_missing(text));
            known.next().is_some_and(is) && known.all(is)
        };
        let compare = match (equality.compare, alike.map(|own| own.kind)) {
            (Comparison::Text, _) => Compare::Texts,
            (_, Some(Kind::Integer | Kind::Decimal)) => Compare::Numbers,
            (_, Some(Kind::Date)) => Compare::Dates,
            (_, Some(Kind::Boolean)) => Compare::Words,
            (Comparison::Value, _) => Compare::Both,
            _ if all_are(&|text| number(text).is_some()) => Compare::Numbers,
            _ if all_are(&|text| date(text).is_some()) => Compare::Dates,
            _ => Compare::Texts,
        };
        Rule { compare, ..rule }
    }

    /// The same for a quasi column of the input, whose values the manifest may list.
    pub fn rule_of_input(self, name: &str, alike: Option<&Alike>, reading: Option<LabelReading>) -> Rule {
        match reading {
            // Masks are of codes.
            Some(LabelReading::Masks) => Rule { compare: Compare::Texts, ..self.rule(name, None, &[]) },
            _ => self.rule(name, alike, &[]),
        }
    }
}

impl Rule {
    fn trimmed<'t>(&self, text: &'t str) -> &'t str {
        if self.trim { text.trim() } else { text }
    }

    fn is_missing(&self, text: &str) -> bool {
        text == MISSING || self.missing.iter().any(|marker| marker == text)
    }

    /// The form that all texts of one value have.
    pub fn form(&self, text: &str) -> String {
        if self.is_missing(text) || self.is_missing(self.trimmed(text)) {
            return MISSING.to_owned();
        }
        let text = self.trimmed(text);
        let own = match self.compare {
            Compare::Texts => None,
            Compare::Numbers => number(text),
            Compare::Dates => date(text),
            Compare::Words => word(text),
            Compare::Both => number(text).or_else(|| date(text)),
        };
        own.unwrap_or_else(|| if self.fold_case { text.to_lowercase() } else { text.to_owned() })
    }

    /// Gives all texts of one value one code.
    pub fn unite(&self, column: &mut Column) {
        let mut code_of: HashMap<String, u32> = HashMap::new();
        let mut texts = Vec::new();
        let new: Vec<u32> = column
            .texts
            .iter()
            .map(|text| {
                *code_of.entry(self.form(text)).or_insert_with_key(|form| {
                    texts.push(form.clone());
                    texts.len() as u32 - 1
                })
            })
            .collect();
        column.codes.iter_mut().for_each(|code| *code = new[*code as usize]);
        column.texts = texts;
    }

    fn forms(&self, texts: &mut [String]) {
        texts.iter_mut().for_each(|text| *text = self.form(text));
    }

    fn keys<V: Clone>(&self, map: &BTreeMap<String, V>) -> Result<BTreeMap<String, V>, String> {
        let forms: BTreeMap<String, V> =
            map.iter().map(|(text, own)| (self.form(text), own.clone())).collect();
        match forms.len() == map.len() {
            true => Ok(forms),
            false => Err("it names one value twice, written in two ways".to_owned()),
        }
    }

    /// A promise and what it rests on in the forms of the column that it is about.
    pub fn spoken(
        &self,
        requirement: &Requirement,
        evidence: &Evidence,
    ) -> Result<(Requirement, Evidence), String> {
        let (mut requirement, mut evidence) = (requirement.clone(), evidence.clone());
        match &mut requirement {
            Requirement::AlphaK { values, .. } => self.forms(values),
            Requirement::LDiversity { allowed, protected, .. } => {
                self.forms(allowed);
                self.forms(protected);
            }
            Requirement::TCloseness { costs, order, .. } => {
                self.forms(order);
                for (from, to, _) in costs {
                    (*from, *to) = (self.form(from), self.form(to));
                }
            }
            Requirement::PSensitivity { categories, .. } => {
                categories.iter_mut().for_each(|own| self.forms(own));
            }
            Requirement::ConceptDiversity { concepts, .. } => {
                concepts.values_mut().for_each(|own| self.forms(own));
            }
            Requirement::ThreeD { values, .. } => *values = self.keys(values)?,
            _ => {}
        }
        self.forms(&mut evidence.missing);
        evidence.ranks = evidence.ranks.map(|own| self.keys(&own)).transpose()?;
        evidence.ancestors = evidence.ancestors.map(|own| self.keys(&own)).transpose()?;
        // Every path begins with the value itself.
        for path in evidence.ancestors.iter_mut().flat_map(BTreeMap::values_mut) {
            path.iter_mut().take(1).for_each(|own| *own = self.form(own));
        }
        Ok((requirement, evidence))
    }

    /// The labels of values of the input, by the forms of these.
    pub fn labels(&self, labels: &BTreeMap<String, String>) -> BTreeMap<String, String> {
        labels.iter().map(|(text, label)| (self.form(text), label.clone())).collect()
    }
}

/// Gives all texts of one value one code in the sensitive columns of a table, and tells how each was compared.
pub(super) fn unite(table: &mut Table, manifest: &Manifest) -> BTreeMap<usize, Rule> {
    let told = Told::of(manifest);
    let mut rules = BTreeMap::new();
    for (position, own) in manifest.data.columns.iter().enumerate().filter(|(_, own)| own.role == "sensitive")
    {
        if let Some(column) = table.columns.get_mut(position) {
            let rule = told.rule(&own.name, own.alike.as_ref(), &column.texts);
            rule.unite(column);
            rules.insert(position, rule);
        }
    }
    rules
}

/// The same in a table of counts.
pub(super) fn unite_counted(
    table: &mut Table,
    claim: &CountsTable,
    data: &CountsData,
) -> BTreeMap<usize, Rule> {
    let told = Told { missing: data.missing.as_deref(), equality: &data.equality };
    let mut rules = BTreeMap::new();
    for (position, own) in claim.columns.iter().enumerate().filter(|(_, own)| own.role == "sensitive") {
        if let Some(column) = table.columns.get_mut(position) {
            let rule = told.rule(&own.name, own.alike.as_ref(), &column.texts);
            rule.unite(column);
            rules.insert(position, rule);
        }
    }
    rules
}

/// A number as sign, digits without zeros at either end, and the power of ten of the first of them.
fn number(text: &str) -> Option<String> {
    let (mantissa, exponent) = match text.find(['e', 'E']) {
        Some(at) => (&text[..at], text[at + 1..].parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (sign, mantissa) = match mantissa.as_bytes().first()? {
        b'-' => ("-", &mantissa[1..]),
        b'+' => ("", &mantissa[1..]),
        _ => ("", mantissa),
    };
    let (mut digits, mut point, mut seen_point) = (String::new(), 0i64, false);
    for character in mantissa.chars() {
        match character {
            '.' if !seen_point => seen_point = true,
            '0'..='9' => {
                digits.push(character);
                point += i64::from(!seen_point);
            }
            _ => return None,
        }
    }
    if digits.is_empty() {
        return None;
    }
    let significant = digits.trim_start_matches('0');
    let power = point - (digits.len() - significant.len()) as i64 + i64::from(exponent);
    match significant.trim_end_matches('0') {
        "" => Some("0".to_owned()),
        kept => Some(format!("{sign}0.{kept}e{power}")),
    }
}

/// A date as day, time of day and offset; midnight without an offset is the day alone.
fn date(text: &str) -> Option<String> {
    let day = text.get(..10)?;
    let plain = day
        .bytes()
        .enumerate()
        .all(|(at, b)| if at == 4 || at == 7 { b == b'-' } else { b.is_ascii_digit() });
    let rest = &text[10..];
    if !plain || !(rest.is_empty() || rest.starts_with(['T', ' '])) {
        return None;
    }
    let rest = rest.get(1..).unwrap_or_default().trim();
    let (clock, offset) = match rest.find(['Z', 'z', '+', '-']) {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    let as_it_stands = || Some(format!("{day} {rest}"));
    let offset = match offset {
        "" => String::new(),
        "Z" | "z" => "Z".to_owned(),
        other => {
            let digits: String = other[1..].chars().filter(|own| *own != ':').collect();
            if !(digits.len() == 2 || digits.len() == 4) || !digits.bytes().all(|b| b.is_ascii_digit()) {
                return as_it_stands();
            }
            let minutes: u32 = format!("{digits:0<4}").parse().ok()?;
            if minutes == 0 { "Z".to_owned() } else { format!("{}{minutes:04}", &other[..1]) }
        }
    };
    if clock.is_empty() && offset.is_empty() {
        return Some(day.to_owned());
    }
    let mut parts = clock.trim().split(':');
    let whole = |part: Option<&str>| -> Option<u32> {
        let part = part?;
        let fits = (1..=2).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
        fits.then(|| part.parse().ok())?
    };
    let (Some(hours), Some(minutes)) = (whole(parts.next()), whole(parts.next())) else {
        return as_it_stands();
    };
    let seconds = parts.next().unwrap_or("0");
    let (seconds, fraction) = seconds.split_once('.').unwrap_or((seconds, ""));
    let is_odd = parts.next().is_some() || !fraction.bytes().all(|b| b.is_ascii_digit());
    let Some(seconds) = whole(Some(seconds)).filter(|_| !is_odd) else { return as_it_stands() };
    let fraction = fraction.trim_end_matches('0');
    match (hours, minutes, seconds, fraction, offset.as_str()) {
        (0, 0, 0, "", "") => Some(day.to_owned()),
        _ => Some(format!("{day} {hours}:{minutes}:{seconds}.{fraction}{offset}")),
    }
}

/// A word for yes or no, spelt out.
fn word(text: &str) -> Option<String> {
    let small = text.to_ascii_lowercase();
    Some(
        match small.as_str() {
            "true" | "t" => "true",
            "false" | "f" => "false",
            "yes" | "y" => "yes",
            "no" | "n" => "no",
            _ => return None,
        }
        .to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rule(published: &[&str], kind: Option<Kind>, equality: Option<Equality>) -> Rule {
        let equality = equality.map(|own| ("c".to_owned(), own)).into_iter().collect();
        let texts: Vec<String> = published.iter().map(|text| (*text).to_owned()).collect();
        let alike = kind.map(|kind| Alike { kind, length: None, digits: false, hides_missing: false });
        Told { missing: Some(&["?".to_owned(), "NA".to_owned()]), equality: &equality }.rule(
            "c",
            alike.as_ref(),
            &texts,
        )
    }

    fn distinct(texts: &[&str], kind: Option<Kind>, equality: Option<Equality>) -> usize {
        let mut column = Column {
            texts: texts.iter().map(|text| (*text).to_owned()).collect(),
            codes: (0..texts.len() as u32).collect(),
            kinds: None,
        };
        rule(texts, kind, equality).unite(&mut column);
        column.texts.len()
    }

    #[test]
    fn equal_values_are_one_to_the_referee() {
        assert_eq!(distinct(&["100", "100.0", "1e2", "+0100."], None, None), 1);
        assert_eq!(distinct(&["100", "100.0", "x"], None, None), 3);
        assert_eq!(distinct(&["100", "100.0", "x"], Some(Kind::Decimal), None), 2, "the input had numbers");
        assert_eq!(distinct(&["9007199254740993", "9007199254740992"], None, None), 2);
        assert_eq!(distinct(&["2020-01-31", "2020-01-31T00:00:00", "2020-01-31 00:00Z"], None, None), 2);
        assert_eq!(distinct(&["?", "NA", " NA", "7"], None, None), 2, "missing is one value");
        assert_eq!(distinct(&["flu", " flu", "Flu"], None, None), 2);
        let own = |compare, trim, fold_case| Some(Equality { compare, trim, fold_case });
        assert_eq!(distinct(&["01234", "1234"], None, own(Comparison::Text, true, false)), 2);
        assert_eq!(distinct(&["flu", " flu", "Flu"], None, own(Comparison::Kind, true, true)), 1);
        assert_eq!(distinct(&["flu", " flu", "Flu"], None, own(Comparison::Kind, false, false)), 3);
        assert_eq!(distinct(&["1", "1.0", "x"], None, own(Comparison::Value, true, false)), 2);
        assert_eq!(distinct(&["Yes", "y", "no"], Some(Kind::Boolean), None), 2);
    }

    #[test]
    fn a_promise_that_names_a_value_twice_is_refused() {
        let own: BTreeMap<String, u64> = [("1".to_owned(), 0), ("1.0".to_owned(), 1)].into();
        assert!(rule(&["1"], None, None).keys(&own).is_err());
    }

    proptest! {
        /// The makers have the same idea of equal values, by other code.
        #[test]
        fn the_referee_and_the_makers_agree(
            one in "[-+]?(0{0,2}[0-9]{1,3}|[0-9]{0,2}\\.[0-9]{1,3}|[1-9]\\.?)([eE][-+]?[0-9]{1,2})?",
            two in "[-+]?(0{0,2}[0-9]{1,3}|[0-9]{0,2}\\.[0-9]{1,3}|[1-9]\\.?)([eE][-+]?[0-9]{1,2})?",
            days in proptest::collection::vec(
                "2020-0[12]-0[12]([T ](0?0|09|9):[01]?0(:0?0(\\.0{0,2})?)?(Z|z|[+-]0[01](:?00)?)?)?", 2),
        ) {
            let makers = Equality::default();
            let (numbers, dates) = (makers.of_kind(Kind::Decimal), makers.of_kind(Kind::Date));
            prop_assert_eq!(numbers.key(&one) == numbers.key(&two), number(&one) == number(&two), "{} {}", one, two);
            let (a, b) = (&days[0], &days[1]);
            prop_assert_eq!(dates.key(a) == dates.key(b), date(a) == date(b), "{} {}", a, b);
        }
    }
}
