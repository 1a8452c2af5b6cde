//! Several tables of counts at once (`grouping sets`, `cube`, `rollup`) by noisy Fourier coefficients and a linear
//! program (survey ME-30, `privet_dp::FourierMarginals`), or by one noisy table of all combinations of keys (`shared_table.rs`) where that has
//! less noise.
//!
//! Guarantee: all tables are made from one table of whole numbers, none of them negative, so they agree with each other;
//! that table is made from private coefficients alone. Beside every number stands how far off it is: by how much the
//! linear program and rounding moved it from the unbiased estimate, which is known, and the 95 % of the estimate's
//! noise; together they hold with at least that probability. Where the program finds no table (it works with floating
//! point), the unbiased estimates are given, which agree as well but have fractions and may be negative.
//!
//! The program cannot be interrupted, so it runs in a thread of its own and is left behind there when the person asks to
//! stop.

use std::num::NonZeroUsize;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use privet_data::Progress;
use privet_dp::{
    ConsistentTable, Delta, DpError, FourierMarginals, Histogram, Loss, Noise, NoisyCoefficients, People,
    Privacy, Rational, SharedTable,
};
use privet_measure::answer::{Aggregate, Figure, PrivateQuestion};

use super::declared::problem;
use super::error::QueryError;
use super::execute::{Line, Number, Released};
use super::keys::Keys;
use super::shares::rounded;
use super::{NoiseOf, PlannedFigure};

/// The most combinations of bits that the linear program has unknowns for.
const MOST_COMBINATIONS: u128 = 4096;

/// The most coefficients times combinations: what the linear program still solves in seconds.
const MOST_WORK: u128 = 1 << 19;

/// Coefficients times combinations that are solved before anybody could ask to stop.
const AT_ONCE: u128 = 1 << 8;

/// How often it is looked whether the person asks to stop.
const TICK: Duration = Duration::from_millis(50);

/// Tables of counts.
#[derive(Debug)]
pub(super) struct Marginals {
    /// Per column its keys, and one more for undeclared values where a table sums over them.
    sizes: Vec<u32>,
    base: Base,
    noise: Noise,
    name: String,
    /// Per table the positions of its columns, and how far off its cells are before the linear program.
    sets: Vec<(Vec<usize>, f64)>,
    lines: NonZeroUsize,
    /// How far off counts would be if every table were asked for by itself, at the same cost together.
    one_by_one: f64,
    /// How far off the worst count would be with the other noise, where a delta leaves the choice.
    otherwise: Option<f64>,
    /// How far off the worst count would be with noise on Fourier coefficients, where cells have it.
    by_coefficients: Option<f64>,
}

/// What the noise is added to.
#[derive(Debug)]
enum Base {
    /// The Fourier coefficients that the tables need: fewer than cells where tables of few columns are asked for.
    Fourier(FourierMarginals),
    /// Every combination of keys: its tables are sums of cells.
    Cells(SharedTable),
}

