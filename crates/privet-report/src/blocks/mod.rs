//! A page of blocks, rendered: as HTML in the style of all reports, as JSON, and as text for a terminal.
//!
//! Every text of a block passes through the escaping of this crate, so names and labels are treated as hostile here too.

mod chart;
mod drawing;
mod terminal;

use privet_kind::page::{Cell, Level, Table};
use privet_kind::{Block, Note, Page, PageSection};

use crate::page;
use crate::text::{count, escape, number, share};

pub use terminal::text as page_text;

/// A page as one self-contained HTML file.
#[must_use]
pub fn page_html(page: &Page) -> String {
    let software = privet_release::software();
    let mut out = String::with_capacity(32 * 1024);
    page::open(&mut out, &software, &page.title, &escape(&page.subtitle));
    verdict(page, &mut out);
    out.push_str("<nav aria-label=\"Contents\">\n<ol>\n");
    for section in &page.sections {
        put!(out, "<li><a href=\"#{}\">{}</a></li>\n", section.id, escape(&section.title));
    }
    out.push_str("</ol>\n</nav>\n");
    for section in &page.sections {
        write_section(section, &mut out);
    }
    let foot = match page.is_for_owner {
        true => "for the owner of the original alone: it compares with the original.",
        false => page::PUBLIC,
    };
    page::close(&mut out, &software, foot);
    out
}

/// A page as JSON: the same blocks, with all their numbers.
#[must_use]
pub fn page_json(page: &Page) -> serde_json::Value {
    // Blocks hold texts, numbers and lists, all of which JSON has.
    serde_json::to_value(page).unwrap_or(serde_json::Value::Null)
}

fn verdict(page: &Page, out: &mut String) {
    if page.is_for_owner {
        out.push_str("<p class=\"banner\">For the owner of the original only. Do not publish.</p>\n");
    }
    let (class, mark) = match page.verdict.level {
        Level::Good => ("holds", "✓"),
        Level::Warning => ("warned", "!"),
        Level::Bad => ("fails", "✗"),
    };
    put!(
        out,
        "<section class=\"verdict {class}\" aria-labelledby=\"verdict\">\n<h2 id=\"verdict\"><span class=\"mark\" \
         aria-hidden=\"true\">{mark}</span> {}</h2>\n",
        escape(&page.verdict.text)
    );
    if !page.verdict.points.is_empty() {
        out.push_str("<ul class=\"lead\">\n");
        for point in &page.verdict.points {
            put!(out, "<li>{}</li>\n", escape(point));
        }
        out.push_str("</ul>\n");
    }
    out.push_str("</section>\n");
}

fn write_section(section: &PageSection, out: &mut String) {
    let title = escape(&section.title);
    page::open_section(out, section.id, &title);
    if section.folded {
        put!(out, "<details><summary>Show {}</summary>\n", title.to_lowercase());
    }
    for (number, block) in section.blocks.iter().enumerate() {
        write_block(block, &format!("{}-{number}", section.id), out);
    }
    if section.folded {
        out.push_str("</details>\n");
    }
    out.push_str("</section>\n");
}

fn write_block(block: &Block, id: &str, out: &mut String) {
    match block {
        Block::Text { text } => put!(out, "<p>{}</p>\n", escape(text)),
        Block::List { items } => {
            out.push_str("<ul>\n");
            items.iter().for_each(|item| put!(out, "<li>{}</li>\n", escape(item)));
            out.push_str("</ul>\n");
        }
        Block::Remark { note: Note { text, .. } } => put!(out, "<p class=\"aside\">{}</p>\n", escape(text)),
        Block::Table(own) => table(own, out),
        Block::Chart(own) => chart::write(own, id, out),
        Block::Drawing(own) => drawing::write(own, id, out),
        // A block that this version does not draw is in the JSON all the same.
        _ => {}
    }
}

