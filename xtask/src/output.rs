//! What a page says a command prints, against what it prints.
//!
//! `…` inside a line stands for any text, a line of `…` alone for any lines. Trailing blanks do not count.

/// Whether the output is as the page says. Blank lines at both ends do not count.
pub fn matches(said: &[String], printed: &str) -> bool {
    let said: Vec<&str> = said.iter().map(|line| line.trim_end()).collect();
    let printed: Vec<&str> = printed.lines().map(str::trim_end).collect();
    lines(trim(&said), trim(&printed))
}

fn trim<'a, 'b>(lines: &'b [&'a str]) -> &'b [&'a str] {
    let first = lines.iter().position(|line| !line.is_empty()).unwrap_or(lines.len());
    let last = lines.iter().rposition(|line| !line.is_empty()).map_or(first, |last| last + 1);
    &lines[first..last]
}

fn lines(said: &[&str], printed: &[&str]) -> bool {
    match said.split_first() {
        None => printed.is_empty(),
        Some((&"…", rest)) => (0..=printed.len()).any(|skipped| lines(rest, &printed[skipped..])),
        Some((first, rest)) => match printed.split_first() {
            Some((line, others)) => fits(first, line) && lines(rest, others),
            None => false,
        },
    }
}

fn fits(said: &str, line: &str) -> bool {
    let mut parts = said.split('…');
    let Some(mut rest) = parts.next().and_then(|first| line.strip_prefix(first)) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(said: &str, printed: &str) -> bool {
        matches(&said.lines().map(str::to_owned).collect::<Vec<_>>(), printed)
    }

    #[test]
    fn an_ellipsis_stands_for_anything() {
        assert!(told("a\nb", "a\nb\n"));
        assert!(told("\na\n", "a\n\n"));
        assert!(!told("a\nb", "a\n"));
        assert!(!told("a", "a\nb"));
        assert!(told("… s: read …, write …", "0.12 s: read 0.01, write 0.02"));
        assert!(!told("… s: read …", "0.12 s, read 0.01"));
        assert!(told("a\n…\nz", "a\nb\nc\nz"));
        assert!(told("a\n…", "a"));
        assert!(!told("a\n…\nz", "a\nb"));
    }
}
