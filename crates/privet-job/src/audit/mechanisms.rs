//! The mechanisms of the house, each with two neighbouring tables on which it is to show as much as it can.
//!
//! An output is coded as one number. What is coded was chosen so that one event carries nearly all of the loss: a vector
//! of noisy counts, of which two change, is coded as the smaller of the two signed changes.

use privet_dp::audit::Finding;
use privet_dp::{
    AlphaBeta, Bounds, ContingencyTable, Count, Dirichlet, DpError, FourierMarginals, Histogram, Mean,
    Neighbours, People, Quantile, Selection, SmoothMedian, Sulq, Sum, TopK,
};

use super::{Setting, Subject};

pub(super) const ALL: &[Subject] = &[
    subject("count", "a count of 3 or of 4 people, Laplace", count),
    approximate("count-gaussian", "a count of 3 or of 4 people, Gaussian", count_gaussian),
    subject("histogram", "two cells; one person is in the one or in the other", histogram),
    approximate("histogram-gaussian", "the same with Gaussian noise", histogram_gaussian),
    subject("table", "a table of two columns; one person more or less", table),
    subject("sum", "a sum from -1 to 3 for each; one person has the least or the most", sum),
    subject("mean", "a mean from -1 to 3; one person more or less", mean),
    subject("quantile", "the middle of values from 0 to 9; one person more or less", quantile),
    approximate("smooth-median", "the median of values from 0 to 9; one person has 0 or 9", smooth_median),
    subject("top-k", "the two largest of three counts; one person more or less", top_k),
    subject("marginals", "a margin by its Fourier coefficients; one person more or less", marginals),
    subject(
        "synthetic",
        "four draws from a Dirichlet urn; one person is in the one or the other cell",
        synthetic,
    ),
    subject("set", "a set published item by item (alpha-beta); one item is there or not", set),
    subject("session", "three questions of one session; one person more or less", session),
];

const fn subject(
    name: &'static str,
    what: &'static str,
    run: fn(&Setting) -> Result<Finding, DpError>,
) -> Subject {
    Subject { name, what, has_delta: false, run }
}

const fn approximate(
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

fn count(setting: &Setting) -> Result<Finding, DpError> {
    let count = Count { people: people(ADD_REMOVE) };
    let noise = count.noise(&setting.pure())?;
    setting.run(&3, &4, |&n| count.release(n, &noise).map(coded))
}

fn count_gaussian(setting: &Setting) -> Result<Finding, DpError> {
    let count = Count { people: people(ADD_REMOVE) };
    let noise = count.noise(&setting.approximate())?;
    setting.run_approximate(&3, &4, |&n| count.release(n, &noise).map(coded))
}

fn histogram(setting: &Setting) -> Result<Finding, DpError> {
    let histogram = Histogram { people: people(REPLACE_ONE), cells: 2 };
    let noise = histogram.noise(&setting.pure())?;
    setting.run(&[0, 0][..], &[0, 1][..], |codes| Ok(both_cells(&histogram.release(codes, &noise)?)))
}

fn histogram_gaussian(setting: &Setting) -> Result<Finding, DpError> {
    let histogram = Histogram { people: people(REPLACE_ONE), cells: 2 };
    let noise = histogram.noise(&setting.approximate())?;
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

fn mean(setting: &Setting) -> Result<Finding, DpError> {
    let mean = Mean::new(people(ADD_REMOVE), Bounds::integers(-1, 3)?, Selection::All, &setting.epsilon)?;
    let sixteenths = |v: &[i64]| Ok((mean.release(v.iter().copied())?.to_f64().value() * 16.0) as i64);
    setting.run(&[3, 3, 3][..], &[3, 3][..], sixteenths)
}

fn quantile(setting: &Setting) -> Result<Finding, DpError> {
    let median = Quantile::new(people(ADD_REMOVE), Bounds::integers(0, 9)?, 1, 2, &setting.epsilon)?;
    setting.run(&[2, 2, 7][..], &[2, 2, 7, 7][..], |v: &[i64]| median.release(v.iter().copied()))
}

fn smooth_median(setting: &Setting) -> Result<Finding, DpError> {
    let bounds = Bounds::integers(0, 9)?;
    let median = SmoothMedian::new(people(REPLACE_ONE), bounds, &setting.epsilon, &setting.delta)?;
    let release = |v: &[i64]| median.release(v.iter().copied());
    setting.run_approximate(&[0, 0, 0, 9, 9][..], &[0, 0, 9, 9, 9][..], release)
}

fn top_k(setting: &Setting) -> Result<Finding, DpError> {
    let top = TopK::new(people(ADD_REMOVE), 2, &setting.epsilon)?;
    let places = |counts: &[u64]| Ok(top.release(counts)?.iter().fold(0, |code, &own| 4 * code + own as i64));
    setting.run(&[3, 2, 2][..], &[3, 3, 2][..], places)
}

fn marginals(setting: &Setting) -> Result<Finding, DpError> {
    let marginals = FourierMarginals::new(people(ADD_REMOVE), &[2], &[&[0]])?;
    let noise = marginals.noise(&setting.pure())?;
    let halves = |codes: &[u32]| {
        let cells = marginals.release(&[codes], &noise)?.marginal(&[0])?;
        Ok(cells.first().map_or(0, |cell| (cell * 2.0) as i64))
    };
    setting.run(&[0, 0][..], &[0, 0, 0][..], halves)
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
    let privacy = setting.pure();
    let sum = |&n: &u64| {
        let mut session = Sulq::new(people(ADD_REMOVE), 3, &privacy)?;
        Ok(coded(session.answer(n)? + session.answer(n)? + session.answer(n)?))
    };
    setting.run(&1, &2, sum)
}
