//! The page of a release of counts: what was promised and reached, table by table, and what it leaves open. That of its
//! owner is in `owner.rs`.

mod owner;
mod trees;

use privet_release::CountsManifest;
use privet_release::counts::{
    ChangeWay, ChangedCells, CountsColumn, CountsTable, Form, HiddenCells, Together,
};

use crate::asked::{Asked, Judgement};
use crate::facts::CountsFacts;
use crate::glossary::{self, WORDS};
use crate::grid;
use crate::page;
use crate::sections::attacks::Reader;
use crate::sections::files;
use crate::sections::{COARSENED, close_table, header, open_table, term};
use crate::text::{count, counted, escape, escape_lines, name, names};

pub(crate) use owner::html as owner_html;

type Body = fn(&CountsManifest, &CountsFacts, &mut String);

const SECTIONS: [(&str, &str, Body); 8] = [
    ("promises", "What was promised, and what was reached", promises),
    ("tables", "Tables", tables),
    ("recoding", COARSENED, trees::write),
    ("attacks", "Attacks, and who would fall", attacks),
    ("limits", "What is not promised", limits),
    ("files", "Files", files),
    ("check", "Check it yourself", check),
    ("words", WORDS, |manifest, facts, out| {
        glossary::write_of_counts(manifest, !facts.assessment.attacks.is_empty(), out);
    }),
];

/// The report of a release of counts as one HTML page.
#[must_use]
pub fn html(manifest: &CountsManifest, facts: &CountsFacts) -> String {
    let mut out = String::with_capacity(64 * 1024);
    let below = format!(
        "{} · made by {}",
        counted(manifest.tables.len() as u64, "table of counts", "tables of counts"),
        escape(&manifest.software)
    );
    page::open(&mut out, &manifest.software, "Report on published counts", &below);
    verdict(manifest, Reader::Anybody, &mut out);
    page::contents(&mut out, SECTIONS.iter().map(|&(id, title, _)| (id, title)));
    for (id, title, body) in SECTIONS {
        page::open_section(&mut out, id, title);
        body(manifest, facts, &mut out);
        out.push_str("</section>\n");
    }
    let foot = match facts.assessment.attacks.is_empty() {
        true => page::PUBLIC,
        false => page::PUBLIC_WITH_ATTACKS,
    };
    page::close(&mut out, &manifest.software, foot);
    out
}

fn smallest(table: &CountsTable) -> u64 {
    table.classes.as_ref().map_or(0, |classes| classes.smallest)
}

fn judgements(manifest: &CountsManifest) -> impl Iterator<Item = Judgement> + '_ {
    manifest.tables.iter().flat_map(|table| {
        table.promises.iter().map(|promise| Asked::of(promise).judge(promise.reached, smallest(table)))
    })
}

fn is_safe(together: &Together) -> bool {
    together.determined == 0 && together.smallest_proven.is_none_or(|records| records >= together.k)
}

/// What can be said of all promises together: a class, a sign, words.
fn judge(manifest: &CountsManifest) -> (&'static str, &'static str, &'static str) {
    let fails = judgements(manifest).any(|judgement| judgement == Judgement::Fails)
        || manifest.together.as_ref().is_some_and(|together| !is_safe(together));
    let open = judgements(manifest).any(|judgement| judgement == Judgement::Open);
    if !fails && manifest.tables.iter().any(|table| table.changed.is_some()) {
        return ("open", "?", "Counts were changed or drawn anew, and no formal privacy is promised");
    }
    match (fails, open) {
        (true, _) => ("fails", "✗", "A promise does not hold"),
        (false, true) => ("open", "?", "A promise cannot be judged from the manifest"),
        (false, false) => ("holds", "✓", "Every promise holds"),
    }
}

/// The same in words.
pub(crate) fn heading(manifest: &CountsManifest) -> &'static str {
    judge(manifest).2
}

