//! What a promise of differential privacy says about a ledger. The rule is the same for every kind: a promise that does not state that a
//! ledger was charged is read as one that charged none.

use privet_release::Promised;

/// The sentence that follows a promise with a privacy loss.
pub(crate) fn ledger(promised: &Promised) -> &'static str {
    match promised.word("ledger") {
        Some("charged") => "The loss was charged to a ledger of the publisher.",
        _ => {
            "No ledger was charged: nothing adds this loss to that of other releases and answers about the same people."
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_promise_that_states_no_ledger_charged_none() {
        let promised = Promised::new("differential-privacy");
        assert!(ledger(&promised).starts_with("No ledger"));
        assert!(ledger(&promised.clone().with("ledger", "none")).starts_with("No ledger"));
        assert!(ledger(&promised.with("ledger", "charged")).starts_with("The loss was charged"));
    }
}