impl Marginals {
    pub fn new(
        question: &PrivateQuestion,
        people: People,
        keys: &[Keys],
        privacy: &Privacy,
        is_open: bool,
    ) -> Result<Self, QueryError> {
        let [only] = &question.select[..] else { return Err(counts_only()) };
        if keys.is_empty() {
            return Err(problem("`grouping sets` without a column; leave `group by` out for the total"));
        }
        if only.figure != Figure::Aggregate(Aggregate::Count) {
            return Err(counts_only());
        }
        // A record with an undeclared value counts in the tables that do not have that column.
        let somewhere_summed = |at: usize| question.grouping_sets.iter().any(|set| !set.contains(&at));
        let size = |(at, own): (usize, &Keys)| {
            let rest = usize::from(own.other.is_none() && somewhere_summed(at));
            u32::try_from(own.len() + rest).unwrap_or(u32::MAX)
        };
        let sizes: Vec<u32> = keys.iter().enumerate().map(size).collect();
        let combinations = FourierMarginals::combinations(&sizes);
        if combinations > MOST_COMBINATIONS {
            return Err(problem(format!(
                "tables that agree with each other take at most {MOST_COMBINATIONS} combinations of keys, each column's number \
                 of keys being raised to 2, 4, 8 …; these would be {combinations}{}. Declare fewer keys, leave a column out, or \
                 ask for every table by itself with a plain `group by`",
                with_rest(keys, &sizes)
            )));
        }
        let wanted: Vec<&[usize]> = question.grouping_sets.iter().map(Vec::as_slice).collect();
        let fourier = FourierMarginals::new(people, &sizes, &wanted).map_err(|error| match error {
            DpError::TooLarge { most, .. } => problem(format!(
                "tables that agree with each other take at most {most} Fourier coefficients together, and these need more: of a \
                 table as many as it has cells, each column's number of keys being raised to 2, 4, 8 …{}. Ask for tables of \
                 fewer columns, such as pairs, or for every table by itself with a plain `group by`",
                with_rest(keys, &sizes)
            )),
            other => other.into(),
        })?;
        let work = combinations * fourier.coefficients() as u128;
        if work > MOST_WORK {
            return Err(problem(format!(
                "the linear program that makes tables agree takes at most {MOST_WORK} numbers, coefficients times combinations of \
                 keys, and these tables need {} times {combinations}{}. Ask for tables of fewer columns or keys, or for every \
                 table by itself with a plain `group by`",
                fourier.coefficients(),
                with_rest(keys, &sizes)
            )));
        }
        let (base, noise, otherwise) =
            Base::chosen(fourier, &sizes, people, &question.grouping_sets, (privacy, is_open))?;
        let one_by_one = one_by_one(people, question.grouping_sets.len() as u64, privacy)?;
        let error = |set: &Vec<usize>| Ok((set.clone(), base.half_width_95(set, &noise)?));
        let sets = question.grouping_sets.iter().map(error).collect::<Result<Vec<_>, DpError>>()?;
        let cells =
            |set: &[usize]| set.iter().map(|&at| keys.get(at).map_or(1, Keys::len)).product::<usize>();
        let lines = NonZeroUsize::new(sets.iter().map(|(set, _)| cells(set)).sum());
        Ok(Self {
            sizes,
            base,
            noise,
            name: only.name.clone(),
            sets,
            lines: lines.unwrap_or(NonZeroUsize::MIN),
            one_by_one,
            otherwise: otherwise.0,
            by_coefficients: otherwise.1,
        })
    }

    pub fn noise(&self) -> &Noise {
        &self.noise
    }

    pub fn loss(&self) -> &Loss {
        self.noise.loss()
    }

    /// The number of cells of all tables.
    pub fn lines(&self) -> NonZeroUsize {
        self.lines
    }

    pub fn planned(&self) -> PlannedFigure {
        PlannedFigure {
            name: self.name.clone(),
            noise: match &self.base {
                Base::Fourier(fourier) => {
                    format!("{} Fourier coefficients with {}", fourier.coefficients(), self.noise)
                }
                Base::Cells(table) => format!("{} cells with {} each", table.cells(), self.noise),
            },
            law: None,
            half_width_95: self.sets.iter().map(|own| own.1).reduce(f64::max),
            half_width_95_times_records: None,
            rounding: None,
            rank_error_95: None,
            rank_error_95_if_even: None,
            rounded_to: None,
            noises: vec![NoiseOf::new(
                match &self.base {
                    Base::Fourier(_) => "all Fourier coefficients",
                    Base::Cells(_) => "all cells of one table",
                },
                &self.noise,
                1.0,
            )],
            untold: None,
        }
    }

    pub fn remarks(&self, keys: &[Keys]) -> Vec<String> {
        let of = |(set, half): &(Vec<usize>, f64)| {
            let names: Vec<&str> = set.iter().filter_map(|&at| Some(keys.get(at)?.column.as_str())).collect();
            let names = if names.is_empty() { "the total".to_owned() } else { names.join(", ") };
            // A width is rounded up: it must still hold.
            format!("{names} ± {}", (half * 10.0).ceil() / 10.0)
        };
        let all: Vec<String> = self.sets.iter().map(of).collect();
        let mut remarks = vec![
            format!(
                "Noise of a count in the table by {} (95 %). Making them whole, not negative and consistent moves counts further; \
                 the widths beside an answer include that.",
                all.join("; by ")
            ),
            format!(
                "All tables are sums of one table, so they agree with each other. One by one, with a plain `group by` each and the \
                 same cost together, they would not agree, and their counts would be ± {}.",
                self.one_by_one
            ),
        ];
        if let Some(other) = self.by_coefficients {
            remarks.push(format!(
                "Every combination of keys has noise of its own, and tables are sums of them: noise on Fourier coefficients would make the widest \
                 count ± {}.",
                rounded(other)
            ));
        }
        if let Some(other) = self.otherwise {
            let (law, instead, spent) = match self.noise.is_gaussian() {
                true => ("Gaussian", "Laplace", ""),
                false => ("Laplace", "Gaussian", " The delta is not spent."),
            };
            remarks.push(format!(
                "The noise is {law}, because {instead} noise would make the widest of them ± {}.{spent}",
                rounded(other)
            ));
        }
        let hidden = hidden(keys, &self.sizes);
        if !hidden.is_empty() {
            remarks.push(format!(
                "Records with an undeclared value of {} count in the tables that sum over it and have no line of their own, so lines \
                 need not add up to their sum. Give these values a label, such as --other \"{}=other\", to see them.",
                hidden.join(" or "),
                hidden[0] // why: not empty
            ));
        }
        remarks
    }