fn table(table: &Table, out: &mut String) {
    let is_number = |at: usize| {
        table.rows.iter().all(|row| !matches!(row.get(at), Some(Cell::Text(text)) if !text.is_empty()))
    };
    let numbers: Vec<bool> = (0..table.columns.len()).map(is_number).collect();
    let class = |at: usize| if numbers.get(at) == Some(&true) { " class=\"number\"" } else { "" };
    let label = escape(&table.caption);
    put!(
        out,
        "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{label}\"><table>\n<caption>{label}</caption>\n<thead><tr>"
    );
    for (at, column) in table.columns.iter().enumerate() {
        put!(out, "<th scope=\"col\"{}>{}</th>", class(at), escape(column));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in &table.rows {
        out.push_str("<tr>");
        for (at, cell) in row.iter().enumerate() {
            let text = escape(&written(cell));
            match at {
                0 => put!(out, "<th scope=\"row\"{}>{text}</th>", class(at)),
                _ => put!(out, "<td{}>{text}</td>", class(at)),
            }
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div>\n");
}

/// A cell as people read it.
fn written(cell: &Cell) -> String {
    match cell {
        Cell::Text(text) => text.clone(),
        Cell::Count(n) => count(*n),
        Cell::Number(value) if value.is_nan() => "not known".to_owned(),
        Cell::Number(value) => number(*value),
        Cell::Share { share: own } if own.is_nan() => "not known".to_owned(),
        Cell::Share { share: own } => share(*own),
    }
}

#[cfg(test)]
mod tests {
    use privet_kind::page::{Axis, Chart, Drawing, Series, Shape, Style, Tone, Verdict};

    use super::*;

    fn page() -> Page {
        let points = vec![(1.0, 0.2), (2.0, f64::NAN), (3.0, 0.9)];
        let series = vec![Series { name: "<before>".into(), points }];
        let blocks = vec![
            Block::text("5 < 6 & \"so on\""),
            Block::List { items: vec!["<i>".into()] },
            Block::Table(Table {
                caption: "Counts".into(),
                columns: vec!["who".into(), "how many".into()],
                rows: vec![
                    vec![Cell::from("<b>"), Cell::Count(1234)],
                    vec![Cell::from("c"), Cell::Share { share: f64::NAN }],
                ],
            }),
            Block::Chart(Chart {
                caption: "Curve".into(),
                x: Axis::linear("known"),
                y: Axis::share("found"),
                style: Style::Lines,
                series,
            }),
            Block::Drawing(Drawing {
                caption: "Nodes".into(),
                description: "two nodes".into(),
                width: 10.0,
                height: 10.0,
                shapes: vec![Shape::Circle { centre: (5.0, 5.0), radius: f64::INFINITY, tone: Tone::Plain }],
            }),
        ];
        Page {
            title: "A <release>".into(),
            subtitle: "of nothing".into(),
            is_for_owner: false,
            verdict: Verdict { level: Level::Warning, text: "Look".into(), points: vec!["<u>".into()] },
            sections: vec![PageSection::new("all", "All", blocks).folded()],
        }
    }

    #[test]
    fn hostile_texts_and_numbers_stay_in_their_places() {
        let html = page_html(&page());
        for hostile in ["<release>", "<b>", "<i>", "<u>", "<before>", "NaN", "inf\""] {
            assert!(!html.contains(hostile), "{hostile}");
        }
        assert!(html.contains("1,234") || html.contains("1\u{202f}234") || html.contains("1\u{a0}234"));
        assert!(html.contains("<details>") && html.contains("not known"));
    }

    #[test]
    fn all_renderings_tell_the_same() {
        let (json, text) = (page_json(&page()), page_text(&page()));
        assert_eq!(json["sections"][0]["blocks"][0]["text"], "5 < 6 & \"so on\"");
        // What is folded is for pages, not for terminals.
        assert!(text.contains("Look") && !text.contains("5 < 6"));
        assert!(!page_html(&Page { is_for_owner: true, ..page() }).contains(page::PUBLIC));
    }
}
