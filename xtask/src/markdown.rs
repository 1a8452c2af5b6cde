//! The commands in a page of documentation.
//!
//! A fenced block marked `sh` holds commands, one on a line; a line that ends in `\` goes on, and so does one that
//! opens a here-document. A block marked `console` holds commands after `$ ` and, below each, what it prints; `…`
//! stands for anything there. A comment line `# exit N` says which exit code the next command ends with.
//! All other blocks are not looked at.

/// A command as it is printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Printed {
    /// The line on which it begins.
    pub line: usize,
    /// The command.
    pub text: String,
    /// The exit code it must end with.
    pub exit: i32,
    /// What it must print, when the page says so.
    pub output: Option<Vec<String>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Block {
    Commands,
    Console,
    Other,
}

/// The commands of a page, in their order.
pub fn commands(page: &str) -> Vec<Printed> {
    let mut found: Vec<Printed> = Vec::new();
    let mut block: Option<Block> = None;
    let mut exit = 0;
    let mut lines = page.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        if let Some(word) = line.strip_prefix("```") {
            block = match (block, word.trim()) {
                (Some(_), _) => None,
                (None, "sh") => Some(Block::Commands),
                (None, "console") => Some(Block::Console),
                (None, _) => Some(Block::Other),
            };
            exit = 0;
            continue;
        }
        let (first, output) = match block {
            Some(Block::Commands) => (line, None),
            Some(Block::Console) => match line.strip_prefix("$ ") {
                Some(command) => (command, Some(Vec::new())),
                None if line.starts_with('#') => (line, None),
                None => {
                    if let Some(Printed { output: Some(output), .. }) = found.last_mut() {
                        output.push(line.to_owned());
                    }
                    continue;
                }
            },
            _ => continue,
        };
        if let Some(comment) = first.strip_prefix('#') {
            exit = comment.trim().strip_prefix("exit ").and_then(|code| code.parse().ok()).unwrap_or(exit);
            continue;
        }
        if first.trim().is_empty() {
            continue;
        }
        let mut text = first.to_owned();
        let end = here_document(first);
        while end.is_some() || text.ends_with('\\') {
            let Some((_, more)) = lines.next() else { break };
            text.push('\n');
            text.push_str(more);
            if end.as_deref() == Some(more) {
                break;
            }
        }
        found.push(Printed { line: number + 1, text, exit, output });
        exit = 0;
    }
    found
}

/// The word that ends the here-document which a line opens.
fn here_document(line: &str) -> Option<String> {
    let (_, after) = line.split_once("<<")?;
    let word: String =
        after.trim_start_matches(['-', '\'', '"']).chars().take_while(char::is_ascii_alphanumeric).collect();
    (!word.is_empty()).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_found_with_their_lines_and_exit_codes() {
        let page = "Text\n```sh\n# a comment\nprivet demo\n\n# exit 2\nprivet \\\n  demo --rows 0\n```\n```text\nrm -rf\n```\n```sh\nls\n```\n";
        let found = commands(page);
        let told: Vec<(usize, &str, i32)> = found.iter().map(|c| (c.line, &*c.text, c.exit)).collect();
        assert_eq!(told, [(4, "privet demo", 0), (7, "privet \\\n  demo --rows 0", 2), (14, "ls", 0)]);
    }

    #[test]
    fn a_here_document_is_part_of_its_command() {
        let found = commands("```sh\ncat > a.csv <<'END'\na,b\n\n# exit 1\nEND\nls\n```\n");
        assert_eq!(found[0].text, "cat > a.csv <<'END'\na,b\n\n# exit 1\nEND");
        assert_eq!((found.len(), found[1].exit), (2, 0));
    }

    #[test]
    fn a_console_shows_what_is_printed() {
        let found = commands("```console\n$ one\nout 1\n\n# exit 1\n$ two\n```\n");
        assert_eq!(found[0].output.as_deref(), Some(&["out 1".to_owned(), String::new()][..]));
        assert_eq!((found[1].exit, found[1].output.as_ref().map(Vec::len)), (1, Some(0)));
    }
}
