//! The mechanisms of the house, each with two neighbouring tables on which it is to show as much as it can.
//!
//! An output is coded as one number, so that one event carries nearly all of the loss: of several numbers with Laplace
//! noise the smallest of their signed changes, because all of them must be large at once; of several with Gaussian noise
//! their sum, in which their changes add up and their noise hardly does. A choice shows most where what becomes unlikely
//! is not rare, so its tables are such that a third or so of all draws are of that kind; half of the loss or more is then
//! seen. Smooth sensitivity spends half of its epsilon on tables whose noise differs, and shows no more than the other.

use privet_dp::audit::Finding;
use privet_dp::{
    AlphaBeta, Bounds, ContingencyTable, Count, Dirichlet, DpError, FourierMarginals, Histogram, Mean,
    Neighbours, Noise, People, Privacy, Quantile, Selection, SmoothMedian, Sulq, Sum, TopK,
};

use super::{Setting, Subject};

pub(super) const ALL: &[Subject] = &[
    subject("count", "a count of 3 or of 4 people, Laplace", count),
    approximate("count-gaussian", "a count of 3 or of 4 people, Gaussian", count_gaussian),
    approximate("count-probabilistic", "the same in the probabilistic form", count_probabilistic),
    subject("histogram", "two cells; one person is in the one or in the other", histogram),
    approximate("histogram-gaussian", "the same with Gaussian noise", histogram_gaussian),
    subject("table", "a table of two columns; one person more or less", table),
    subject("sum", "a sum from -1 to 3 for each; one person has the least or the most", sum),
    approximate("sum-gaussian", "the same with Gaussian noise", sum_gaussian),
    subject("mean", "a mean from -1 to 3 and its number of records; one person more or less", mean),
    subject("quantile", "the middle of values from 0 to 399; one person more or less", quantile),
    approximate("smooth-median", "the median of values from 0 to 1; one person has 0 or 1", smooth_median),
    subject("largest", "the largest of two counts; one person more or less", largest),
    subject("top-k", "the two largest of three counts; one person more or less", top_k),
    subject("marginals", "a margin by its Fourier coefficients; one person more or less", marginals),
    approximate("marginals-gaussian", "the same with Gaussian noise", marginals_gaussian),
    subject(
        "synthetic",
        "four draws from a Dirichlet urn; one person is in the one or the other cell",
        synthetic,
    ),
    subject("set", "a set published item by item (alpha-beta); one item is there or not", set),
    subject("session", "two questions of one session; one person more or less", session),
    approximate("session-gaussian", "four questions of one session, Gaussian", session_gaussian),
];

pub(super) const fn subject(
    name: &'static str,
    what: &'static str,
    run: fn(&Setting) -> Result<Finding, DpError>,
) -> Subject {
    Subject { name, what, has_delta: false, run }
}

pub(super) const fn approximate(
    name: &'static str,
    what: &'static str,
    run: fn(&Setting) -> Result<Finding, DpError>,
) -> Subject {
    Subject { name, what, has_delta: true, run }
}

pub(super) const ADD_REMOVE: Neighbours = Neighbours::AddRemove;
pub(super) const REPLACE_ONE: Neighbours = Neighbours::ReplaceOne;

pub(super) fn people(neighbours: Neighbours) -> People {
    People::one_record_each(neighbours)
}

/// Numbers far beyond any table are as telling as the end of the range.
pub(super) fn coded(number: i128) -> i64 {
    number.clamp(i64::MIN.into(), i64::MAX.into()) as i64
}

/// At least 0 exactly when the first cell is at least 2 and the second at most 0.
pub(super) fn both_cells(cells: &[i64]) -> i64 {
    match cells {
        [first, second, ..] => (first - 2).min(-second),
        _ => 0,
    }
}

/// A count of added or removed people, and its noise.
pub(super) fn count_and_noise(privacy: &Privacy) -> Result<(Count, Noise), DpError> {
    let count = Count { people: people(ADD_REMOVE) };
    let noise = count.noise(privacy)?;
    Ok((count, noise))
}

/// A histogram of two cells, and its noise.
pub(super) fn histogram_and_noise(
    neighbours: Neighbours,
    privacy: &Privacy,
) -> Result<(Histogram, Noise), DpError> {
    let histogram = Histogram { people: people(neighbours), cells: 2 };
    let noise = histogram.noise(privacy)?;
    Ok((histogram, noise))
}

