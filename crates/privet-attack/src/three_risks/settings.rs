//! What an adversary of the three risks knows: `[risks]` of the knowledge file.

use serde::Deserialize;

/// How the three risks are tried, and what is known of people.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Risks {
    /// On how many people, or with how many predicates.
    pub attacks: usize,
    /// Of how many columns predicates that single out are made.
    pub predicate_columns: usize,
    /// What the first of two sources knows, for linkability; with `second`.
    pub first: Vec<String>,
    /// What the second of two sources knows.
    pub second: Vec<String>,
    /// How many records each source considers.
    pub neighbours: usize,
    /// What is known of people whose secret is inferred; all other columns when left out.
    pub known: Vec<String>,
    /// The columns that are inferred; the sensitive ones when left out.
    pub secrets: Vec<String>,
}

impl Default for Risks {
    fn default() -> Self {
        Self {
            attacks: 1000,
            predicate_columns: 3,
            first: Vec::new(),
            second: Vec::new(),
            neighbours: 1,
            known: Vec::new(),
            secrets: Vec::new(),
        }
    }
}

impl Risks {
    /// Fewer attacks say too little.
    pub const FEWEST: usize = 50;

    /// More say nothing more.
    pub const MOST: usize = 100_000;

    /// What is wrong with it, as a sentence.
    pub fn problem(&self) -> Option<String> {
        if !(Self::FEWEST..=Self::MOST).contains(&self.attacks) {
            return Some(format!("`attacks` takes a number from {} to {}", Self::FEWEST, Self::MOST));
        }
        if !(1..=100).contains(&self.predicate_columns) || !(1..=1000).contains(&self.neighbours) {
            return Some(
                "`predicate-columns` takes a number from 1 to 100, and `neighbours` one from 1 to 1000"
                    .to_owned(),
            );
        }
        if self.first.is_empty() != self.second.is_empty() {
            return Some(
                "`first` and `second` go together: each says what one of two sources knows".to_owned(),
            );
        }
        if self.first.iter().any(|own| self.second.contains(own)) {
            return Some(
                "`first` and `second` name the same column; two sources that share one are linked by it"
                    .to_owned(),
            );
        }
        (self.known.iter().any(|own| self.secrets.contains(own)))
            .then(|| "`known` and `secrets` name the same column; what is known is no secret".to_owned())
    }

    /// All columns that it names.
    pub fn columns(&self) -> impl Iterator<Item = &String> {
        self.first.iter().chain(&self.second).chain(&self.known).chain(&self.secrets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_meaning_is_refused() {
        assert_eq!(Risks::default().problem(), None);
        let of = |text: &str| toml::from_str::<Risks>(text).unwrap().problem().is_some();
        assert!(!of("attacks = 500\nfirst = [\"a\"]\nsecond = [\"b\"]\nknown = [\"a\"]\nsecrets = [\"b\"]"));
        for wrong in [
            "attacks = 49",
            "predicate-columns = 0",
            "neighbours = 0",
            "first = [\"a\"]",
            "first = [\"a\"]\nsecond = [\"a\"]",
            "known = [\"a\"]\nsecrets = [\"a\"]",
        ] {
            assert!(of(wrong), "{wrong}");
        }
        assert!(toml::from_str::<Risks>("attack = 500").is_err());
    }
}
