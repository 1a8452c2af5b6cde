//! The registry of attacks: one line each. What an attack is called and what it does stands in its own file, and nowhere else.

use crate::adversary::{
    composed, exchangeable, insensitive, knowing, least_committed, linkage, priors, records, worst,
};
use crate::minimality::disclosure;
use crate::noise::assess;
use crate::noise::assess::{copies, people, series};
use crate::three_risks::findings;
use crate::{homogeneity, linking, margins, minimality, proximity, reproduction, tracker};

/// An attack by its word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttackWord {
    /// The word in files and on the command line.
    pub word: &'static str,
    /// Its title.
    pub title: &'static str,
    /// What the adversary does: one sentence for a person who is no statistician.
    pub sentence: &'static str,
    /// What it does, in a few words; empty where it is not on tables.
    pub about: &'static str,
    /// What the adversary needs for it besides who is in the data.
    pub needs: Option<&'static str>,
    /// Whether `anonymize` makes it when nothing else is asked for: it takes next to no time.
    pub quick: bool,
    /// Whether what it reaches counts towards `max-risk`.
    pub role: Role,
}

/// What an attack has to say about handing a release over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// What it reaches is compared with `max-risk`.
    Counts,
    /// On classes it is compared with `max-risk`; of buckets, which publish identifying columns as they are, it only
    /// informs.
    CountsOnClasses,
    /// It only informs, for this reason.
    Informs(&'static str),
}

/// Why looking for records does not count against buckets.
pub(crate) const NO_SECRET: &str = "buckets publish identifying columns as they are: whose record it is is no secret, what it holds of \
                         sensitive values is";

impl AttackWord {
    /// An attack that is not on tables, without its words.
    pub(crate) const APART: Self =
        Self { word: "", title: "", sentence: "", about: "", needs: None, quick: false, role: Role::Counts };

    /// Why it does not count towards `max-risk`, where it does not.
    pub fn not_counted(&self, is_bucketized: bool) -> Option<&'static str> {
        match self.role {
            Role::Informs(why) => Some(why),
            Role::CountsOnClasses if is_bucketized => Some(NO_SECRET),
            Role::Counts | Role::CountsOnClasses => None,
        }
    }

    /// Whether `anonymize` makes it when nothing else is asked for. Buckets hide who has which value and nothing else, and
    /// that is what deFinetti's attack is against; who has which record they do not hide.
    pub fn by_default(&self, is_bucketized: bool) -> bool {
        (self.quick || (is_bucketized && self.word == ids::DEFINETTI))
            && self.not_counted(is_bucketized).is_none()
    }
}

/// The words of the attacks in files.
pub mod ids {
    pub use crate::adversary::composed::COMPOSITION;
    pub use crate::adversary::exchangeable::DEFINETTI;
    pub use crate::adversary::insensitive::{INSENSITIVE, SENSITIVE};
    pub use crate::adversary::knowing::BACKGROUND_KNOWLEDGE;
    pub use crate::adversary::least_committed::MAX_ENTROPY;
    pub use crate::adversary::linkage::RECORD_LINKAGE;
    pub use crate::adversary::priors::{BAYES_OPTIMAL, INDEPENDENCE};
    pub use crate::adversary::records::{KNOWN_ATTRIBUTES, MEMBERSHIP};
    pub use crate::adversary::worst::{BOOLEAN, THREE_D};
    pub use crate::homogeneity::HOMOGENEITY;
    pub use crate::linking::LINKING;
    pub use crate::margins::{MARGINS, SUPPRESSION_RECOVERY};
    pub use crate::minimality::MINIMALITY;
    pub use crate::minimality::disclosure::DISCLOSURE_SETS;
    pub use crate::noise::assess::copies::AVERAGING;
    pub use crate::noise::assess::people::NOISE_LINKAGE;
    pub use crate::noise::assess::series::{KNOWN_POINTS, WAVELET_FILTER};
    pub use crate::noise::assess::{
        BEST_LINEAR_ESTIMATE, CONSTANT_COLUMN, DINUR_NISSIM, FILTERS, LOCAL_SENSITIVITY, SPECTRAL_FILTER,
        UNDESIRED_REGRESSION, WEIGHTED_SUMS,
    };
    pub use crate::proximity::SIMILARITY;
    pub use crate::reproduction::REPRODUCTION;
    pub use crate::three_risks::findings::{
        CLOSEST_RECORD, INFERENCE, LINKABILITY, SINGLING_OUT, SINGLING_OUT_UNIVARIATE,
    };
    pub use crate::tracker::TRACKER;
}

