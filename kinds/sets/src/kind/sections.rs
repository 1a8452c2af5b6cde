//! The keys of a job about sets, with what each means: for messages and for the reference.

use privet_kind::Section;

pub(super) const SECTIONS: &[Section] = &[INPUT, SETS];

const INPUT: Section = Section {
    name: "input",
    keys: &[
        ("path", "The file, relative to the job."),
        (
            "form",
            "lines (one basket per line), pairs (a table with a person and an item per row) or log (a table with a person and a query \
             per row); pairs unless set.",
        ),
        ("separator", "lines: the character between two items; blanks unless set."),
        ("person", "pairs, log: the column of the person; the first unless set."),
        ("item", "pairs: the column of the item; the second unless set."),
        ("query", "log: the column of the query; the second unless set."),
        (
            "time",
            "log: the column of the time, which orders a history and cuts sessions. pairs: the column that `from` and `until` are about.",
        ),
        ("from", "pairs: the first moment that counts, such as 2024-02-01; pairs before it are not read."),
        ("until", "pairs: the first moment that counts no more."),
        ("click", "log: the column of the address that was followed."),
        (
            "hierarchy",
            "lines, pairs: a CSV file with one line per item: the item, its group, the group of that, up to one group of all.",
        ),
        ("sensitive", "lines, pairs: the items that must not be learned about a person."),
        ("most-items", "lines, pairs: a basket with more items is refused; 100,000 unless set."),
    ],
};

const SETS: Section = Section {
    name: "sets",
    keys: &[
        (
            "method",
            "apriori, count-tree, vertical, horizontal, coherence, diversity, rho-uncertainty, disassociation or policies for \
             baskets; threshold, korolova, zealous, sketches or covers for search logs.",
        ),
        ("k", "The fewest baskets that any known set of items must fit."),
        ("m", "The most items that an adversary knows; 2 unless set."),
        ("part", "horizontal: the baskets of a part."),
        ("h", "coherence: the largest share of a sensitive item."),
        ("p", "coherence: the most public items that an adversary knows."),
        ("l", "diversity: at most one of l baskets holds the same sensitive item."),
        ("rho", "rho-uncertainty: the largest confidence of a rule to a sensitive item."),
        ("most", "rho-uncertainty: the most items that an adversary knows; no limit unless set."),
        ("largest-cluster", "disassociation: clusters of more baskets are halved."),
        ("privacy", "policies: the sets of items that k baskets or none may hold."),
        ("utility", "policies: sets of items that may be published as one."),
        ("most-suppressed", "policies: the most items that may be left out."),
        ("selection", "policies: coat (the rarest item first) or pcta (the cheapest pair first)."),
        ("people", "Logs: no query of fewer people leaves."),
        ("sessions", "threshold: where histories are cut, { gap-seconds, least-similarity }."),
        ("hash", "threshold: whether words are published as hashes, which is weak."),
        ("epsilon", "korolova, zealous: the whole epsilon, as a text."),
        (
            "delta",
            "korolova, zealous: the whole delta, as a text. sketches: the least variance of an estimated count.",
        ),
        (
            "queries-per-person",
            "korolova, zealous: the distinct queries of a person that count; 1 unless set.",
        ),
        ("clicks-per-person", "korolova: the pairs of query and address that count; 0 publishes none."),
        ("population", "zealous: the most persons of the log, for probabilistic differential privacy."),
        ("ledger", "korolova, zealous: the ledger that is charged."),
        ("account", "korolova, zealous: the account in the ledger."),
        ("neighbours", "sketches: nearest neighbours whose similarity must vary."),
        ("components", "sketches: the most components of anybody."),
        ("size", "covers: the queries that are sent together."),
        ("popularity-ratio", "covers: the most times that a member is as popular as another; 2 unless set."),
        ("most-similarity", "covers: the largest cosine of two members; 0.5 unless set."),
        ("dimensions", "covers: dimensions of the index that compares queries; 20 unless set."),
        ("publish-signs", "sketches: whether the signs are published, which gives histories away."),
    ],
};
