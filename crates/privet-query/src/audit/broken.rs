//! Mechanisms that are broken on purpose, each by a mistake that people make: the audit has to catch them.
//!
//! None of them is used for anything else.

use privet_attack::ids;
use privet_dp::audit::Finding;
use privet_dp::{DpError, Epsilon, Noise, Rational};

use super::mechanisms::{
    ADD_REMOVE, both_cells, coded, count_and_noise, histogram_and_noise, subject as broken,
};
use super::{Setting, Subject};

pub(super) const ALL: &[Subject] = &[
    broken("half-the-noise", "a count with half of the noise that it needs", half_the_noise),
    broken(
        "same-noise-for-replacing",
        "a histogram of replaced people with the noise for added ones",
        replacing,
    ),
    broken("two-records-each", "a count with noise for one record, of somebody who has two", two_records),
    broken("three-for-one", "three answers with the noise of one", three_for_one),
    broken(
        ids::LOCAL_SENSITIVITY,
        "a median with the noise that this table needs (survey TH-17)",
        local_sensitivity,
    ),
    broken("cells-that-occur", "a histogram that shows a cell only when somebody is in it", cells_that_occur),
    broken("no-bounds", "a sum whose bounds are declared and not kept", no_bounds),
];

fn half_the_noise(setting: &Setting) -> Result<Finding, DpError> {
    let twice = Epsilon::new(setting.epsilon.value() * Rational::from(2))?;
    let noise = Noise::laplace(1, &twice);
    setting.run(&3, &4, |&n| noise.add(n).map(coded))
}

fn replacing(setting: &Setting) -> Result<Finding, DpError> {
    let (histogram, noise) = histogram_and_noise(ADD_REMOVE, &setting.pure())?;
    setting.run(&[0, 0][..], &[0, 1][..], |codes| Ok(both_cells(&histogram.release(codes, &noise)?)))
}

fn two_records(setting: &Setting) -> Result<Finding, DpError> {
    let (count, noise) = count_and_noise(&setting.pure())?;
    setting.run(&3, &5, |&n| count.release(n, &noise).map(coded))
}

fn three_for_one(setting: &Setting) -> Result<Finding, DpError> {
    let (count, noise) = count_and_noise(&setting.pure())?;
    // The smallest of three is at least t when all are: the event of three answers at once.
    let smallest = |n: &u64| {
        let answers = [count.release(*n, &noise)?, count.release(*n, &noise)?, count.release(*n, &noise)?];
        Ok(coded(answers.into_iter().min().unwrap_or(0)))
    };
    setting.run(&3, &4, smallest)
}

fn local_sensitivity(setting: &Setting) -> Result<Finding, DpError> {
    let median = |values: &[i64; 5]| {
        let [_, below, median, above, _] = *values;
        let spread = (above - median).max(median - below);
        Noise::laplace(spread.unsigned_abs().into(), &setting.epsilon).add(median.into()).map(coded)
    };
    setting.run(&[0, 0, 0, 0, 9], &[0, 0, 0, 9, 9], median)
}

fn cells_that_occur(setting: &Setting) -> Result<Finding, DpError> {
    let noise = Noise::laplace(1, &setting.epsilon);
    // Whether the second cell is shown at all.
    let shown = |&n: &u64| {
        let counts: Vec<u64> = [5, n].into_iter().filter(|count| *count > 0).collect();
        Ok(noise.add_to_all(&counts)?.len() as i64)
    };
    setting.run(&0, &1, shown)
}

fn no_bounds(setting: &Setting) -> Result<Finding, DpError> {
    // Declared from 0 to 10; somebody has 100.
    let noise = Noise::laplace(10, &setting.epsilon);
    setting.run(&[1, 2][..], &[1, 2, 100][..], |values: &[i128]| noise.add(values.iter().sum()).map(coded))
}
