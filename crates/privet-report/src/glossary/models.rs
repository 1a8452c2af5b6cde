//! What the number of each privacy model says, in one sentence for a person who is no statistician (survey, section 2).

/// The number of a model, by the name under which the page shows the model, and what it says.
pub(crate) fn number_of(model: &str) -> Option<(&'static str, &'static str)> {
    let has = |part: &str| model.contains(part);
    let word = if has("sensitive k-anonymity") {
        (
            "p, k and α (p-sensitive k-anonymity)",
            "Records that look alike are at least k and have at least p different sensitive values, or categories of \
             them, and with α the values weigh at least that much together.",
        )
    } else if has("(α,k)") {
        (
            "α and k ((α,k)-anonymity)",
            "Records that look alike are at least k, and no protected value makes up more than the share α of them.",
        )
    } else if has("k-anonymity") {
        (
            "k (k-anonymity)",
            "How many published records look alike at least: a person cannot be told from k\u{a0}−\u{a0}1 others.",
        )
    } else if has("k-map") {
        (
            "k (k-map)",
            "How many people of the whole population, in the table or not, fit a published record at least.",
        )
    } else if has("proximity-aware") {
        (
            "ℓ, width and balance (proximity-aware diversity)",
            "The sensitive numbers of records that look alike are spread over at least ℓ ranges: width says how far apart \
             two numbers must lie to count as different, balance how evenly they must be spread.",
        )
    } else if has("ℓ-diversity") {
        (
            "ℓ and c (ℓ-diversity)",
            "How many sensitive values are well represented among records that look alike, so that ℓ\u{a0}−\u{a0}1 of them must be \
             ruled out to be sure; where there is a c, it bounds how much more frequent the most frequent one may be.",
        )
    } else if has("t-closeness") {
        (
            "t (t-closeness)",
            "How far the sensitive values of records that look alike may be distributed differently from those of the \
             whole table: 0 means that finding a person’s group tells nothing new.",
        )
    } else if has("δ-presence") {
        (
            "δ (δ-presence)",
            "How sure one can be at most, or must be at least, that a given person is in the table.",
        )
    } else if has("δ-disclosure") {
        (
            "δ (δ-disclosure privacy)",
            "How much more or less frequent than in the whole table a sensitive value may be among records that look \
             alike, on a logarithmic scale: 0 means equally frequent.",
        )
    } else if has("β-likeness") {
        (
            "β (β-likeness)",
            "By how much at most a sensitive value may be more frequent among records that look alike than in the whole \
             table: 1 means twice as frequent.",
        )
    } else if has("3D") || has("skyline") || has("safety") {
        (
            "Chance (3D privacy and its kin)",
            "How sure of a person’s sensitive value somebody can become who knows a stated number of facts, whichever \
             facts help most.",
        )
    } else {
        return None;
    };
    Some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_one_sentence() {
        for model in [
            "k-anonymity",
            "(α,k)-anonymity",
            "ℓ-diversity (entropy)",
            "ℓ-diversity of concepts (distinct)",
            "t-closeness (variational distance)",
            "(p⁺,α)-sensitive k-anonymity",
            "k-map",
            "δ-presence",
            "3D privacy",
            "proximity-aware diversity (ranges)",
            "β-likeness (basic)",
            "δ-disclosure privacy",
        ] {
            let (word, meaning) = number_of(model).unwrap_or_else(|| panic!("{model} is not explained"));
            assert!(meaning.ends_with('.') && !meaning.contains(". "), "{word}");
        }
        assert!(number_of("unheard-of").is_none());
    }
}