fn verdict(manifest: &CountsManifest, reader: Reader, out: &mut String) {
    let (class, mark, heading) = judge(manifest);
    put!(
        out,
        "<section class=\"verdict {class}\" aria-labelledby=\"verdict\">\n<h2 id=\"verdict\"><span class=\"mark\" \
         aria-hidden=\"true\">{mark}</span> {heading}</h2>\n<ul class=\"lead\">\n"
    );
    if let Some(together) = &manifest.together {
        let (class, word) =
            if is_safe(together) { ("holds", "No") } else { ("fails", "<strong>Not so:</strong> no") };
        put!(
            out,
            "<li class=\"{class}\">{word} group of fewer than {} with the same identifying values is proven to exist by all \
             views together, and nobody’s sensitive value follows from them.</li>\n",
            counted(together.k, "record", "records")
        );
    }
    for table in &manifest.tables {
        if let Some(hidden) = &table.suppression {
            put!(
                out,
                "<li class=\"holds\">In {} no count from 1 to {} is published, and none can be computed from the others.</li>\n",
                name(&table.file),
                count(hidden.threshold.saturating_sub(1))
            );
        } else if let Some(changed) = &table.changed {
            put!(
                out,
                "<li class=\"open\">In {} counts were changed, and only totals over {} are true. No formal privacy is \
                 promised.</li>\n",
                name(&table.file),
                margins(changed)
            );
        } else {
            put!(
                out,
                "<li class=\"holds\">In {} at least {} look alike in {}.</li>\n",
                name(&table.file),
                counted(smallest(table), "record", "records"),
                names(quasi(table).collect::<Vec<_>>().into_iter(), 12)
            );
        }
    }
    out.push_str("</ul>\n<dl class=\"figures\">\n");
    term(out, "Records counted", &count(manifest.data.records));
    term(
        out,
        "Published cells",
        &count(manifest.tables.iter().map(|table| table.cells - hidden(table)).sum()),
    );
    if manifest.together.is_none() {
        term(out, "Hidden cells", &count(manifest.tables.iter().map(hidden).sum()));
    }
    out.push_str("</dl>\n");
    if reader == Reader::Anybody {
        out.push_str(
            "<p class=\"aside\">This page repeats what <code>manifest.json</code> says. Anyone can check it again from the \
             published files alone: <a href=\"#check\">check it yourself</a>.</p>\n",
        );
    }
    out.push_str("</section>\n");
}

/// The sets of columns whose totals were kept.
fn margins(changed: &ChangedCells) -> String {
    let own: Vec<String> =
        changed.margins.iter().map(|margin| names(margin.iter().map(String::as_str), 12)).collect();
    match own.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and over {last}", rest.join(", over ")),
        _ => own.concat(),
    }
}

fn hidden(table: &CountsTable) -> u64 {
    table.suppression.as_ref().map_or(0, |suppression| suppression.hidden.min(table.cells))
}

fn quasi(table: &CountsTable) -> impl Iterator<Item = &str> {
    table.columns.iter().filter(|column| column.role == "quasi").map(|column| column.name.as_str())
}

