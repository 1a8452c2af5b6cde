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
        _ => return None,
    };
    Some(Explained { title, meaning })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_attack_is_one_sentence() {
        for word in [
            "homogeneity",
            "similarity",
            "linking",
            "background-knowledge",
            "bayes-optimal",
            "boolean",
            "three-d",
            "minimality",
            "definetti",
            "max-entropy",
            "independence",
            "disclosure-sets",
            "composition",
            "record-linkage",
            "reproduction",
            "membership",
            "known-attributes",
            "margins",
            "suppression-recovery",
            "tracker",
        ] {
            let explained = attack(word).unwrap_or_else(|| panic!("{word} is not explained"));
            assert!(explained.meaning.ends_with('.') && !explained.meaning.contains(". "), "{word}");
        }
        assert!(attack("unheard-of").is_none());
    }
}
