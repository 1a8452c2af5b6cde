//! An empirical audit: run a mechanism many times on two neighbouring inputs and bound its epsilon from below.
//!
//! One half of the runs chooses an event (at most t, at least t, or exactly t), the other half counts it. With
//! Clopper–Pearson bounds, p at least L under the one input and at most U under the other, epsilon ≥ ln((L −
//! delta)/U). Guarantee: a mechanism that is (epsilon, delta)-private on these inputs is accused with at most the
//! declared probability of false alarm, because the event is fixed before it is counted. The converse does not hold:
//! an audit that finds nothing proves nothing.

/// How to audit.
#[derive(Debug, Clone, Copy)]
pub struct Audit {
    /// The number of runs per input; half of them choose the event.
    pub runs: u32,
    /// The probability of accusing a mechanism that is private, above 0 and below 1.
    pub false_alarm: f64,
}

/// What an audit found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Finding {
    /// With the declared confidence, epsilon is at least this. 0 when nothing was found.
    pub epsilon_at_least: f64,
    /// How often the event was counted under the input that makes it likelier, and under the other.
    pub counted: (u32, u32),
    /// The runs per input in which it was counted.
    pub runs: u32,
}

#[derive(Debug, Clone, Copy)]
enum Event {
    AtMost(i64),
    AtLeast(i64),
    Exactly(i64),
}

impl Event {
    fn count(self, sorted: &[i64]) -> u32 {
        let up_to = |t: i64| sorted.partition_point(|&x| x <= t);
        let before = |t: i64| sorted.partition_point(|&x| x < t);
        let count = match self {
            Event::AtMost(t) => up_to(t),
            Event::AtLeast(t) => sorted.len() - before(t),
            Event::Exactly(t) => up_to(t) - before(t),
        };
        count as u32
    }
}

impl Audit {
    /// Runs a mechanism, whose output is coded as a number, on two neighbouring inputs.
    pub fn run<T: ?Sized, E>(
        &self,
        first: &T,
        second: &T,
        delta: f64,
        mut mechanism: impl FnMut(&T) -> Result<i64, E>,
    ) -> Result<Finding, E> {
        let half = self.runs / 2;
        let mut sample = |input| -> Result<Vec<i64>, E> {
            let mut outputs = (0..half).map(|_| mechanism(input)).collect::<Result<Vec<_>, E>>()?;
            outputs.sort_unstable();
            Ok(outputs)
        };
        let chosen = choose(&sample(first)?, &sample(second)?, delta, self.false_alarm / 2.0);
        let (a, b) = (sample(first)?, sample(second)?);
        let Some((event, swapped)) = chosen else {
            return Ok(Finding { epsilon_at_least: 0.0, counted: (0, 0), runs: half });
        };
        let counted =
            if swapped { (event.count(&b), event.count(&a)) } else { (event.count(&a), event.count(&b)) };
        let risk = self.false_alarm / 2.0;
        let likely = lower_bound(counted.0, half, risk);
        let unlikely = 1.0 - lower_bound(half - counted.1, half, risk);
        let found = ((likely - delta) / unlikely).ln();
        // A likelihood below delta has no logarithm, and no bound either.
        let epsilon_at_least = if found > 0.0 { found } else { 0.0 };
        Ok(Finding { epsilon_at_least, counted, runs: half })
    }
}

/// The event that promises most, and whether it is likelier under the second input.
fn choose(a: &[i64], b: &[i64], delta: f64, risk: f64) -> Option<(Event, bool)> {
    let runs = a.len() as f64;
    // As many deviations as the bounds will be away, by Chernoff, so that rare events neither win by luck nor are
    // worth less once they are counted.
    let away = (-2.0 * risk.ln()).sqrt();
    let promise = |likely: u32, unlikely: u32| {
        let (likely, unlikely) = (f64::from(likely), f64::from(unlikely));
        let low = (likely - away * likely.sqrt()) / runs - delta;
        let high = (unlikely + away * unlikely.sqrt() + away * away / 2.0) / runs;
        if low > 0.0 { (low / high).ln() } else { f64::NEG_INFINITY }
    };
    let mut thresholds: Vec<i64> = a.iter().chain(b).copied().collect();
    thresholds.sort_unstable();
    thresholds.dedup();
    let mut best = None;
    let mut most = f64::NEG_INFINITY;
    for t in thresholds {
        for event in [Event::AtMost(t), Event::AtLeast(t), Event::Exactly(t)] {
            let (x, y) = (event.count(a), event.count(b));
            for (swapped, promised) in [(false, promise(x, y)), (true, promise(y, x))] {
                if promised > most {
                    (best, most) = (Some((event, swapped)), promised);
                }
            }
        }
    }
    best
}

