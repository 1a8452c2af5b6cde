//! The risk-utility curve over the candidates that the search saw, and the most telling of them as a table.

use privet_release::Manifest;

use crate::draw::scatter::{self, front, is_empty, is_plain};
use crate::form::FormWords;
use crate::sections::{close_table, header, open_table};
use crate::text::{count, counted, escape, number, share};
use crate::{Assessment, CandidatePoint, Facts};

/// Rows of the table.
const MOST_ROWS: usize = 12;

/// The most telling candidates, or why there are none.
pub(super) fn write(manifest: &Manifest, _facts: &Facts, assessment: &Assessment, out: &mut String) {
    if assessment.candidates.is_empty() {
        not_drawn(manifest, out);
        return;
    }
    let (points, _) = with_records(assessment);
    match points.is_empty() {
        true => out.push_str("<p>No version that the search looked at would publish a single record.</p>\n"),
        false => table(&points, &front(&points), out),
    }
}

/// The candidates that publish a record, and how many do not. A version without a record breaks no promise and keeps none.
fn with_records(assessment: &Assessment) -> (Vec<CandidatePoint>, u64) {
    let (points, empty): (Vec<CandidatePoint>, Vec<CandidatePoint>) =
        assessment.candidates.iter().cloned().partition(|own| !is_empty(own));
    (points, empty.len() as u64)
}

/// Loss and risk of the candidates, where there are some; whether there are.
pub(super) fn picture(manifest: &Manifest, assessment: &Assessment, out: &mut String) -> bool {
    let (points, empty) = with_records(assessment);
    if points.is_empty() {
        return false;
    }
    let points = points.as_slice();
    let safe = points.iter().filter(|p| p.safe).count() as u64;
    let odd = points.iter().filter(|p| !is_plain(p)).count() as u64;
    let front = front(points);
    put!(
        out,
        "<p>Each mark is a version that the search looked at; it looked at {} in all. Versions that were ruled out before \
         all their records were counted are not drawn, and of thousands only some are. The further left a mark, the more detail it keeps; the further down, the less its records risk on average. Keeping the promises is a further condition: only filled marks do. The line \
         joins the safe versions that no other safe one beats in both. The loss of the published version is exact; those of \
         the others are estimates, in which suppressed records lose everything and the rest what records lose on \
         average.</p>\n\
         <ul class=\"legend\"><li><span class=\"key disc\" aria-hidden=\"true\"></span>all promises hold</li><li><span \
         class=\"key circle\" aria-hidden=\"true\"></span>a promise is broken</li><li><span class=\"key target\" \
         aria-hidden=\"true\"></span>published</li></ul>\n<figure>\n",
        count(manifest.search.nodes_checked.max(points.len() as u64 + empty))
    );
    let description = format!(
        "{}, {} of them safe; {} on the front. The table has the most telling ones.",
        counted(points.len() as u64, "candidate", "candidates"),
        count(safe),
        count(front.len() as u64)
    );
    out.push_str(&scatter::draw("curve-chart", "Loss and risk of the candidates", &description, points));
    put!(
        out,
        "\n<figcaption>{}, {} of them safe. Marks on one spot are drawn once.{}{}</figcaption>\n</figure>\n",
        counted(points.len() as u64, "candidate", "candidates"),
        count(safe),
        if odd > 0 {
            format!(" {} without a loss or a risk from 0 to 1 are not drawn.", count(odd))
        } else {
            String::new()
        },
        match empty {
            0 => String::new(),
            own =>
                format!(" {} publish no record and are not drawn.", counted(own, "more would", "more would")),
        }
    );
    true
}

/// Why there is no curve: no level of each column describes what the search went through, or it went through it elsewhere.
fn not_drawn(manifest: &Manifest, out: &mut String) {
    if manifest.search.p_safe.is_some() {
        out.push_str(
            "<p>Other versions are not drawn: the search was p-safe. Which of them are safe depends not only on themselves but on what \
             would have been published for other originals, and better ones may have been passed over.</p>\n",
        );
        return;
    }
    if manifest.search.lattice_nodes.is_some() {
        out.push_str(
            "<p>Which other versions could have been published is not recorded here. It is known only while a release is \
             made: the owner’s page that is made with the release, where <code>output.home</code> is set, has them.</p>\n",
        );
        return;
    }
    let kinds = quasi_kinds(manifest);
    let of_kinds = || match kinds.as_slice() {
        all if all.contains(&"cells") => "it replaced single cells",
        all if all
            .iter()
            .any(|own| own.starts_with("group-") || ["means", "medians", "modes"].contains(own)) =>
        {
            "it put records together in groups"
        }
        _ => "it cut each column into labels of mixed levels, or ranges",
    };
    let instead = FormWords::of(manifest.kind).instead.unwrap_or_else(of_kinds);
    put!(
        out,
        "<p>The versions that this search (<code>{}</code>) went through are not drawn. The curve compares versions that have \
         one level for each column, and this search chose none of these: {instead}. What it looked at on its way ({}) is not \
         recorded.</p>\n",
        escape(&manifest.search.algorithm),
        counted(manifest.search.nodes_checked, "step or candidate", "steps or candidates")
    );
}

