//! What each attack does, in one sentence for a person who is no statistician (survey, section 6).

use super::Explained;

/// Explains an attack by its word in files.
pub(crate) fn attack(word: &str) -> Option<Explained> {
    let (title, meaning) = match word {
        "homogeneity" => (
            "Homogeneity",
            "The adversary gathers the records that may be a person’s and looks whether they agree on the sensitive \
             value, because then it need not be known which of them is the person’s.",
        ),
        "similarity" => (
            "Similarity",
            "The adversary gathers the records that may be a person’s and looks whether their sensitive values, though \
             different, mean nearly the same.",
        ),
        "reproduction" => (
            "Records that come out again",
            "Records that were swapped or made by a model are compared with those of the original: where one has every value \
             of a person, and nobody else has these values, that person’s record is published after all.",
        ),
        "linking" => (
            "Linking",
            "The adversary takes what is known about a person from elsewhere, such as age and place of residence, and \
             looks how few published records fit.",
        ),
        "insensitive-columns" => (
            "If insensitive columns are known",
            "The adversary knows also the columns that the job says nobody outside knows, which are published as they are, \
             and looks whose records stand alone then.",
        ),
        "sensitive-columns" => (
            "If a sensitive column is known",
            "The adversary knows also one of several sensitive columns, as an insurer knows the bill, and looks whose records stand \
             alone then: their other sensitive values are told.",
        ),
        "background-knowledge" => (
            "Background knowledge",
            "The adversary knows some sensitive values that a person does not have, rules them out, and looks what is \
             left.",
        ),
        "bayes-optimal" => (
            "Best possible guess",
            "The adversary knows how frequent each sensitive value is among people of each kind and draws the best \
             conclusion that the laws of probability allow.",
        ),
        "boolean" => (
            "Facts about people",
            "The adversary knows facts about who has or does not have which value, and counts in how many of the \
             arrangements that fit both the facts and the release a person has a value.",
        ),
        "three-d" => (
            "Knowledge of three kinds",
            "The adversary knows some values that a person does not have, the values of some other people, and some \
             people who have the same value as that person, whichever of these help most.",
        ),
        "minimality" => (
            "Minimality",
            "The adversary knows how the release was made and reasons that nothing was hidden without need, so that what \
             is hidden tells what made it necessary.",
        ),
        "disclosure-sets" => (
            "Disclosure sets",
            "The adversary knows how the release was made, lists every original for which the same would have been \
             published, and looks who has one and the same value in all of them.",
        ),
        "definetti" => (
            "Learning from all buckets (deFinetti)",
            "The adversary learns from all groups together which kinds of people tend to have which value, and uses that \
             to tell within a group whose value is whose.",
        ),
        "max-entropy" => (
            "Most even guess (maximum entropy)",
            "The adversary assumes nothing beyond what is published and known, and among all explanations that fit takes \
             the one that favours nobody.",
        ),
        "independence" => (
            "Independent people",
            "The adversary knows how probable each value is for a person and that people have nothing to do with each \
             other, and weighs every way in which the values of a group can be theirs.",
        ),
        "composition" => (
            "Composition",
            "The adversary lays this release beside another one about some of the same people and keeps only what fits \
             both.",
        ),
        "record-linkage" => (
            "Record linkage",
            "The adversary compares a list of named people with all published records and ties each person to the most \
             similar one.",
        ),
        "membership" => {
            ("Membership", "The adversary only wants to know whether a person is in the table at all.")
        }
        "singling-out" => (
            "Singling out",
            "The adversary looks for descriptions of a few columns that fit one published record, and bets that they fit one \
             person.",
        ),
        "singling-out-univariate" => (
            "Singling out by one column",
            "The adversary looks for values that are published once, and for the least and the largest numbers, and bets that \
             they are one person's.",
        ),
        "linkability" => (
            "Linkability",
            "Two sources that know different columns of a person each look for the nearest published record, and when both \
             find the same one, they know that both are about the same person.",
        ),
        "inference" => (
            "Inference from the nearest record",
            "The adversary knows some columns of a person, looks for the nearest published records, and takes the value that \
             these have for the person's.",
        ),
        "closest-record" => (
            "Closest record",
            "The adversary looks how near the nearest published record is to a person, and concludes from that who is in the \
             data.",
        ),
        "known-attributes" => (
            "Known attributes",
            "The adversary happens to know some true values of a person, in any columns, and looks how few published \
             records fit.",
        ),
        "margins" => (
            "Combining tables of counts",
            "The adversary combines the published counts and computes how few and how many people can have each \
             combination of values.",
        ),
        "suppression-recovery" => (
            "Recovery of hidden cells",
            "The adversary computes hidden cells back from the totals and the other cells that are published.",
        ),
        "tracker" => (
            "Tracker",
            "The adversary asks questions that are allowed and computes from their answers the answer to a question about \
             one person that is refused.",
        ),
        "constant-column" => (
            "Constant column",
            "The adversary takes the mean of a column in which everybody has the same value, and the noise, which is as often \
             too high as too low, averages out.",
        ),
        "spectral-filter" => (
            "Spectral filter",
            "The adversary looks in which directions the published columns vary more than noise alone would make them, and \
             drops all others, with the noise that is in them.",
        ),
        "best-linear-estimate" => (
            "Best linear estimate",
            "The adversary moves every published number towards what the other columns and the law of the noise lead to \
             expect.",
        ),
        "noise-linkage" => (
            "Linking in spite of noise",
            "The adversary has a list of people with their true values and asks for each published record which of them most \
             probably became it by the published law.",
        ),
        "wavelet-filter" => (
            "Filter over time",
            "The adversary knows in which order the records follow each other in time and smooths away what changes faster \
             than such numbers do.",
        ),
        "known-points" => (
            "Known points in time",
            "The adversary knows the true values at some times and learns from them how much of the noise at all others can \
             be taken off.",
        ),
        "filters" => (
            "Filters of noise",
            "The adversary estimates what numbers were before noise was added, from what goes together in the release and \
             from the published law.",
        ),
        "averaging" => (
            "Averaging",
            "The adversary gets the same number several times, each time with new noise, and takes the mean of all.",
        ),
        "dinur-nissim" => (
            "Reconstruction from counts",
            "The adversary asks how many of many sets of people have a property and looks for the only table that fits all \
             answers.",
        ),
        "weighted-sums" => (
            "Reconstruction from weighted sums",
            "The adversary asks for many weighted sums over people and computes their values from the answers, although some \
             of these are wrong.",
        ),
        "local-sensitivity" => (
            "Noise that is fitted to the data",
            "The adversary reads from the amount of noise in an answer what the data behind it look like.",
        ),
        "undesired-regression" => (
            "Undesired regression",
            "The adversary fits a line to answers about ranges of values and so learns what was not asked for.",
        ),
        _ => return None,
    };
    Some(Explained { title, meaning })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Attacks on tables, on noise, on records without classes, on counts and on desks.
    #[test]
    fn every_attack_is_one_sentence() {
        let others = [
            "reproduction",
            "constant-column",
            "spectral-filter",
            "best-linear-estimate",
            "noise-linkage",
            "wavelet-filter",
            "known-points",
            "filters",
            "averaging",
            "dinur-nissim",
            "weighted-sums",
            "local-sensitivity",
            "undesired-regression",
            "margins",
            "suppression-recovery",
        ];
        for word in privet_attack::ATTACKS.iter().map(|own| own.word).chain(others) {
            let explained = attack(word).unwrap_or_else(|| panic!("{word} is not explained"));
            assert!(explained.meaning.ends_with('.') && !explained.meaning.contains(". "), "{word}");
        }
        assert!(attack("unheard-of").is_none());
    }
}