fn count(setting: &Setting) -> Result<Finding, DpError> {
    let (count, noise) = count_and_noise(&setting.pure())?;
    setting.run(&3, &4, |&n| count.release(n, &noise).map(coded))
}

fn count_gaussian(setting: &Setting) -> Result<Finding, DpError> {
    let (count, noise) = count_and_noise(&setting.approximate())?;
    setting.run_approximate(&3, &4, |&n| count.release(n, &noise).map(coded))
}

fn count_probabilistic(setting: &Setting) -> Result<Finding, DpError> {
    let (count, noise) = count_and_noise(&setting.probabilistic())?;
    // Its noise is calibrated by a bound that is not tight, so a third of it still hides more than elsewhere.
    setting.longer().run_approximate(&3, &4, |&n| count.release(n, &noise).map(coded))
}

fn histogram(setting: &Setting) -> Result<Finding, DpError> {
    let (histogram, noise) = histogram_and_noise(REPLACE_ONE, &setting.pure())?;
    setting.run(&[0, 0][..], &[0, 1][..], |codes| Ok(both_cells(&histogram.release(codes, &noise)?)))
}

fn histogram_gaussian(setting: &Setting) -> Result<Finding, DpError> {
    let (histogram, noise) = histogram_and_noise(REPLACE_ONE, &setting.approximate())?;
    // Both cells change by 1, so their difference carries the loss.
    let difference =
        |cells: Vec<i64>| cells.first().zip(cells.get(1)).map_or(0, |(first, second)| first - second);
    setting
        .run_approximate(&[0, 0][..], &[0, 1][..], |codes| histogram.release(codes, &noise).map(difference))
}

fn table(setting: &Setting) -> Result<Finding, DpError> {
    let table = ContingencyTable::new(people(ADD_REMOVE), &[2, 2])?;
    let noise = table.noise(&setting.pure())?;
    let columns =
        |people: &[u32]| Ok(table.release(&[people, people], &noise)?.first().copied().unwrap_or(0));
    setting.run(&[0, 0][..], &[0, 0, 0][..], columns)
}

fn sum(setting: &Setting) -> Result<Finding, DpError> {
    let sum =
        Sum { people: people(REPLACE_ONE), bounds: Bounds::integers(-1, 3)?, selection: Selection::All };
    let noise = sum.noise(&setting.pure())?;
    setting.run(&[-1, 2][..], &[3, 2][..], |v: &[i64]| sum.release(v.iter().copied(), &noise).map(coded))
}

fn sum_gaussian(setting: &Setting) -> Result<Finding, DpError> {
    let sum =
        Sum { people: people(REPLACE_ONE), bounds: Bounds::integers(-1, 3)?, selection: Selection::All };
    let noise = sum.noise(&setting.approximate())?;
    let release = |v: &[i64]| sum.release(v.iter().copied(), &noise).map(coded);
    setting.run_approximate(&[-1, 2][..], &[3, 2][..], release)
}

/// At least 0 exactly when there are 41 records or more whose sum is 2 or more above so many times the middle: where a
/// 41st person has the most.
pub(super) fn sum_and_records(mean: f64, records: f64) -> i64 {
    let sum = ((mean - 1.0) * records).round();
    (records - 41.0).min(sum - 2.0) as i64
}

fn mean(setting: &Setting) -> Result<Finding, DpError> {
    let mean = Mean::new(people(ADD_REMOVE), Bounds::integers(-1, 3)?, Selection::All, &setting.epsilon)?;
    let both = |v: &Vec<i64>| {
        let (mean, records) = mean.release_with_records(v.iter().copied())?;
        Ok(sum_and_records(mean.to_f64().value(), records as f64))
    };
    let fewer = vec![1; 40];
    let more = [&fewer[..], &[3]].concat();
    setting.run(&fewer, &more, both)
}

/// Below 100 a point is farther from the middle with the second table, and above it nearer; most points are above.
fn quantile(setting: &Setting) -> Result<Finding, DpError> {
    let median = Quantile::new(people(ADD_REMOVE), Bounds::integers(0, 399)?, 1, 2, &setting.epsilon)?;
    setting.run(&[100][..], &[100, 399][..], |v: &[i64]| median.release(v.iter().copied()))
}

