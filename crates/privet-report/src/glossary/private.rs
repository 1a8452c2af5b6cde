//! The words of private answers and of ledgers.

use super::used::Used;

pub(crate) const PRIVATE: [Used; 17] = [
    (
        (
            "Private answer",
            "A number about many people to which chance was added on purpose, so that it would be about as likely whatever \
             the records of any one person say.",
        ),
        &[],
    ),
    (
        (
            "Epsilon",
            "How much an answer may tell about one person: anybody’s records make an answer more likely by a factor of \
             e^epsilon at most, so 0 tells nothing, 0.1 hardly anything, and 5 a great deal.",
        ),
        &["psilon"],
    ),
    (
        (
            "Delta",
            "The probability with which the promise of epsilon may fail; it should be far smaller than one divided by the \
             number of people.",
        ),
        &["elta"],
    ),
    (
        (
            "Noise",
            "What chance adds to a true number before it is told; its law is public, the amount in any one answer is not.",
        ),
        &["noise"],
    ),
    (
        (
            "Laplace noise",
            "Noise that is most often near 0 and becomes rarer at a constant rate the larger it is, as much above as below.",
        ),
        &["Laplace"],
    ),
    (
        (
            "Gaussian noise",
            "Noise with the shape of a bell: most often near 0, and large only very rarely, as much above as below.",
        ),
        &["Gauss", "gauss"],
    ),
    (
        (
            "Standard deviation",
            "How far off a number with noise typically is; about two thirds of bell-shaped noise are smaller than it.",
        ),
        &["tandard deviation"],
    ),
    (
        (
            "± 95 %",
            "How far an answer may be from the true number: in at least 95 of 100 answers the noise is no larger.",
        ),
        &["95\u{a0}%", "95 %", "95 of 100"],
    ),
    (
        (
            "Ranks",
            "How many records lie between an answer and the number that was asked for, when all are put in order.",
        ),
        &["ranks"],
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
            "Groups that are declared",
            "The values by which answers are split were named before the data was looked at, since finding them in the data \
             would tell who is there.",
        ),
        &["declared"],
    ),
    (
        (
            "Account",
            "The budget of one table: a total of what all answers together may tell, of which every answer is paid and which \
             cannot be refilled.",
        ),
        &["ccount"],
    ),
    (
        (
            "Ledger",
            "The book in which every answer is entered before it is told, so that what was spent of an account is known.",
        ),
        &["edger"],
    ),
    (
        (
            "Hash, SHA-256, fingerprint",
            "A number that is computed from a text and changes when any letter of the text does; a hash that covers all \
             entries before it shows whether one of them was changed.",
        ),
        &["hash", "SHA-256", "fingerprint"],
    ),
    (
        (
            "Signed",
            "Entries carry a mark that only the holder of a key can make, so that others cannot change them unnoticed.",
        ),
        &["signed"],
    ),
    (("Analyst", "Who asked, by the name that was given."), &["Analyst", "Asked by"]),
    (
        ("Synthetic records", "Records that were drawn by chance from noisy counts and stand for nobody."),
        &["ynthetic"],
    ),
];
