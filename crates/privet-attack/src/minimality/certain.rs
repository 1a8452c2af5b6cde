//! What a sample of worlds shows for certain.
//!
//! # Guarantee
//! Of all people together, the chance that one of them is believed to be likelier than they are is at most [`MISTAKE`]: each is
//! given a bound by Chernoff's inequality, which holds for every number of worlds, and these chances are added up.

/// The chance that a bound of anybody is wrong.
const MISTAKE: f64 = 1e-3;

/// The evidence, in nats, that it takes among so many people.
fn evidence(people: usize) -> f64 {
    (people.max(1) as f64 / MISTAKE).ln()
}

/// The least share of all worlds that has something which so many of a sample have.
pub(super) fn least_share(hits: u64, of: u64, people: usize) -> f64 {
    if of == 0 || hits == 0 {
        return 0.0;
    }
    let (share, worlds) = ((hits.min(of)) as f64 / of as f64, of as f64);
    // How unlikely the sample is when the share is p: n · KL(share, p) nats.
    let against = |p: f64| {
        let rest = if share < 1.0 { (1.0 - share) * ((1.0 - share) / (1.0 - p)).ln() } else { 0.0 };
        worlds * (share * (share / p).ln() + rest)
    };
    let (mut low, mut high) = (0.0, share);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if against(middle) > evidence(people) { low = middle } else { high = middle }
    }
    low
}

/// Whether so many fitting worlds of those that were drawn show that the needed number will not be reached among all that may be
/// drawn: if the share that it takes were the true one, so few would fit with a chance below [`MISTAKE`].
pub(super) fn is_hopeless(fitting: u64, tried: u64, needed: u64, all: u64) -> bool {
    if tried == 0 || needed == 0 || all == 0 {
        return false;
    }
    let (share, least) = (fitting as f64 / tried as f64, (needed as f64 / all as f64).min(1.0));
    if share >= least {
        return false;
    }
    let present = if share > 0.0 { share * (share / least).ln() } else { 0.0 };
    let absent = (1.0 - share) * ((1.0 - share) / (1.0 - least).max(f64::MIN_POSITIVE)).ln();
    tried as f64 * (present + absent) > evidence(1)
}

/// How many worlds that fit are needed for anybody to be shown to have a value with this chance: all of them agree then. `None`
/// where no number is enough.
pub(super) fn worlds_needed(chance: f64, people: usize) -> Option<u64> {
    let needed = evidence(people) / -chance.clamp(1e-9, 1.0).ln();
    (needed.is_finite() && needed < 1e9).then(|| (needed.ceil() as u64).max(50))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of 3000 worlds that may be drawn 160 must fit: with none among the first 128 they will not.
    #[test]
    fn what_will_not_be_reached_is_known_soon() {
        assert!(is_hopeless(0, 128, 160, 3000) && !is_hopeless(0, 64, 160, 3000));
        assert!(!is_hopeless(7, 128, 160, 3000) && is_hopeless(10, 2000, 160, 3000));
        assert!(!is_hopeless(0, 0, 160, 3000) && !is_hopeless(0, 10, 0, 3000));
        assert!(is_hopeless(0, 1, 5, 3), "more are needed than there are");
    }

    #[test]
    fn bounds_hold_for_one_and_for_many() {
        // All of n: the share p with p^n = 0.001.
        assert!((least_share(100, 100, 1) - 1e-3f64.powf(0.01)).abs() < 1e-9);
        assert!(least_share(100, 100, 1000) < least_share(100, 100, 1));
        assert!(least_share(270, 300, 40) < 0.9 && least_share(299, 300, 1) > 0.9);
        assert_eq!((least_share(0, 10, 1), least_share(0, 0, 1)), (0.0, 0.0));
        let needed = worlds_needed(0.9, 360).unwrap();
        assert!(least_share(needed, needed, 360) >= 0.9 && least_share(needed - 2, needed - 2, 360) < 0.9);
        assert_eq!(worlds_needed(1.0, 1), None);
        assert_eq!(worlds_needed(0.1, 1), Some(50));
    }
}
