//! What can be read off the style: contrast on every ground, visible focus, nothing that makes a page wider than a phone.

use std::collections::HashMap;

const STYLE: &str = include_str!("../../src/page.css");

/// The colours that a block of `:root` declares.
fn colours(block: &str) -> HashMap<String, [f64; 3]> {
    let declared =
        block.split([';', '{', '}']).filter_map(|line| line.trim().strip_prefix("--")?.split_once(':'));
    let parsed = declared.filter_map(|(name, value)| {
        let hex = value.trim().strip_prefix('#')?;
        let wide: String =
            if hex.len() == 3 { hex.chars().flat_map(|c| [c, c]).collect() } else { hex.to_owned() };
        let part = |at: usize| f64::from(u8::from_str_radix(&wide[at..at + 2], 16).unwrap()) / 255.0;
        Some((name.trim().to_owned(), [part(0), part(2), part(4)]))
    });
    parsed.collect()
}

/// The contrast ratio of WCAG 2.2.
fn contrast(a: [f64; 3], b: [f64; 3]) -> f64 {
    let linear = |c: f64| if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) };
    let luminance = |c: [f64; 3]| 0.2126 * linear(c[0]) + 0.7152 * linear(c[1]) + 0.0722 * linear(c[2]);
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[test]
fn contrast_by_definition() {
    assert!((contrast([0.0; 3], [1.0; 3]) - 21.0).abs() < 1e-9);
    // #767676 on white is the lightest grey that passes: 4.54.
    assert!((contrast([118.0 / 255.0; 3], [1.0; 3]) - 4.54).abs() < 0.01);
}

/// WCAG AA: 4.5 for every colour that text has, on both grounds, by day, by night and on paper.
#[test]
fn text_can_be_read_on_every_ground() {
    let blocks: Vec<HashMap<String, [f64; 3]>> =
        STYLE.split(":root").skip(1).map(|rest| colours(&rest[..rest.find('}').unwrap()])).collect();
    assert_eq!(blocks.len(), 3, "light, dark and print");
    for colours in blocks {
        for ground in ["paper", "raised"] {
            for text in ["ink", "muted", "hedge", "alarm", "doubt"] {
                let ratio = contrast(colours[text], colours[ground]);
                assert!(ratio >= 4.5, "{text} on {ground}: {ratio:.2}");
            }
        }
    }
}

#[test]
fn focus_can_be_seen_and_pages_fit() {
    for rule in [
        "a:focus-visible",
        "[tabindex]:focus-visible { outline:",
        ".skip:focus {",
        ".scroll {\n  overflow-x: auto",
    ] {
        assert!(STYLE.contains(rule), "{rule}");
    }
    // Columns and words may be as narrow as the page.
    for grid in STYLE.split("minmax(").skip(1) {
        let least = grid.split(',').next().unwrap();
        let rem = least.strip_suffix("rem").and_then(|rem| rem.parse::<f64>().ok());
        assert!(
            least.starts_with("min(") || least == "0" || rem.is_some_and(|rem| rem < 10.0),
            "minmax({least}"
        );
    }
    assert!(STYLE.contains("overflow-wrap: break-word"));
    // Text that only screen readers get is placed absolutely: by its table, or it would widen the page of a phone.
    let scroll = STYLE.split(".scroll {").nth(1).unwrap();
    assert!(scroll[..scroll.find('}').unwrap()].contains("position: relative"));
    // Long names keep to their column: a cell may not be narrower than its name.
    assert!(!STYLE.contains(".losses tbody th { min-width: 8rem; max-width"));
    // No word breaks between lines of a page, and no legend between pages.
    assert!(STYLE.contains(".legend { break-inside: avoid; }"));
    // Words of a table that scrolls are whole.
    assert!(STYLE.contains(".scroll table:not(.labels) .name { display: inline-block; max-width: 24rem; overflow-wrap: break-word; }"));
}

#[test]
fn paper_keeps_together_what_belongs_together() {
    let print = STYLE.split("@media print").nth(1).unwrap();
    let rule = |declaration: &str, selector: &str| {
        print.lines().any(|line| line.contains(declaration) && line.contains(selector))
    };
    // An attack's heading with all of what it is, and a command with the words before it.
    assert!(rule("break-after: avoid", "h3") && rule("break-inside: avoid", ".attack > p"));
    assert!(rule("break-after: avoid", "p:has(+ pre)"));
    // What is for the owner only says so on every sheet.
    assert!(print.contains("@page owners { @top-center { content: \"For the owner"));
}