/// All attacks on tables.
pub const ATTACKS: [AttackWord; 24] = [
    linking::ABOUT_LINKING,
    insensitive::ABOUT_INSENSITIVE,
    insensitive::ABOUT_SENSITIVE,
    homogeneity::ABOUT_HOMOGENEITY,
    proximity::ABOUT_SIMILARITY,
    knowing::ABOUT_BACKGROUND_KNOWLEDGE,
    priors::ABOUT_BAYES_OPTIMAL,
    worst::ABOUT_BOOLEAN,
    worst::ABOUT_THREE_D,
    minimality::ABOUT_MINIMALITY,
    disclosure::ABOUT_DISCLOSURE_SETS,
    exchangeable::ABOUT_DEFINETTI,
    least_committed::ABOUT_MAX_ENTROPY,
    priors::ABOUT_INDEPENDENCE,
    composed::ABOUT_COMPOSITION,
    linkage::ABOUT_RECORD_LINKAGE,
    records::ABOUT_MEMBERSHIP,
    records::ABOUT_KNOWN_ATTRIBUTES,
    findings::ABOUT_SINGLING_OUT,
    findings::ABOUT_SINGLING_OUT_UNIVARIATE,
    findings::ABOUT_LINKABILITY,
    findings::ABOUT_INFERENCE,
    findings::ABOUT_CLOSEST_RECORD,
    tracker::ABOUT_TRACKER,
];

/// Attacks on what is no table of records: noise, records without classes, counts, and desks that answer.
pub const OTHER_ATTACKS: [AttackWord; 15] = [
    reproduction::ABOUT_REPRODUCTION,
    assess::ABOUT_CONSTANT_COLUMN,
    assess::ABOUT_SPECTRAL_FILTER,
    assess::ABOUT_BEST_LINEAR_ESTIMATE,
    assess::ABOUT_FILTERS,
    assess::ABOUT_DINUR_NISSIM,
    assess::ABOUT_WEIGHTED_SUMS,
    assess::ABOUT_LOCAL_SENSITIVITY,
    assess::ABOUT_UNDESIRED_REGRESSION,
    copies::ABOUT_AVERAGING,
    people::ABOUT_NOISE_LINKAGE,
    series::ABOUT_WAVELET_FILTER,
    series::ABOUT_KNOWN_POINTS,
    margins::ABOUT_MARGINS,
    margins::ABOUT_SUPPRESSION_RECOVERY,
];

/// What the attack of this word is.
pub fn attack_info(word: &str) -> Option<&'static AttackWord> {
    static ALL: ([AttackWord; 24], [AttackWord; 15]) = (ATTACKS, OTHER_ATTACKS);
    ALL.0.iter().chain(&ALL.1).find(|own| own.word == word)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_attack_has_a_word_of_its_own_and_is_one_sentence() {
        let all: Vec<&str> = ATTACKS.iter().chain(&OTHER_ATTACKS).map(|own| own.word).collect();
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
        for word in all {
            let info = attack_info(word).unwrap_or_else(|| panic!("{word} is not listed"));
            assert!(info.sentence.ends_with('.') && !info.sentence.contains(". "), "{word}");
            assert!(!info.title.is_empty() && !info.title.ends_with('.'), "{word}");
        }
        assert!(attack_info("unheard-of").is_none());
    }
}