fn smooth_median(setting: &Setting) -> Result<Finding, DpError> {
    let bounds = Bounds::integers(0, 1)?;
    let median = SmoothMedian::new(people(REPLACE_ONE), bounds, &setting.epsilon, &setting.delta)?;
    let release = |v: &[i64]| median.release(v.iter().copied());
    setting.run_approximate(&[0, 0, 0, 1, 1][..], &[0, 0, 1, 1, 1][..], release)
}

fn largest(setting: &Setting) -> Result<Finding, DpError> {
    let top = TopK::new(people(ADD_REMOVE), 1, &setting.epsilon)?;
    let place = |counts: &[u64]| Ok(top.release(counts)?.first().map_or(0, |own| *own as i64));
    setting.run(&[0, 0][..], &[1, 0][..], place)
}

fn top_k(setting: &Setting) -> Result<Finding, DpError> {
    let top = TopK::new(people(ADD_REMOVE), 2, &setting.epsilon)?;
    // Whether the first of the three is passed over in both turns.
    let passed_over = |counts: &[u64]| Ok(i64::from(!top.release(counts)?.contains(&0)));
    setting.run(&[0, 0, 0][..], &[1, 0, 0][..], passed_over)
}

/// The two coefficients of a margin of two cells, as they were before they were made cells.
fn coefficients(marginals: &FourierMarginals, noise: &Noise, codes: &[u32]) -> Result<(i64, i64), DpError> {
    let cells = marginals.release(&[codes], noise)?.marginal(&[0])?;
    let (first, second) = cells.first().zip(cells.get(1)).map_or((0.0, 0.0), |(a, b)| (*a, *b));
    Ok(((first + second).round() as i64, (first - second).round() as i64))
}

fn marginals(setting: &Setting) -> Result<Finding, DpError> {
    let marginals = FourierMarginals::new(people(ADD_REMOVE), &[2], &[&[0]])?;
    let noise = marginals.noise(&setting.pure())?;
    let smaller = |codes: &[u32]| coefficients(&marginals, &noise, codes).map(|(a, b)| a.min(b));
    setting.run(&[0, 0][..], &[0, 0, 0][..], smaller)
}

fn marginals_gaussian(setting: &Setting) -> Result<Finding, DpError> {
    let marginals = FourierMarginals::new(people(ADD_REMOVE), &[2], &[&[0]])?;
    let noise = marginals.noise(&setting.approximate())?;
    let sum = |codes: &[u32]| coefficients(&marginals, &noise, codes).map(|(a, b)| a.saturating_add(b));
    setting.run_approximate(&[0, 0][..], &[0, 0, 0][..], sum)
}

fn synthetic(setting: &Setting) -> Result<Finding, DpError> {
    let urn = Dirichlet::new(people(REPLACE_ONE), 4, &setting.epsilon)?;
    let first = |counts: &[u64]| Ok(urn.release(counts)?.first().map_or(0, |own| *own as i64));
    setting.run(&[0, 1][..], &[1, 0][..], first)
}

fn set(setting: &Setting) -> Result<Finding, DpError> {
    let set = AlphaBeta::for_epsilon(&setting.epsilon)?;
    let shown = |items: &[bool]| Ok(set.release(items)?.first().map_or(0, |own| i64::from(*own)));
    setting.run(&[true][..], &[false][..], shown)
}

fn session(setting: &Setting) -> Result<Finding, DpError> {
    let first = Sulq::new(people(ADD_REMOVE), 2, &setting.pure())?;
    let smaller = |&n: &u64| {
        let mut session = first.again();
        Ok(coded(session.answer(n)?.min(session.answer(n)?)))
    };
    setting.run(&1, &2, smaller)
}

fn session_gaussian(setting: &Setting) -> Result<Finding, DpError> {
    let first = Sulq::new(people(ADD_REMOVE), 4, &setting.approximate())?;
    let sum = |&n: &u64| {
        let mut session = first.again();
        (0..4).map(|_| session.answer(n)).sum::<Result<i128, _>>().map(coded)
    };
    setting.run_approximate(&1, &2, sum)
}
