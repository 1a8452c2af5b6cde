//! The values of a column, ready to be looked up by number or by the characters that a mask shows.
//!
//! A label is read once and its values are found by their place in an order, so that the time taken grows with labels and
//! values and not with their product. What is found are runs of codes: domains are in order, so they are few.

use privet_data::{Domain, Kind, Run};

use super::labels::{Reading, masks};

/// Codes in the order of their numbers.
pub(super) struct InOrder {
    numbers: Vec<f64>,
    codes: Vec<u32>,
    /// Per place where the run of codes that follow each other ends.
    end_of_run: Vec<u32>,
}

impl InOrder {
    pub fn new(mut pairs: Vec<(f64, u32)>) -> Self {
        // -0 and 0 are one number. What is no number is in no stretch.
        pairs.retain(|own| !own.0.is_nan());
        pairs.sort_unstable_by(|a, b| (a.0 + 0.0).total_cmp(&(b.0 + 0.0)).then(a.1.cmp(&b.1)));
        let (numbers, codes): (Vec<f64>, Vec<u32>) = pairs.into_iter().unzip();
        let end_of_run = ends_of_runs(&codes);
        Self { numbers, codes, end_of_run }
    }

    pub fn all(&self) -> std::ops::Range<usize> {
        0..self.codes.len()
    }

    /// The places from one number to another, the end excluded or not.
    pub fn between(&self, from: f64, to: f64, open: bool) -> std::ops::Range<usize> {
        let first = self.numbers.partition_point(|&own| own < from);
        let end = self.numbers.partition_point(|&own| if open { own < to } else { own <= to });
        first..end.max(first)
    }

    /// The codes at some places.
    pub fn codes(&self, places: std::ops::Range<usize>) -> &[u32] {
        &self.codes[places]
    }

    /// Adds the codes at some places.
    pub fn add(&self, places: std::ops::Range<usize>, runs: &mut Vec<Run>) {
        add_runs(&self.codes, &self.end_of_run, places, runs);
    }

    /// Adds those of a stretch, whose end may be excluded. Numbers of more digits than are kept may be below an end that they
    /// seem to be at.
    pub fn add_stretch(&self, (from, to, open): (f64, f64, bool), domain: &Domain, runs: &mut Vec<Run>) {
        let places = self.between(from, to, open);
        let at_end = places.end..self.between(from, to, false).end.max(places.end);
        self.add(places, runs);
        let is_long = |code: u32| {
            let text = domain.text(code);
            !text.contains(':') && text.bytes().filter(u8::is_ascii_digit).count() > 15
        };
        let long = self.codes(at_end).iter().filter(|&&code| is_long(code));
        runs.extend(long.map(|&code| (code, code)));
    }
}

fn ends_of_runs(codes: &[u32]) -> Vec<u32> {
    let mut ends = Vec::with_capacity(codes.len());
    for run in codes.chunk_by(|a, b| a + 1 == *b) {
        let end = ends.len() + run.len();
        ends.resize(end, end as u32);
    }
    ends
}

fn add_runs(codes: &[u32], ends: &[u32], places: std::ops::Range<usize>, runs: &mut Vec<Run>) {
    let mut at = places.start;
    while at < places.end {
        let end = (ends[at] as usize).min(places.end);
        runs.push((codes[at], codes[end - 1]));
        at = end;
    }
}

/// Ascending codes as runs.
pub(super) fn runs_of(codes: &[u32]) -> Vec<Run> {
    codes.chunk_by(|a, b| a + 1 == *b).map(|run| (run[0], run[run.len() - 1])).collect()
}

/// Values that are not missing, in the order of their characters, and of their characters from behind.
pub(super) struct ByText {
    forward: Vec<u32>,
    end_of_run: Vec<u32>,
    /// Texts from behind, with their codes.
    backward: Vec<(String, u32)>,
}

impl ByText {
    /// `labels` are those that will be asked for: an order that none of them needs is not made.
    pub fn new(domain: &Domain, labels: &Domain) -> Self {
        let known = || domain.missing()..domain.len() as u32;
        let is_mask = |label: &str| label.contains('*') && label.chars().any(|c| c != '*');
        let is_asked = |begins: bool| {
            labels.texts().iter().any(|label| is_mask(label) && label.starts_with('*') != begins)
        };
        let mut forward: Vec<u32> = if is_asked(true) { known().collect() } else { Vec::new() };
        forward.sort_unstable_by_key(|&code| (domain.text(code), code));
        let mut backward: Vec<(String, u32)> = match is_asked(false) {
            true => known().map(|code| (domain.text(code).chars().rev().collect(), code)).collect(),
            false => Vec::new(),
        };
        backward.sort_unstable();
        Self { end_of_run: ends_of_runs(&forward), forward, backward }
    }

