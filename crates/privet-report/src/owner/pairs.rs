//! How strongly columns go together, before and after: a matrix, and the pairs that changed most.

use privet_release::Manifest;

use crate::draw::matrix::{self, Cell};
use crate::sections::{close_table, header, open_table};
use crate::text::{count, name, number};
use crate::{Assessment, Facts, PairUtility};

/// Columns drawn; of more, those in the pairs that changed most.
const MOST_COLUMNS: usize = 16;
/// Pairs in the table.
const MOST_PAIRS: usize = 12;

pub(super) fn write(_manifest: &Manifest, _facts: &Facts, assessment: &Assessment, out: &mut String) {
    all(assessment, out);
}

pub(super) fn all(assessment: &Assessment, out: &mut String) {
    let pairs = assessment.utility.as_ref().map_or(&[][..], |utility| &utility.pairs);
    if pairs.is_empty() {
        out.push_str("<p>Pairs of columns were not compared.</p>\n");
        return;
    }
    // What cannot be compared comes first.
    let mut order: Vec<usize> = (0..pairs.len()).collect();
    let change = |i: usize| pairs.get(i).map_or(0.0, |p| (p.after - p.before).abs());
    order.sort_by(|&a, &b| {
        let (a_change, b_change) = (change(a), change(b));
        b_change.is_nan().cmp(&a_change.is_nan()).then(b_change.total_cmp(&a_change)).then(a.cmp(&b))
    });
    let (names, all) = drawn(pairs, &order);
    let cells: Vec<Cell> = pairs
        .iter()
        .filter_map(|pair| {
            let place = |name: &str| names.iter().position(|own| *own == name);
            Some(Cell { a: place(&pair.a)?, b: place(&pair.b)?, before: pair.before, after: pair.after })
        })
        .collect();
    out.push_str(
        "<p>The larger a square, the more two columns go together (Cramér’s V, from 0 to 1, corrected for what chance adds \
         where columns have many values; how columns of many values were cut into ranges, and which were left out, stands \
         under <a href=\"#utility\">what the release is still good for</a>). Below the diagonal is the \
         original, above it the release: were nothing lost, both halves would mirror each other. What is published is compared by its \
         labels: coarser labels can go together more closely than the values behind them, and labels that were cut together do so by \
         themselves, so that more here need not mean more among people.</p>\n<figure>\n\
         <div class=\"scroll\" role=\"region\" aria-label=\"Every pair of columns, drawn\" tabindex=\"0\">\n",
    );
    let description = format!(
        "A square for each of {} pairs of {} columns, its area the strength before below the diagonal and after above it. \
         The table has those that changed most.",
        count(cells.len() as u64),
        count(names.len() as u64)
    );
    out.push_str(&matrix::draw("pairs-chart", "Columns that go together", &description, &names, &cells));
    put!(
        out,
        "\n</div>\n<figcaption>Below the diagonal: before. Above: after.{}</figcaption>\n</figure>\n",
        if names.len() < all {
            format!(
                " {} of {} columns are drawn, those in the pairs that changed most.",
                count(names.len() as u64),
                count(all as u64)
            )
        } else {
            String::new()
        }
    );
    if matrix::cuts(&names) {
        out.push_str("<ol class=\"numbered\">");
        for own in &names {
            put!(out, "<li>{}</li>", name(own));
        }
        out.push_str("</ol>\n");
    }
    table(pairs, &order, out);
}

/// The columns that are drawn, in the order in which the pairs name them, and how many there are.
fn drawn<'a>(pairs: &'a [PairUtility], order: &[usize]) -> (Vec<&'a str>, usize) {
    let mut all: Vec<&str> = Vec::new();
    let mut known = std::collections::HashSet::new();
    for column in pairs.iter().flat_map(|pair| [pair.a.as_str(), pair.b.as_str()]) {
        if known.insert(column) {
            all.push(column);
        }
    }
    let total = all.len();
    let mut kept = std::collections::HashSet::new();
    for column in
        order.iter().filter_map(|&i| pairs.get(i)).flat_map(|pair| [pair.a.as_str(), pair.b.as_str()])
    {
        if kept.len() < MOST_COLUMNS {
            kept.insert(column);
        }
    }
    all.retain(|column| kept.contains(column));
    (all, total)
}

fn table(pairs: &[PairUtility], order: &[usize], out: &mut String) {
    let caption = if pairs.len() > MOST_PAIRS {
        "The pairs that changed most"
    } else {
        "All pairs, the most changed first"
    };
    open_table(out, "pairs-table", "losses", caption);
    header(out, &["Column", "Column", "#Before", "#After", "#Change"]);
    for pair in order.iter().take(MOST_PAIRS).filter_map(|&i| pairs.get(i)) {
        let change = pair.after - pair.before;
        put!(
            out,
            "<tr><th scope=\"row\">{}</th><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td \
             class=\"number\">{}{}</td></tr>\n",
            name(&pair.a),
            name(&pair.b),
            decimals(pair.before),
            decimals(pair.after),
            if change.is_finite() && change >= 0.0005 { "+" } else { "" },
            decimals(change)
        );
    }
    close_table(out);
}

/// To three decimals: more would say nothing, and columns of them line up.
fn decimals(value: f64) -> String {
    if !value.is_finite() || value.abs() >= 1e3 {
        return number(value);
    }
    let text = format!("{:.3}", value.abs());
    if value < 0.0 && text != "0.000" { format!("−{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_columns_are_drawn_and_the_changed_ones_first() {
        let pair = |i: usize, j: usize| PairUtility {
            a: format!("c{i}"),
            b: format!("c{j}"),
            before: 0.5,
            after: if (i, j) == (200, 299) { 0.0 } else { 0.5 },
        };
        let pairs: Vec<PairUtility> = (0..300).flat_map(|i| (i + 1..300).map(move |j| pair(i, j))).collect();
        let place = pairs.iter().position(|p| p.after == 0.0).unwrap();
        let order: Vec<usize> = std::iter::once(place).chain(0..pairs.len()).collect();
        let (names, total) = drawn(&pairs, &order);
        assert_eq!((names.len(), total), (MOST_COLUMNS, 300));
        assert!(names.contains(&"c200") && names.contains(&"c299"));
    }
}