fn promises(manifest: &CountsManifest, _facts: &CountsFacts, out: &mut String) {
    let Some(together) = &manifest.together else {
        out.push_str("<p>Of every table with totals:</p>\n<ul>\n");
        for table in &manifest.tables {
            if let Some(HiddenCells { threshold, lower, upper, .. }) = &table.suppression {
                put!(
                    out,
                    "<li>{}: counts above 0 and below {} are hidden, and further counts with them. For every hidden small \
                     count, what is published also fits tables in which it is lower by {} (or 0), and tables in which it is \
                     higher by {}.</li>\n",
                    name(&table.file),
                    count(*threshold),
                    count(*lower),
                    count(*upper)
                );
            }
            if let Some(own) = &table.changed {
                let how = match &own.way {
                    ChangeWay::Adjust { lower, upper, least, largest } => format!(
                        "every count above 0 and below {} fell by at least {} (or to 0) or rose by at least {}, and {} as little \
                         as {}",
                        count(own.threshold),
                        count(*lower),
                        count(*upper),
                        if *largest { "the count that changed most did so" } else { "other counts changed" },
                        if *least { "possible" } else { "was found possible" }
                    ),
                    ChangeWay::Resample { target, steps } => format!(
                        "the table was drawn from all that have these totals, by {} steps of a random walk that tends to the \
                         {} law",
                        count(*steps),
                        escape(target)
                    ),
                };
                put!(
                    out,
                    "<li>{}: totals over {} are the true ones, and none of them is above 0 and below {}; {how}. All other totals \
                     are the sums of what is published.</li>\n",
                    name(&table.file),
                    margins(own),
                    count(own.threshold)
                );
            }
        }
        out.push_str("</ul>\n");
        return;
    };
    out.push_str("<p>Each view is judged by the class that comes closest to breaking a promise.</p>\n");
    open_table(out, "promises-table", "promises", "Promises");
    header(out, &["Promise", "Result", "View", "#Required", "#Reached"]);
    for table in &manifest.tables {
        for (place, promise) in table.promises.iter().enumerate() {
            let is_own = table.own_promises.contains(&place);
            let asked = Asked::of(promise);
            let (class, result) = match asked.judge(promise.reached, smallest(table)) {
                _ if manifest.data.records == 0 => ("open", "– no record"),
                Judgement::Holds => ("holds", "✓ holds"),
                Judgement::Fails => ("fails", "✗ does not hold"),
                Judgement::Open => ("open", "? not judged"),
            };
            put!(
                out,
                "<tr><th scope=\"row\">{}<small>{}</small></th><td class=\"result {class}\">{result}</td><td>{}{}</td>\
                 <td class=\"number\">{}</td><td class=\"number\">{}</td></tr>\n",
                escape(asked.model),
                escape(&promise.statement),
                name(&table.file),
                if is_own { "<small>a promise of this view alone</small>" } else { "" },
                escape(&asked.required).replace(", ", ",<br>"),
                escape(&asked.reached(promise.reached))
            );
        }
    }
    close_table(out);
    if manifest.tables.iter().any(|table| !table.own_promises.is_empty()) {
        out.push_str(
            "<p>Some views promise more, less or something else than the others: a promise of a view alone stands there in \
             place of the one about the same column that is made of all.</p>\n",
        );
    }
    let by = match (together.cells_by.as_str(), together.groups_by.as_str()) {
        ("closed", "closed") => "in closed form (Fréchet bounds of decomposable views)",
        _ => "by linear programs",
    };
    let proven = match together.smallest_proven {
        Some(records) => format!(
            "The smallest group with the same identifying values that is proven to exist has at most {}",
            counted(records, "record", "records")
        ),
        None => "No group with the same identifying values is proven to exist".to_owned(),
    };
    put!(
        out,
        "<h3>All views together</h3>\n<p>Views that are safe one by one can tell more together. So for each of the {} that no \
         view excludes, the least and the most records that it can have were computed {by}. {proven}; {} asked for. For no \
         combination of identifying values is one sensitive value alone possible.</p>\n",
        counted(together.joint_cells, "combination of values", "combinations of values"),
        if together.k == 1 { "1 is".to_owned() } else { format!("{} are", count(together.k)) }
    );
}

fn tables(manifest: &CountsManifest, facts: &CountsFacts, out: &mut String) {
    for (number, table) in manifest.tables.iter().enumerate() {
        put!(out, "<h3>{}</h3>\n", name(&table.file));
        let cells = counted(table.cells, "cell", "cells");
        match (&table.suppression, table.form) {
            (Some(suppression), _) => put!(
                out,
                "<p>{cells}, totals included; {} hidden. A hidden count is empty.</p>\n",
                counted(suppression.hidden, "cell is", "cells are")
            ),
            (None, Form::Microdata) => {
                put!(out, "<p>{cells}, each written as often as it occurs, equal ones together.</p>\n");
            }
            (None, _) => match &table.changed {
                // That any one of them differs from the truth is the publisher's word, and how many do is not told.
                Some(changed) => put!(
                    out,
                    "<p>{cells}, totals included; none is hidden. The totals over {} are the true ones; any other count may \
                     have been changed, and which were is not told.</p>\n",
                    margins(changed)
                ),
                None => put!(out, "<p>{cells}, each with its count.</p>\n"),
            },
        }
        let id = format!("columns-{}", number + 1);
        open_table(out, &id, "columns", &format!("Columns of {}", name(&table.file)));
        header(out, &["Column", "Role", "#Labels", "Published"]);
        for column in &table.columns {
            put!(
                out,
                "<tr><th scope=\"row\">{}</th><td>{}</td><td class=\"number\">{}</td><td>{}</td></tr>\n",
                name(&column.name),
                if column.role == "quasi" { "identifying".to_owned() } else { escape(&column.role) },
                count(column.labels),
                form(column)
            );
        }
        close_table(out);
        for drawing in facts.grids.iter().filter(|grid| grid.table == number) {
            let id = format!("grid-{}", number + 1);
            out.push_str("<figure>\n");
            out.push_str(&grid::draw(&id, grid::title(drawing), &grid::described(drawing), drawing));
            let is_hidden = drawing.counts.iter().any(Option::is_none);
            put!(
                out,
                "\n<figcaption><ul class=\"legend\"><li><span class=\"key solid\" aria-hidden=\"true\"></span>published, \
                 darker for more records</li>{}<li><span class=\"key\" aria-hidden=\"true\"></span>totals</li></ul>\
                 </figcaption>\n</figure>\n",
                match is_hidden {
                    true => "<li><span class=\"key hatched\" aria-hidden=\"true\"></span>hidden</li>",
                    false => "",
                }
            );
        }
    }
    let removed = &manifest.data.removed_columns;
    if removed.is_empty() {
        out.push_str("<p>Every column of the input is in a table.</p>\n");
    } else {
        put!(out, "<p>In no table: {}.</p>\n", names(removed.iter().map(String::as_str), 24));
    }
}