/// What stands for labels in columns that have no level.
fn quasi_kinds(manifest: &Manifest) -> Vec<&str> {
    let nodes = manifest.data.columns.iter().filter_map(|own| own.recoding.as_ref()?.nodes.as_ref());
    nodes.map(|own| own.kind.as_str()).collect()
}

/// The published one, the front (thinned evenly), then unsafe ones with less loss: what safety costs.
fn rows(points: &[CandidatePoint], front: &[usize]) -> Vec<usize> {
    let chosen = points.iter().position(|p| p.chosen);
    let mut rows: Vec<usize> = chosen.into_iter().collect();
    let mut push = |i: usize| {
        if rows.len() < MOST_ROWS && !rows.contains(&i) {
            rows.push(i);
        }
    };
    let most = MOST_ROWS - 3;
    if front.len() <= most {
        front.iter().for_each(|&i| push(i));
    } else {
        // Evenly, both ends included.
        for step in 0..most {
            if let Some(&i) = front.get(step * (front.len() - 1) / (most - 1)) {
                push(i);
            }
        }
    }
    let mut others: Vec<usize> =
        (0..points.len()).filter(|&i| points.get(i).is_some_and(|p| !p.safe && is_plain(p))).collect();
    let loss = |i: usize| points.get(i).map_or(f64::INFINITY, |p| p.loss);
    let published = chosen.map_or(f64::INFINITY, loss);
    // The unsafe ones just below the published loss come first.
    others.retain(|&i| loss(i) <= published);
    others.sort_by(|&a, &b| loss(b).total_cmp(&loss(a)).then(a.cmp(&b)));
    others.into_iter().take(2).for_each(&mut push);
    rows.sort_by(|&a, &b| loss(a).total_cmp(&loss(b)).then(a.cmp(&b)));
    rows
}

fn table(points: &[CandidatePoint], front: &[usize], out: &mut String) {
    let rows = rows(points, front);
    if rows.is_empty() {
        return;
    }
    open_table(out, "curve-table", "sizes", "The most telling candidates, by loss");
    header(out, &["#Loss", "#Mean risk", "#Suppressed", "Promises", "What it is"]);
    for i in rows {
        let Some(point) = points.get(i) else { continue };
        let what = match (point.chosen, front.contains(&i)) {
            (true, true) => "published, on the front",
            (true, false) => "published",
            (false, true) => "on the front",
            (false, false) => "",
        };
        put!(
            out,
            "<tr{}><th scope=\"row\" class=\"number\">{}</th><td class=\"number\">{}</td><td class=\"number\">{}</td><td>\
             {}</td><td>{what}</td></tr>\n",
            if point.chosen { " class=\"strong\"" } else { "" },
            if point.chosen { number(point.loss) } else { format!("≈\u{a0}{}", number(point.loss)) },
            share(point.risk),
            share(point.suppressed),
            if point.safe { "✓ hold" } else { "✗ broken" }
        );
    }
    close_table(out);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_are_told_from_what_is_exact() {
        let point = |loss, chosen| CandidatePoint { loss, risk: 0.1, suppressed: 0.0, safe: true, chosen };
        let mut out = String::new();
        table(&[point(0.25, true), point(0.5, false)], &[0, 1], &mut out);
        assert!(out.contains(">0.25<") && out.contains(">≈\u{a0}0.5<"), "{out}");
    }

    /// Everything was suppressed: no version holds what it promises.
    #[test]
    fn versions_without_records_are_not_called_safe() {
        let point =
            |suppressed| CandidatePoint { loss: 1.0, risk: 0.0, suppressed, safe: true, chosen: false };
        assert!(front(&[point(1.0)]).is_empty() && front(&[point(0.5)]).len() == 1);
    }

    #[test]
    fn the_table_is_short_and_has_the_published_one() {
        let mut points: Vec<CandidatePoint> = (0..10_000)
            .map(|i| CandidatePoint {
                loss: f64::from(i) / 1e4,
                risk: 1.0 - f64::from(i) / 1e4,
                suppressed: 0.0,
                safe: i % 2 == 0,
                chosen: false,
            })
            .collect();
        points[5_000].chosen = true;
        let front = front(&points);
        assert_eq!(front.len(), 5_000);
        let rows = rows(&points, &front);
        assert_eq!(rows.len(), MOST_ROWS);
        assert!(rows.contains(&5_000) && rows.contains(&4_999) && rows.contains(&0) && rows.contains(&9_998));
        assert!(super::rows(&[], &[]).is_empty());
    }
}