    /// Adds the values that a mask may stand for.
    pub fn add_masked(&self, mask: &str, domain: &Domain, runs: &mut Vec<Run>) {
        let Some(shown) = mask.find('*') else { return };
        // Whatever it stands for begins as it does, or where it begins with `*`, ends as it does.
        let head = &mask[..shown];
        if !head.is_empty() {
            let first = self.forward.partition_point(|&code| domain.text(code) < head);
            let rest = &self.forward[first..];
            let end = first + rest.partition_point(|&code| domain.text(code).starts_with(head));
            let mut at = first;
            // By runs of values that it stands for.
            while at < end {
                let fits = |at: &usize| masks(mask, domain.text(self.forward[*at]));
                let stop = (at..end).find(|at| !fits(at)).unwrap_or(end);
                add_runs(&self.forward, &self.end_of_run, at..stop, runs);
                at = stop + 1;
            }
            return;
        }
        let tail: String = mask.chars().rev().take_while(|&c| c != '*').collect();
        let first = self.backward.partition_point(|own| own.0 < tail);
        let ending = self.backward[first..].iter().take_while(|own| own.0.starts_with(&tail));
        let fitting = ending.filter(|own| masks(mask, domain.text(own.1)));
        runs.extend(fitting.map(|own| (own.1, own.1)));
    }
}

/// The values of a column in the orders that labels are looked up in.
pub(super) struct Ordered {
    pub numbers: InOrder,
    /// What cannot be read in a column of numbers may be any of them.
    unread: Vec<Run>,
    by_text: ByText,
}

impl Ordered {
    pub fn new(labels: &Domain, domain: &Domain, kind: Kind) -> Self {
        let (mut numbers, mut unread) = (Vec::new(), Vec::new());
        for code in domain.missing()..domain.len() as u32 {
            match kind.number(domain.text(code)) {
                Some(number) => numbers.push((number, code)),
                None => unread.push(code),
            }
        }
        let (numbers, unread) = (InOrder::new(numbers), runs_of(&unread));
        Self { numbers, unread, by_text: ByText::new(domain, labels) }
    }

    /// Adds the values that a label may stand for.
    pub fn add(&self, reading: Reading<'_>, domain: &Domain, runs: &mut Vec<Run>) {
        match reading {
            Reading::Everything => runs.extend((domain.len() as u32).checked_sub(1).map(|last| (0, last))),
            Reading::Between { from, to, open } => {
                self.numbers.add(self.numbers.between(from, to, open), runs);
                runs.extend(&self.unread);
            }
            Reading::Mask(mask) => self.by_text.add_masked(mask, domain, runs),
        }
    }
}

#[cfg(test)]
mod tests {
    use privet_data::Coverage;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Masks of all forms find what comparing every value with them finds.
        #[test]
        fn masks_find_what_comparing_finds(
            values in prop::collection::btree_set("[ab*é]{0,4}", 0..30),
            labels in prop::collection::vec("[ab*é]{1,5}", 1..12),
        ) {
            let texts = values.into_iter().map(String::into_boxed_str).collect();
            let (domain, _) = Domain::canonical(texts, str::is_empty);
            let (labels, _) = Domain::canonical(
                labels.into_iter().map(String::into_boxed_str).collect::<std::collections::BTreeSet<_>>().into_iter().collect(),
                |_| false,
            );
            let by_text = ByText::new(&domain, &labels);
            // Stars alone are no mask: they are read as everything.
            let is_mask = |label: &str| matches!(Reading::of(label, Kind::Text), Some(Reading::Mask(_)));
            for label in labels.texts().iter().filter(|label| is_mask(label)) {
                let mut runs = Vec::new();
                by_text.add_masked(label, &domain, &mut runs);
                let expected = (domain.missing()..domain.len() as u32).filter(|&code| masks(label, domain.text(code)));
                let values = domain.len() as u32;
                prop_assert_eq!(
                    Coverage::of_runs([runs], values),
                    Coverage::new([expected.collect::<Vec<_>>()], values),
                    "{}", label
                );
            }
        }
    }

    #[test]
    fn stretches_of_numbers_that_are_not_in_the_order_of_codes() {
        let order =
            InOrder::new(vec![(1.0, 0), (10.0, 1), (f64::NAN, 5), (2.0, 2), (3.0, 3), (-0.0, 4), (0.0, 6)]);
        let mut runs = Vec::new();
        order.add(order.between(2.0, 10.0, false), &mut runs);
        assert_eq!(runs, [(2, 3), (1, 1)]);
        runs.clear();
        order.add(order.between(0.0, 10.0, true), &mut runs);
        assert_eq!(runs, [(4, 4), (6, 6), (0, 0), (2, 3)]);
        assert_eq!(order.codes(order.between(5.0, 4.0, false)), [0u32; 0]);
        assert_eq!(runs_of(&[1, 2, 3, 7]), [(1, 3), (7, 7)]);
    }
}