/// The Clopper–Pearson lower bound: the p for which k or more successes in n have probability `risk`.
pub fn lower_bound(successes: u32, runs: u32, risk: f64) -> f64 {
    let (k, n) = (successes.min(runs), runs);
    if k == 0 {
        return 0.0;
    }
    // ln of the factorials that the binomial coefficients are made of.
    let mut logs = vec![0.0f64];
    let mut sum = 0.0;
    for i in 1..=n {
        sum += f64::from(i).ln();
        logs.push(sum);
    }
    let log = |i: u32| logs[i as usize];
    let tail = |p: f64| -> f64 {
        let (yes, no) = (p.ln(), (-p).ln_1p());
        let term = |i: u32| (log(n) - log(i) - log(n - i) + f64::from(i) * yes + f64::from(n - i) * no).exp();
        (k..=n).map(term).sum()
    };
    let (mut low, mut high) = (0.0, f64::from(k) / f64::from(n));
    if k == n {
        // The tail is p^n, whose logarithm at p = 1 the formula above cannot take.
        return (risk.ln() / f64::from(n)).exp();
    }
    for _ in 0..50 {
        let middle = (low + high) / 2.0;
        if tail(middle) <= risk { low = middle } else { high = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::*;
    use dashu::rational::RBig;

    /// Every audit below has a false alarm once in 10^6 runs.
    const AUDIT: Audit = Audit { runs: 16_000, false_alarm: 1e-6 };

    fn epsilon() -> Epsilon {
        "1".parse().unwrap()
    }

    fn people(neighbours: Neighbours) -> People {
        People::one_record_each(neighbours)
    }

    #[track_caller]
    fn passes<T: ?Sized>(
        first: &T,
        second: &T,
        delta: f64,
        mechanism: impl FnMut(&T) -> Result<i64, DpError>,
    ) {
        let finding = AUDIT.run(first, second, delta, mechanism).unwrap();
        assert!(finding.epsilon_at_least <= 1.0, "{finding:?}");
    }

    #[test]
    fn clopper_pearson_by_definition() {
        // 0 successes; n of n: p = risk^(1/n); 1 of 2: 1 − (1−p)² = risk.
        assert_eq!(lower_bound(0, 10, 0.025), 0.0);
        assert!((lower_bound(10, 10, 0.025) - 0.025f64.powf(0.1)).abs() < 1e-12);
        assert!((lower_bound(1, 2, 0.19) - 0.1).abs() < 1e-9);
        assert_eq!(lower_bound(0, 0, 0.1), 0.0);
        // A textbook value: 5 of 10 at 95 % two-sided is 0.187086.
        assert!((lower_bound(5, 10, 0.025) - 0.187_086).abs() < 1e-6);
    }

    #[test]
    fn half_the_noise_is_caught() {
        let noise = Noise::laplace(1, &"2".parse().unwrap());
        let finding = AUDIT.run(&10, &11, 0.0, |&count| noise.add(count).map(|x| x as i64)).unwrap();
        assert!(finding.epsilon_at_least > 1.5, "{finding:?}");
    }

    /// survey TH-17: noise for the local sensitivity of the median is not private.
    #[test]
    fn local_sensitivity_is_caught() {
        let local = |values: &[i64; 5]| {
            let spread = (values[3] - values[2]).max(values[2] - values[1]);
            Noise::laplace(spread.unsigned_abs().into(), &epsilon()).add(values[2].into()).map(|x| x as i64)
        };
        // Local sensitivity 0 against 9: the first never answers anything but 0.
        let finding = AUDIT.run(&[0, 0, 0, 0, 9], &[0, 0, 0, 9, 9], 0.0, local).unwrap();
        assert!(finding.epsilon_at_least > 1.5, "{finding:?}");
    }

    #[test]
    fn replace_one_with_the_noise_of_add_remove_is_caught() {
        let histogram = Histogram { people: people(Neighbours::AddRemove), cells: 2 };
        let noise = histogram.noise(&Privacy::Pure(epsilon())).unwrap();
        // At least 0 exactly when the first cell is at least 2 and the second at most 0.
        let coded = |cells: Vec<i64>| (cells[0] - 2).min(-cells[1]);
        let mechanism = |codes: &[u32]| histogram.release(codes, &noise).map(coded);
        let finding = AUDIT.run(&[0, 0][..], &[0, 1][..], 0.0, mechanism).unwrap();
        assert!(finding.epsilon_at_least > 1.5, "{finding:?}");
        let histogram = Histogram { people: people(Neighbours::ReplaceOne), cells: 2 };
        let noise = histogram.noise(&Privacy::Pure(epsilon())).unwrap();
        passes(&[0, 0][..], &[0, 1][..], 0.0, |codes| histogram.release(codes, &noise).map(coded));
    }

    #[test]
    fn counts_sums_and_means_pass() {
        let pure = Privacy::Pure(epsilon());
        let count = Count { people: people(Neighbours::AddRemove) };
        let noise = count.noise(&pure).unwrap();
        // The audit is sharp: the true epsilon is 1, and it finds nearly that.
        let finding = AUDIT.run(&3, &4, 0.0, |&n| count.release(n, &noise).map(|x| x as i64)).unwrap();
        assert!((0.7..=1.0).contains(&finding.epsilon_at_least), "{finding:?}");
        let bounds = Bounds::integers(-1, 3).unwrap();
        let sum = Sum { people: people(Neighbours::ReplaceOne), bounds, selection: Selection::All };
        let noise = sum.noise(&pure).unwrap();
        passes(&[-1i64, 2][..], &[3, 2][..], 0.0, |v| {
            sum.release(v.iter().copied(), &noise).map(|x| x as i64)
        });
        let mean = Mean::new(people(Neighbours::AddRemove), bounds, Selection::All, &epsilon()).unwrap();
        let coded = |v: &[i64]| Ok((mean.release(v.iter().copied())?.to_f64().value() * 16.0) as i64);
        passes(&[3i64, 3, 3][..], &[3, 3][..], 0.0, coded);
    }

    #[test]
    fn approximate_forms_pass() {
        let delta: Delta = "0.01".parse().unwrap();
        let privacy = Privacy::Approximate(epsilon(), delta.clone());
        let count = Count { people: people(Neighbours::AddRemove) };
        let noise = count.noise(&privacy).unwrap();
        passes(&3, &4, 0.01, |&n| count.release(n, &noise).map(|x| x as i64));
        let bounds = Bounds::integers(0, 9).unwrap();
        let median = SmoothMedian::new(people(Neighbours::ReplaceOne), bounds, &epsilon(), &delta).unwrap();
        passes(&[0i64, 0, 0, 9, 9][..], &[0, 0, 9, 9, 9][..], 0.01, |v| median.release(v.iter().copied()));
        passes(&[4i64, 4, 4, 4, 4][..], &[4, 4, 4, 4, 9][..], 0.01, |v| median.release(v.iter().copied()));
    }

    #[test]
    fn choices_pass() {
        let bounds = Bounds::integers(0, 9).unwrap();
        let median = Quantile::new(people(Neighbours::AddRemove), bounds, 1, 2, &epsilon()).unwrap();
        passes(&[2i64, 2, 7][..], &[2, 2, 7, 7][..], 0.0, |v| median.release(v.iter().copied()));
        let top = TopK::new(people(Neighbours::AddRemove), 2, &epsilon()).unwrap();
        let coded = |counts: &[u64]| Ok(top.release(counts)?.iter().fold(0, |code, &i| 4 * code + i as i64));
        passes(&[3u64, 2, 2][..], &[3, 3, 2][..], 0.0, coded);
    }

    #[test]
    fn tables_and_sets_pass() {
        let marginals = FourierMarginals::new(people(Neighbours::AddRemove), &[2], &[&[0]]).unwrap();
        let noise = marginals.noise(&Privacy::Pure(epsilon())).unwrap();
        let coded =
            |codes: &[u32]| Ok((marginals.release(&[codes], &noise)?.marginal(&[0])?[0] * 2.0) as i64);
        passes(&[0, 0][..], &[0, 0, 0][..], 0.0, coded);
        let dirichlet = Dirichlet::new(people(Neighbours::ReplaceOne), 4, &epsilon()).unwrap();
        passes(&[0u64, 1][..], &[1, 0][..], 0.0, |h| Ok(dirichlet.release(h)?[0] as i64));
        let set = AlphaBeta::for_epsilon(&epsilon()).unwrap();
        assert!(set.loss(Neighbours::AddRemove).unwrap().epsilon().to_f64().value() <= 1.0 + 1e-12);
        passes(&[true][..], &[false][..], 0.0, |items| Ok(i64::from(set.release(items)?[0])));
        let session = |n: &u64| {
            let mut session = Sulq::new(people(Neighbours::AddRemove), 3, &Privacy::Pure(epsilon()))?;
            Ok((session.answer(*n)? + session.answer(*n)? + session.answer(*n)?) as i64)
        };
        passes(&1, &2, 0.0, session);
    }

    /// A Dirichlet urn with half of the noise it needs breaks the bound: by the formula, and not by chance.
    #[test]
    fn the_dirichlet_bound_cannot_be_halved() {
        let needed = Dirichlet::least_noise(4, &epsilon()).unwrap();
        let half = &needed / RBig::from(2);
        let worst = (&half + RBig::from(4)) / &half;
        assert!(worst.to_f64().value().ln() > 1.4);
    }

    #[test]
    fn no_runs_find_nothing() {
        let audit = Audit { runs: 1, false_alarm: 0.1 };
        let finding = audit.run(&0, &1, 0.0, |&x| Ok::<i64, DpError>(x)).unwrap();
        assert_eq!(finding.epsilon_at_least, 0.0);
    }
}
