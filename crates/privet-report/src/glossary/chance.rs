//! The words of perturbed, swapped and synthetic records, and of their owner's pages.

use super::used::Used;
use super::words::{ATTACK_FORMS, ATTACKS, FILES, OWNER};

pub(crate) const CHANCE: [Used; 49] = [
    (("Record", "One line of the table; in this report it stands for one person."), &[]),
    (
        (
            "Identifying column (quasi-identifier)",
            "A column that says nobody’s name but that an outsider may know or find out, such as age, sex or postal code.",
        ),
        &["identifying", "quasi"],
    ),
    (
        ("Sensitive column", "A column that a person would not want to be tied to her, such as a diagnosis."),
        &[" sensitive"],
    ),
    (
        (
            "Law",
            "The rule of chance by which values were changed: which value becomes which with what probability; it is \
             published, what chance did in any one case is not.",
        ),
        &["laws that are published", "law of its noise", "The law of"],
    ),
    (
        (
            "Kept with a probability (retention)",
            "Chance decided for each value whether it stays as it was or is replaced by any value that the column can have.",
        ),
        &["was kept with probability"],
    ),
    (
        (
            "Randomized response",
            "Answering by a rule of chance instead of always truthfully, so that no single answer can be held against anybody \
             while shares can still be computed.",
        ),
        &["Randomized response"],
    ),
    (
        (
            "Post-randomization (PRAM)",
            "Replacing values by others with fixed probabilities after they were collected.",
        ),
        &["Post-randomization"],
    ),
    (
        (
            "Select-a-size",
            "A way to change a set of items by chance: some are kept, and others added, so that neither the items nor their \
             number can be read off.",
        ),
        &["select-a-size"],
    ),
    (
        (
            "Factor, γ (gamma)",
            "How many times as likely one original can make what is published as another original can: nobody’s odds about \
             the original change by more, so the smaller it is, the more is hidden.",
        ),
        &["factor of", "γ"],
    ),
    (
        (
            "Odds",
            "A probability divided by that of the opposite: where something is true with 20 %, the odds are 1 to 4.",
        ),
        &["odds"],
    ),
    (
        (
            "Noise",
            "A number drawn by chance that was added to a true number, or multiplied with it, before it was published.",
        ),
        &["noise", "Noise"],
    ),
    (
        (
            "Standard deviation",
            "How far numbers typically lie from their mean; of noise, how far a published number typically lies from the true \
             one.",
        ),
        &["tandard deviation"],
    ),
    (
        (
            "Standard error",
            "How far an estimate typically lies from the truth; it shrinks with the root of the number of records.",
        ),
        &["tandard error", "error of a share", "error shrinks"],
    ),
    (
        (
            "95 %, interval",
            "Computed in this way, an interval covers the true number in about 95 of 100 cases.",
        ),
        &["95\u{a0}%", "95 %"],
    ),
    (
        (
            "Estimated, reconstructed",
            "What the originals were like, computed from published values and the law of chance; it tells of many records \
             together and never of one.",
        ),
        &["estimated", "Estimated", "econstruct"],
    ),
    (
        (
            "Correlation, covariance",
            "How strongly two columns of numbers rise and fall together; a correlation goes from -1 to 1, and 0 means not at \
             all.",
        ),
        &["orrelat", "ovariance"],
    ),
    (
        (
            "Fixed seed",
            "The number from which all chance of a run was computed; who knows it can compute the same chance again.",
        ),
        &["fixed seed"],
    ),
    (
        (
            "Differential privacy",
            "A mathematical promise that what is published would be about as likely without any one person’s record.",
        ),
        &["differential privacy"],
    ),
    (
        (
            "k-anonymity",
            "A promise that in the identifying columns everybody looks like at least k\u{a0}−\u{a0}1 others.",
        ),
        &["k-anonymity"],
    ),
    (
        (
            "Swapped",
            "Values of a column changed places between records, so that all of them are still there, but not all where they \
             belong.",
        ),
        &["swapped column", "Columns swapped", "not swapped", "was swapped"],
    ),
    (
        ("Rank", "The place of a value when all values of a column are put in order."),
        &["in rank", "ranks that", "Most ranks"],
    ),
    (("Joint count", "How many records have a given combination of values."), &["oint count"]),
    (
        ("Synthetic, made", "Drawn from a model by chance instead of being what anybody’s record said."),
        &["ynthetic"],
    ),
    (
        (
            "Model",
            "A description of the original table by few numbers or rules, learned from it, from which records can be drawn.",
        ),
        &["Model", "a model"],
    ),
    (
        (
            "Copies",
            "Several tables that were drawn in the same way, so that how much they differ can be seen.",
        ),
        &["opies", "Records in each"],
    ),
    (
        (
            "Posterior",
            "What is known of the numbers of a model once the data was seen: not one value but how likely each is.",
        ),
        &["posterior"],
    ),
    (
        (
            "Equal by chance",
            "How often a made value would equal the one that it replaces if it were drawn from all values of the column \
             without looking at the record.",
        ),
        &["By chance"],
    ),
    (
        (
            "Equal what they replace",
            "The share of made values that are the same as the value that stood in their place before.",
        ),
        &["Equal what they replace"],
    ),
    (
        (
            "Equal a value of one person",
            "The share of made values that only one record of the original has, so that whoever knows the person may recognize \
             it.",
        ),
        &["Equal a value of one person"],
    ),
    (
        (
            "Tree, depth, leaves",
            "A decision tree sorts records by one question after another: the depth is how many it asks at most, the leaves are the \
             groups in which it ends, and a made value is drawn from those of its leaf.",
        ),
        &["decision tree", "depth"],
    ),
    (
        (
            "Records in leaves of one value",
            "The share of records, from 0 to 1, that are in a leaf where all have the same value, so that just this value is drawn \
             for them.",
        ),
        &["records in leaves of one value"],
    ),
    (
        (
            "Combining, variance",
            "Putting the estimates of several copies together into one, with an error that counts both how unsure each is (its \
             variance) and how much they differ.",
        ),
        &["variances into"],
    ),
    (
        (
            "Before, after",
            "The shares of records that have each value in the original, and in the release as it is published.",
        ),
        &["Columns before and after"],
    ),
    (OWNER[0], &["accepted:"]),
    (OWNER[2], &["otal variation distance"]),
    (
        (
            "Hellinger distance, Kullback-Leibler divergence",
            "Two other ways to tell how far two distributions are apart: 0 means that both are the same; the first is 1 at \
             most, the second has no limit.",
        ),
        &["Hellinger", "Kullback"],
    ),
    (OWNER[3], &["Cramér’s V", "Cramér's V"]),
    (OWNER[4], &["guessing the most"]),
    (
        (
            "Regression, R²",
            "Predicting a number from other columns by adding up a share of each; R² is the part of the spread that is \
             predicted, 1 for all of it and 0 for none.",
        ),
        &["R²"],
    ),
    (
        (
            "Strict",
            "What is tested on was no part of what the release was made from, so that nothing can have been learned by heart.",
        ),
        &["Strict.", "Not strict."],
    ),
    (ATTACKS[0], ATTACK_FORMS[0]),
    (ATTACKS[1], ATTACK_FORMS[1]),
    (ATTACKS[2], ATTACK_FORMS[2]),
    (ATTACKS[3], ATTACK_FORMS[3]),
    (ATTACKS[4], ATTACK_FORMS[4]),
    (ATTACKS[5], ATTACK_FORMS[5]),
    (ATTACKS[6], ATTACK_FORMS[6]),
    (FILES[0], &["SHA-256"]),
    (FILES[1], &["Bytes"]),
];
