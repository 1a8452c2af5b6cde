//! Words that are explained where a page uses them.
//!
//! # Guarantee
//! A word is explained if and only if one of its forms stands on the page so far; so the words come last.

use crate::sections::term;

use super::Word;

/// A word, what it means, and the forms in which a page uses it. One without forms is always explained.
pub(crate) type Used = (Word, &'static [&'static str]);

/// Explains the words of a page that is written up to here.
pub(crate) fn write(all: &[Used], out: &mut String) {
    write_with(all, &[], out);
}

/// What can be read of the main part of a page: its text, with a blank for every tag.
fn text_of(page: &str) -> String {
    let main = page.get(page.find("<main").unwrap_or(0)..).unwrap_or_default();
    let mut text = String::with_capacity(main.len() / 2);
    let mut is_tag = false;
    for letter in main.chars() {
        match letter {
            '<' => {
                is_tag = true;
                text.push(' ');
            }
            '>' if is_tag => is_tag = false,
            _ if is_tag => {}
            other => text.push(other),
        }
    }
    text
}

/// The same, and more words.
pub(crate) fn write_with(all: &[Used], more: &[Word], out: &mut String) {
    let page = text_of(out);
    let is_used = |forms: &[&str]| forms.is_empty() || forms.iter().any(|form| page.contains(form));
    let mut words: Vec<Word> =
        all.iter().filter(|(_, forms)| is_used(forms)).map(|(word, _)| *word).collect();
    words.extend(more.iter().filter(|word| !words.contains(word)).copied().collect::<Vec<_>>());
    out.push_str("<dl class=\"terms\">\n");
    for (word, meaning) in words {
        term(out, word, meaning);
    }
    out.push_str("</dl>\n");
}

#[cfg(test)]
mod tests {
    use super::super::{CHANCE, PRIVATE};
    use super::*;

    #[test]
    fn what_is_used_is_explained_and_nothing_else() {
        let all: [Used; 3] =
            [(("Noise", "Chance."), &["noise"]), (("Rank", "Place."), &["rank"]), (("Record", "Line."), &[])];
        let mut page = "<style>rank</style><main class=\"rank\">noise".to_owned();
        write_with(&all, &[("More", "Other.")], &mut page);
        assert!(page.contains("<dt>Noise</dt>") && page.contains("<dt>Record</dt>") && page.contains("More"));
        assert!(!page.contains("<dt>Rank</dt>"), "{page}");
    }

    #[test]
    fn every_word_is_one_sentence_and_stands_once() {
        for all in [&CHANCE[..], &PRIVATE] {
            for (at, ((word, meaning), _)) in all.iter().enumerate() {
                assert!(meaning.ends_with('.') && !meaning.contains(". "), "{word}");
                assert!(all.iter().take(at).all(|((other, _), _)| other != word), "{word}");
            }
        }
    }
}
