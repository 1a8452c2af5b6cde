//! The words of counts: views and tables with totals.

use privet_release::CountsManifest;
use privet_release::manifest::Form;

use super::models::number_of;
use super::used::{Used, write_with};
use super::words::{ALWAYS, ATTACKS, FILES};
use crate::form::FormWords;

const COUNTS: [Used; 20] = [
    (("Record", "One line of the original table, which is not published; it stands for one person."), &[]),
    (("Count", "How many records have a given combination of values."), &[]),
    (("Cell", "One count of a table of counts."), &["cell"]),
    (ALWAYS[1], &["identifying"]),
    (ALWAYS[2], &[" sensitive"]),
    (
        ("Total, margin", "A count over all values of a column: the sum of the counts of each of them."),
        &["totals included", "totals over", "table with totals:"],
    ),
    (
        (
            "Hidden",
            "A count that is left empty because it is small, or because a small one could be computed from it and the totals.",
        ),
        &["Hidden cells", "are hidden", "A hidden", "idden count"],
    ),
    (
        (
            "Lower by, higher by",
            "How far below and above its true value a hidden count can be for all that the published counts tell.",
        ),
        &["lower by"],
    ),
    (
        (
            "Changed, adjusted, drawn anew",
            "Counts that are not the true ones: moved a little up or down, or taken from a table drawn by chance among all that \
             have the same totals.",
        ),
        &["were changed", "drawn from all"],
    ),
    (
        (
            "Random walk",
            "Going from table to table by small steps of chance, long enough that where it began does not matter any more.",
        ),
        &["random walk"],
    ),
    (("View", "A table of counts over some of the columns."), &["view", "View"]),
    (
        (
            "Class",
            "All records that have the same published values in the identifying columns of a view, so that nobody can tell \
             them apart by these.",
        ),
        &["class"],
    ),
    (
        (
            "Required, reached",
            "The bound that was set, and what the class that comes closest to breaking it has, rounded to the cautious side.",
        ),
        &["Required"],
    ),
    (
        (
            "Proven to exist",
            "The published counts leave no other possibility: every table that fits them has such a group.",
        ),
        &["proven to exist"],
    ),
    (
        (
            "Fréchet bounds",
            "The least and the most records that a combination can have, computed from the counts of its parts by a formula.",
        ),
        &["Fréchet"],
    ),
    (
        (
            "Linear program",
            "A computation that finds the smallest and the largest value which a number can have under given sums.",
        ),
        &["linear program"],
    ),
    (
        (
            "Level, coarsened",
            "Values were replaced by coarser ones that are still true, such as the age 34 by 30–39: level 0 is the original \
             value, and each higher one has fewer labels.",
        ),
        &["coarsened to level"],
    ),
    (("Label", "What is published for a value: the value itself, or a coarser one."), &["Labels"]),
    (FILES[0], &["SHA-256"]),
    (FILES[1], &["Bytes"]),
];

/// Explains the words of a page about counts that is written up to here.
pub(crate) fn write(manifest: &CountsManifest, has_attacks: bool, out: &mut String) {
    let promises = manifest.tables.iter().flat_map(|table| &table.promises);
    // Views show classes.
    let form = FormWords::of(Form::Generalized);
    let mut more: Vec<_> = Vec::new();
    for word in promises.map(|promise| number_of(&promise.requirement, form)) {
        if !more.contains(&word) {
            more.push(word);
        }
    }
    if has_attacks {
        more.extend(ATTACKS);
    }
    write_with(&COUNTS, &more, out);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_one_sentence() {
        for ((word, meaning), _) in COUNTS {
            assert!(meaning.ends_with('.') && !meaning.contains(". "), "{word}");
        }
    }
}