    /// Noisy tables, one after the other; nothing when the person asks to stop. `columns` are the keys of the records
    /// that count.
    pub fn release(
        &self,
        columns: &[Vec<u32>],
        keys: &[Keys],
        progress: &dyn Progress,
    ) -> Result<Option<Released>, DpError> {
        // What is undeclared has a code beyond the keys: the last one, where there is one for it.
        let placed = |(column, (own, &size)): (&Vec<u32>, (&Keys, &u32))| -> Vec<u32> {
            let has_rest = size as usize > own.len();
            column.iter().map(|&code| if has_rest { code.min(size - 1) } else { code }).collect()
        };
        let columns: Vec<Vec<u32>> = columns.iter().zip(keys.iter().zip(&self.sizes)).map(placed).collect();
        let slices: Vec<&[u32]> = columns.iter().map(Vec::as_slice).collect();
        let fourier = match &self.base {
            Base::Fourier(fourier) => fourier,
            Base::Cells(table) => {
                let noisy = self.noise.add_to_all(&table.count(&slices))?;
                let whole = SharedTable::consistent(&noisy);
                let mut lines = Vec::with_capacity(self.lines.get());
                for (set, half) in &self.sets {
                    let sums = table.marginal(&noisy, set).into_iter().zip(table.marginal(&whole, set));
                    for (cell, (estimate, value)) in sums.enumerate() {
                        let Some(group) = labels(set, cell, keys, &self.sizes) else { continue };
                        let (value, estimate) = (value as f64, estimate as f64);
                        let half_width_95 = Some(half + (value - estimate).abs());
                        lines.push(Line {
                            group,
                            numbers: vec![Number { value, half_width_95, rank_error_95: None }],
                        });
                    }
                }
                return Ok(Some(Released { lines, remarks: Vec::new() }));
            }
        };
        let noisy = fourier.release(&slices, &self.noise)?;
        let work = FourierMarginals::combinations(&self.sizes) * fourier.coefficients() as u128;
        let solved =
            if work <= AT_ONCE { Some(noisy.consistent_table().ok()) } else { solved(&noisy, progress) };
        let Some(table) = solved else { return Ok(None) };
        let mut lines = Vec::with_capacity(self.lines.get());
        for (set, half) in &self.sets {
            let estimates = noisy.marginal(set)?;
            let whole = table.as_ref().map(|table| table.marginal(set)).transpose()?;
            for (cell, &estimate) in estimates.iter().enumerate() {
                let Some(group) = labels(set, cell, keys, &self.sizes) else { continue };
                let value = whole.as_ref().and_then(|own| own.get(cell)).map_or(estimate, |&own| own as f64);
                let half = half + (value - estimate).abs();
                let number = Number { value, half_width_95: Some(half), rank_error_95: None };
                lines.push(Line { group, numbers: vec![number] });
            }
        }
        let mut remarks = Vec::new();
        if table.is_none() {
            remarks.push(
                "The linear program found no table of whole numbers, so these are the estimates themselves: they agree with \
                 each other, but have fractions and may be negative."
                    .to_owned(),
            );
        }
        Ok(Some(Released { lines, remarks }))
    }
}

/// The table that the linear program finds, or that it finds none; nothing when the person asks to stop.
fn solved(noisy: &NoisyCoefficients, progress: &dyn Progress) -> Option<Option<ConsistentTable>> {
    progress.stage("making tables agree", None);
    let (send, receive) = channel();
    let own = noisy.clone();
    let work = move || {
        // why: when nobody waits any more, nobody has to be told
        let _ = send.send(own.consistent_table().ok());
    };
    if std::thread::Builder::new().name("linear-program".into()).spawn(work).is_err() {
        return Some(noisy.consistent_table().ok());
    }
    loop {
        if progress.cancelled() {
            return None;
        }
        match receive.recv_timeout(TICK) {
            Ok(table) => return Some(table),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Some(None),
        }
    }
}

/// What the other noise, and noise on coefficients, would have made the widest count.
type Otherwise = (Option<f64>, Option<f64>);

