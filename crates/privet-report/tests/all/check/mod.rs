//! A small judge of pages: tags balance, ids are unique and references lead somewhere, headings come
//! in order, nothing is loaded from outside; drawings and tables can be read without eyes and on a phone.

use std::collections::HashSet;

const VOID: [&str; 3] = ["meta", "br", "wbr"];

/// Panics, saying what is wrong, unless the page is well formed and self-contained.
pub fn assert_well_formed(page: &str) {
    let mut open: Vec<String> = Vec::new();
    let mut containers: Vec<String> = Vec::new();
    let mut ids = HashSet::new();
    let mut references = Vec::new();
    let mut heading = 0;
    let body = page.strip_prefix("<!DOCTYPE html>").expect("doctype");
    assert!(body.contains("<html lang=\"en\">") && body.contains("name=\"viewport\""), "language and width");
    assert!(body.contains("<a class=\"skip\" href=\"#main\">"), "the keyboard can skip what comes first");
    let mut rest = body;
    while let Some(start) = rest.find('<') {
        let text = &rest[..start];
        assert!(open.last().is_some_and(|t| t == "style") || !text.contains('>'), "a stray >: {text}");
        rest = &rest[start + 1..];
        let end = end_of_tag(rest);
        let tag = &rest[..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name), "closing tag");
            containers.pop();
            continue;
        }
        let (name, attributes) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
        let name = name.trim_end_matches('/');
        assert!(name.chars().all(|c| c.is_ascii_alphanumeric()) && !name.is_empty(), "odd tag <{tag}>");
        assert!(
            !["script", "img", "iframe", "link", "object", "embed", "base", "form"].contains(&name),
            "<{tag}>"
        );
        for (key, value) in attributes_of(attributes) {
            assert!(!key.starts_with("on") && key != "src" && key != "style", "attribute {key} in <{tag}>");
            match key.as_str() {
                "id" => assert!(ids.insert(value.clone()), "id {value} twice"),
                "href" => {
                    references.push(value.strip_prefix('#').expect("only links within the page").to_owned());
                }
                "aria-labelledby" => references.extend(value.split(' ').map(str::to_owned)),
                _ => {}
            }
        }
        if let Some(level) = name.strip_prefix('h').and_then(|l| l.parse::<u32>().ok()) {
            assert!(level <= heading + 1, "heading {level} after {heading}");
            heading = level;
        }
        if name == "svg" {
            assert!(
                attributes.contains("role=\"img\"") || attributes.contains("aria-hidden=\"true\""),
                "<{tag}>"
            );
            let is_named = rest.starts_with("<title id=") && rest.contains("</title><desc id=");
            assert!(
                attributes.contains("aria-hidden=\"true\"") || is_named,
                "a drawing without a title: <{tag}>"
            );
            // Drawings shrink with the page: a width in per cent, or a box that the style fits.
            let is_fixed = attributes_of(attributes)
                .iter()
                .any(|(key, value)| key == "width" && value.parse::<f64>().is_ok_and(|width| width > 350.0));
            assert!(!is_fixed || attributes.contains("viewBox"), "wider than a phone: <{tag}>");
        }
        if attributes.contains("tabindex=\"0\"") {
            assert!(attributes.contains("aria-label"), "a stop of the keyboard without a name: <{tag}>");
        }
        if name == "table" {
            // What may be wide scrolls by itself; lists of labels break their words instead.
            let scrolls = containers.iter().any(|class| class.contains("scroll"));
            assert!(
                scrolls || attributes.contains("class=\"labels\""),
                "a table that a phone cannot show: <{tag}>"
            );
            assert!(
                rest.trim_start().starts_with("<caption"),
                "a table without a caption: {}",
                &rest[..60.min(rest.len())]
            );
        }
        if ["svg", "rect", "line", "circle", "path", "text"].contains(&name) {
            assert!(!attributes.contains("NaN") && !attributes.contains("inf"), "<{tag}>");
        }
        if name == "th" {
            assert!(attributes.contains("scope="), "<{tag}>");
            assert!(!rest.starts_with("</th>"), "a heading without words: <{tag}>");
        }
        if !attributes.ends_with('/') && !tag.ends_with('/') && !VOID.contains(&name) {
            open.push(name.to_owned());
            containers.push(attributes.to_owned());
        }
    }
    assert!(open.is_empty(), "left open: {open:?}");
    // Who goes from region to region by ear hears what each of them is.
    let sections: Vec<&str> = page.split("<h2 id=").skip(1).filter_map(|rest| inner(rest, "</h2>")).collect();
    for region in page.split("<caption id=").skip(1).filter_map(|rest| inner(rest, "</caption>")) {
        assert!(!sections.contains(&region), "a table is called as its section: {region}");
    }
    for region in page.split("aria-label=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
        assert!(!sections.contains(&region), "a region is called as its section: {region}");
    }
    for reference in references {
        assert!(ids.contains(&reference), "nothing has the id {reference}");
    }
    for outside in ["http://", "https://", "@import", "url(\"", "url('", "url(//", "url(d"] {
        // Names of the user's may hold such text; the style and the attributes may not.
        assert!(!style(page).contains(outside), "{outside}");
    }
    assert_eq!(style(page).matches("url(").count(), style(page).matches("url(#hatch)").count());
}

/// What stands between the end of a tag and the closing one.
fn inner<'a>(rest: &'a str, closing: &str) -> Option<&'a str> {
    rest.split_once('>')?.1.split(closing).next()
}

fn style(page: &str) -> &str {
    let from = page.find("<style>").expect("style");
    &page[from..page.find("</style>").expect("end of style")]
}

fn end_of_tag(rest: &str) -> usize {
    let mut quoted = false;
    for (i, c) in rest.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '>' if !quoted => return i,
            '<' => panic!("a < inside a tag: {}", &rest[..i]),
            _ => {}
        }
    }
    panic!("a tag without end")
}

fn attributes_of(mut text: &str) -> Vec<(String, String)> {
    let mut all = Vec::new();
    loop {
        text = text.trim_start().trim_end_matches('/');
        if text.is_empty() {
            return all;
        }
        let (key, after) = text.split_once("=\"").expect("attributes are quoted");
        let (value, after) = after.split_once('"').expect("attributes end");
        assert!(key.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'), "attribute {key}");
        assert!(!all.iter().any(|(k, _)| k == key), "attribute {key} twice");
        all.push((key.to_owned(), value.to_owned()));
        text = after;
    }
}
