//! What reaches the terminal: text in which nothing steers it.
//!
//! Names of columns and files come from outside. With an escape sequence in it, a name could clear the screen, change what
//! was said before, or hide what follows; with a mark of direction, it reads as another. Such characters are shown by their
//! number, as JSON writes them, so that this is safe for text and JSON alike. Line feeds and tabs stay.

use std::borrow::Cow;

/// The text with every character that steers a terminal shown by its number.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(steers) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match steers(c) {
            true => shown.push_str(&format!("\\u{:04x}", u32::from(c))),
            false => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

fn steers(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        // Marks of direction, and separators that some terminals take for line feeds.
        '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        c => c.is_control(),
    }
}

/// The widest column of a printed table: a longer name pushes its line out, and not all others.
const WIDEST: usize = 60;

/// How wide to print a column of these texts.
pub fn width<'a>(texts: impl Iterator<Item = &'a str>) -> usize {
    texts.map(|text| text.chars().count()).max().unwrap_or(0).min(WIDEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_are_shown_and_not_obeyed() {
        assert_eq!(printable("age, sex\n\tn\u{e4}me"), "age, sex\n\tn\u{e4}me");
        assert_eq!(printable("a\u{1b}[2Jb\rc\u{7f}\u{9b}d"), "a\\u001b[2Jb\\u000dc\\u007f\\u009bd");
        assert_eq!(printable("txt\u{202e}vsc"), "txt\\u202evsc");
    }

    #[test]
    fn a_long_name_does_not_widen_all_lines() {
        let long = "x".repeat(70_000);
        assert_eq!(width(["age", &long].into_iter()), WIDEST);
        // It must be possible to print it: widths above 65,535 panic.
        assert_eq!(format!("{:1$}", "age", width([long.as_str()].into_iter())).len(), WIDEST);
    }
}