impl Base {
    /// Coefficients or cells, with Laplace or Gaussian noise where that is open: whichever makes the widest count narrowest. Noise on every
    /// combination of keys is that of one table: tables are sums of its cells, so their noise grows with the root of the number of
    /// cells that they sum.
    fn chosen(
        fourier: FourierMarginals,
        sizes: &[u32],
        people: People,
        sets: &[Vec<usize>],
        (privacy, is_open): (&Privacy, bool),
    ) -> Result<(Self, Noise, Otherwise), DpError> {
        let shared = Self::Cells(SharedTable::new(sizes));
        let fourier = Self::Fourier(fourier);
        let own = fourier.narrower(people, sets, privacy, is_open)?;
        let cells = shared.narrower(people, sets, privacy, is_open)?;
        Ok(match cells.1 <= own.1 {
            true => (shared, cells.0, (cells.2, Some(own.1))),
            false => (fourier, own.0, (own.2, None)),
        })
    }

    /// The noise that makes the widest count narrower, how wide it is, and how wide it would be with the other noise.
    fn narrower(
        &self,
        people: People,
        sets: &[Vec<usize>],
        privacy: &Privacy,
        is_open: bool,
    ) -> Result<(Noise, f64, Option<f64>), DpError> {
        let with = |privacy: &Privacy| -> Result<(Noise, f64), DpError> {
            let noise = match self {
                Self::Fourier(fourier) => fourier.noise(privacy)?,
                Self::Cells(_) => Histogram { people, cells: 0 }.noise(privacy)?,
            };
            let all = sets
                .iter()
                .map(|set| self.half_width_95(set, &noise))
                .collect::<Result<Vec<f64>, DpError>>()?;
            Ok((noise, all.into_iter().fold(0.0, f64::max)))
        };
        let (noise, widest) = with(privacy)?;
        let (true, Privacy::Approximate(epsilon, _)) = (is_open, privacy) else {
            return Ok((noise, widest, None));
        };
        let (pure, other) = with(&Privacy::Pure(epsilon.clone()))?;
        Ok(match other <= widest {
            true => (pure, other, Some(widest)),
            false => (noise, widest, Some(other)),
        })
    }

    /// How far off a cell of the table by these columns is before anything is made consistent.
    fn half_width_95(&self, set: &[usize], noise: &Noise) -> Result<f64, DpError> {
        match self {
            Self::Fourier(fourier) => Ok(fourier.accuracy(set, noise)?.half_width_95),
            Self::Cells(table) => Ok(table.half_width_95(set, noise)),
        }
    }
}

fn one_by_one(people: People, tables: u64, privacy: &Privacy) -> Result<f64, DpError> {
    let part = |delta: &Delta| Delta::new(delta.value() / Rational::from(tables.max(1)));
    let share = match privacy {
        Privacy::Pure(epsilon) => Privacy::Pure(epsilon.split(tables)?),
        Privacy::Approximate(epsilon, delta) => Privacy::Approximate(epsilon.split(tables)?, part(delta)?),
        Privacy::Probabilistic(epsilon, delta) => {
            Privacy::Probabilistic(epsilon.split(tables)?, part(delta)?)
        }
        Privacy::Concentrated(rho) => Privacy::Concentrated(rho.split(tables)?),
    };
    Ok(Histogram { people, cells: 0 }.noise(&share)?.accuracy().half_width_95)
}

/// The columns that have one more value than keys, for what is undeclared.
fn hidden<'a>(keys: &'a [Keys], sizes: &[u32]) -> Vec<&'a str> {
    let with_rest = keys.iter().zip(sizes).filter(|(own, size)| **size as usize > own.len());
    with_rest.map(|(own, _)| own.column.as_str()).collect()
}

/// Why there are more combinations than those of the declared keys.
fn with_rest(keys: &[Keys], sizes: &[u32]) -> String {
    match hidden(keys, sizes)[..] {
        [] => String::new(),
        ref columns => format!(
            ", because undeclared values count as one more key of {}, so that tables which sum over it are of all records",
            columns.join(", of ")
        ),
    }
}

fn counts_only() -> QueryError {
    problem(
        "`grouping sets`, `cube` and `rollup` are answered for count(*) alone; ask for other figures with a plain `group by`",
    )
}

/// The keys of a cell, none for a column that its table does not have; the last column varies fastest. `None` for the
/// cells of undeclared values, which are in no group.
fn labels(set: &[usize], cell: usize, keys: &[Keys], sizes: &[u32]) -> Option<Vec<Option<String>>> {
    let mut labels = vec![None; keys.len()];
    let mut rest = cell;
    for &at in set.iter().rev() {
        let (own, size, label) = (keys.get(at)?, *sizes.get(at)? as usize, labels.get_mut(at)?);
        let key = rest % size.max(1);
        if key >= own.len() {
            return None;
        }
        *label = Some(own.label(key).to_owned());
        rest /= size.max(1);
    }
    Some(labels)
}