fn form(column: &CountsColumn) -> String {
    match (column.level, column.height) {
        (Some(level @ 1..), Some(height)) => {
            format!("coarsened to level {} of {}", count(level as u64), count(height as u64))
        }
        _ => "unchanged".to_owned(),
    }
}

fn limits(manifest: &CountsManifest, _facts: &CountsFacts, out: &mut String) {
    out.push_str("<ul>\n");
    if manifest.together.is_some() {
        out.push_str(
            "<li>Promises about sensitive values hold in each view. Of all views together it is promised that no value \
             follows with certainty, not that none becomes more likely.</li>\n<li>Of somebody who is known to be in the \
             table, a combination that nobody is proven to have may still be the right one.</li>\n",
        );
    } else {
        out.push_str(
            "<li>Small counts are protected, not values: where all records of a group share one value, that value is told \
             for all of them.</li>\n<li>Whoever knows some of the records that are counted, or how the cells to hide or to \
             change were chosen, may know more than what the published counts tell.</li>\n",
        );
        if manifest.tables.iter().any(|table| hidden(table) > 0) {
            out.push_str("<li>A hidden cell is not always a small one; which ones are is not told.</li>\n");
        }
        if manifest.tables.iter().any(|table| table.changed.is_some()) {
            out.push_str(
                "<li>Changed counts are protected by not being the true ones; those that were drawn anew may be, by chance. Who knows how \
                 they were changed, and totals that few tables fit, may reason back; statistics over changed counts are off by what \
                 was moved.</li>\n",
            );
        }
    }
    out.push_str(
        "<li>Which columns identify a person is a judgement of the publisher.</li>\n<li>The promises are about this release \
         by itself. Another release about the same people, from here or from elsewhere, can be combined with it.</li>\n</ul>\n",
    );
}

/// What is computed from the published tables alone.
fn attacks(_manifest: &CountsManifest, facts: &CountsFacts, out: &mut String) {
    crate::owner::attacks::all(&facts.assessment.attacks, Reader::Anybody, &facts.assessment, out);
}

fn files(manifest: &CountsManifest, _facts: &CountsFacts, out: &mut String) {
    if !manifest.files.is_empty() {
        files::table(&manifest.files, out);
    }
    put!(
        out,
        "<p>Tables are written as {}. <code>report.json</code> holds the facts of this page for programs. \
         Sizes and fingerprints of all files stand in <code>manifest.json</code>.</p>\n",
        escape(&manifest.data.format)
    );
}

fn check(manifest: &CountsManifest, facts: &CountsFacts, out: &mut String) {
    out.push_str(
        "<h3>Verify</h3>\n<p>This re-checks every fingerprint, every promise, that tables agree and add up, and what they \
         tell together, from the files of the release alone. Put the name of the release’s folder for \
         <code>FOLDER</code>.</p>\n<pre><code>privet verify FOLDER</code></pre>\n<h3>Reproduce</h3>\n",
    );
    if facts.reproduce.is_empty() {
        out.push_str("<p>The commands that made this release were not recorded.</p>\n");
        return;
    }
    // Counts that were drawn without a seed that somebody keeps are drawn anew.
    let again = match manifest.randomness.as_str() {
        "none" | "fixed-seed" => "gets the release again",
        _ => "makes another release with the same promises",
    };
    put!(
        out,
        "<p>Whoever holds the original data and the job file {again} with these commands and {}.</p>\n<pre>\
         <code>{}</code></pre>\n<p>{}</p>\n",
        escape(&manifest.software),
        escape_lines(&facts.reproduce.join("\n")),
        match manifest.randomness.as_str() {
            "none" => "Nothing is random here: the same input gives the same files, byte for byte.",
            "fixed-seed" =>
                "Counts were drawn from a fixed seed: with it, the same input gives the same files.",
            _ => "Counts were drawn by chance: another run draws others with the same totals.",
        }
    );
}
