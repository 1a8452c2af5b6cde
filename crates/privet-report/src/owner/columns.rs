//! Every column before and after, as small drawings of one size. Values are not named.

use privet_release::Manifest;

use crate::draw::distribution::{Distribution, shown};
use crate::sections::{close_table, header, open_table};
use crate::text::{count, escape, name, plain_name, sentence, value};
use crate::{Assessment, ColumnUtility, Facts, svg};

/// Columns drawn; of more, those that changed most.
const MOST_DRAWN: usize = 36;
/// Figures below a drawing.
const MOST_FIGURES: usize = 8;

/// What bars are where records are published.
const OF_RECORDS: &str = "what a reader of the release would estimate";

/// Of records that were changed by chance: bars are counted in the release as it stands. `has_law` where the law of that
/// chance is published, by which more can be estimated.
pub(super) fn as_published(assessment: &Assessment, has_law: bool, out: &mut String) {
    let bars = match has_law {
        true => {
            "the release as published. Where the law of its noise lets somebody estimate what was before, figures called \
             reconstructed tell how near that comes"
        }
        false => "the release as published",
    };
    all(assessment, bars, out);
}

fn all(assessment: &Assessment, bars: &str, out: &mut String) {
    if drawings(assessment, bars, MOST_DRAWN, out) {
        let (columns, far, order) = farthest_first(assessment);
        table(columns, &far, &order, out);
    } else {
        out.push_str("<p>Columns were not compared.</p>\n");
    }
}

/// How far each column is off.
pub(super) fn distances(_: &Manifest, _: &Facts, assessment: &Assessment, out: &mut String) {
    let (columns, far, order) = farthest_first(assessment);
    match columns.is_empty() {
        true => out.push_str("<p>Columns were not compared.</p>\n"),
        false => table(columns, &far, &order, out),
    }
}

/// The columns before and after, where they were compared; whether they were.
pub(super) fn picture(assessment: &Assessment, out: &mut String) -> bool {
    drawings(assessment, OF_RECORDS, MOST_DRAWN, out)
}

/// All columns, how far each is off, and their order: the farthest first.
fn farthest_first(assessment: &Assessment) -> (&[ColumnUtility], Vec<Option<f64>>, Vec<usize>) {
    let columns = assessment.utility.as_ref().map_or(&[][..], |utility| &utility.columns);
    let far: Vec<Option<f64>> = columns.iter().map(ColumnUtility::total_variation).collect();
    let mut order: Vec<usize> = (0..columns.len()).collect();
    order.sort_by(|&a, &b| distance(&far, b).total_cmp(&distance(&far, a)).then(a.cmp(&b)));
    (columns, far, order)
}

/// At most so many columns as small drawings; whether there is one.
fn drawings(assessment: &Assessment, bars: &str, most: usize, out: &mut String) -> bool {
    let (columns, far, order) = farthest_first(assessment);
    if columns.is_empty() {
        return false;
    }
    put!(
        out,
        "<p>The line is the original; the bars are {bars}. Columns of numbers and dates stand in their order, others by \
         how frequent a value was before. Values are not named.</p>\n\
         <ul class=\"legend\"><li><span class=\"key line\" aria-hidden=\"true\"></span>before</li><li><span class=\"key \
         hatched\" aria-hidden=\"true\"></span>after</li></ul>\n",
    );
    let mut drawn: Vec<usize> = order.iter().copied().take(most).collect();
    if drawn.len() < columns.len() {
        put!(
            out,
            "<p class=\"aside\">The {} columns that changed most are drawn; the table has all {}.</p>\n",
            count(drawn.len() as u64),
            count(columns.len() as u64)
        );
    }
    drawn.sort_unstable();
    out.push_str("<div class=\"multiples\">\n");
    for i in drawn {
        if let (Some(column), Some(&far)) = (columns.get(i), far.get(i)) {
            one(i, column, far, out);
        }
    }
    out.push_str("</div>\n");
    true
}

/// How far a column is off, for sorting; what is not known comes first.
fn distance(far: &[Option<f64>], i: usize) -> f64 {
    far.get(i).copied().flatten().unwrap_or(f64::INFINITY)
}

fn role(word: &str) -> String {
    if word == "quasi" { "identifying".to_owned() } else { plain_name(word) }
}

fn one(i: usize, column: &ColumnUtility, far: Option<f64>, out: &mut String) {
    let distribution = Distribution::new(column);
    put!(out, "<figure>\n<figcaption><b>{}</b> {}</figcaption>\n", name(&column.name), role(&column.role));
    let title = format!("{} before and after", plain_name(&column.name));
    out.push_str(&distribution.draw(&format!("distribution-{i}"), &title));
    put!(
        out,
        "\n<dl class=\"notes\"><div><dt>Total variation distance</dt><dd>{}</dd></div>",
        far.map_or("not known".to_owned(), shown)
    );
    // The drawing's own distance is told once.
    let figures = column.figures.iter().filter(|figure| figure.key != "total-variation");
    for figure in figures.take(MOST_FIGURES) {
        put!(
            out,
            "<div title=\"{}\"><dt>{}</dt><dd>{}</dd></div>",
            // An attribute holds no mark-up, so backticks stay what they are.
            escape(&figure.says),
            name(&figure.name),
            value(figure.value, figure.is_share)
        );
    }
    out.push_str("</dl>\n");
    if let Some(note) = distribution.note() {
        put!(out, "<p class=\"aside\">{note}</p>\n");
    }
    out.push_str("</figure>\n");
}

fn table(columns: &[ColumnUtility], far: &[Option<f64>], order: &[usize], out: &mut String) {
    open_table(out, "distances-table", "losses", "How far each column is off, the farthest first");
    header(
        out,
        &["Column", "Role", "#Total variation distance", "<span class=\"hidden\">Bar from 0 to 1</span>"],
    );
    for &i in order {
        let (Some(column), Some(far)) = (columns.get(i), far.get(i)) else { continue };
        put!(
            out,
            "<tr><th scope=\"row\">{}</th><td>{}</td><td class=\"number\">{}</td><td class=\"draw\">{}</td></tr>\n",
            name(&column.name),
            role(&column.role),
            far.map_or("not known".to_owned(), shown),
            svg::bar(far.unwrap_or(0.0))
        );
    }
    close_table(out);
    explain(columns, out);
}

/// What the figures below the drawings say, each once.
fn explain(columns: &[ColumnUtility], out: &mut String) {
    let mut said: Vec<(&str, &str)> = Vec::new();
    for figure in columns.iter().flat_map(|column| &column.figures).filter(|f| f.key != "total-variation") {
        let told = (figure.name.as_str(), figure.says.as_str());
        if said.len() < 40 && !figure.says.is_empty() && !said.iter().any(|one| one.0 == told.0) {
            said.push(told);
        }
    }
    if said.is_empty() {
        return;
    }
    out.push_str("<h3>What the figures of a column say</h3>\n<dl class=\"terms\">\n");
    for (figure, says) in said {
        crate::sections::term(out, &name(figure), &sentence(says));
    }
    out.push_str("</dl>\n");
}
