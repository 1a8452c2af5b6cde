//! Count tables whose counts are changed instead of hidden: controlled tabular adjustment (survey ME-37) and a draw from
//! the tables with the same totals (survey ME-36).
//!
//! # Guarantee
//! The totals that are named under `margins` (those of each column by itself when it is left out) are exactly the true
//! ones, and all other totals are the sums of what is published. None of the kept totals is a small count: such a table is
//! refused. `adjust`: every small count moved by at least its protection, or down to 0, and so did every small total that
//! was not kept. `resample`: the table is one of a Markov chain over all tables with these totals; how near it came to the
//! law that is named is not known in general. No small count follows from the kept totals: some table with the same totals
//! has each of them at the threshold or above (`privet_perturb::tables::cell_bounds`), which is so because no kept total
//! is small, and is checked all the same. Neither is formal privacy: who knows how it was done may reason back.

use privet_data::Progress;
use privet_perturb::tables::{
    Adjustment, Counts, Method, Protected, TableError, TableWalk, Target, adjust_evenly, adjust_table,
    cell_bounds,
};
use privet_recode::bucket::{CountTable, Protection};
use privet_release::counts::{ChangeWay, ChangedCells};

use super::{CountTableSection, TableMethod};
use crate::error::{JobError, RunError};
use privet_microdata::counts::{MOST_STEPS, Norm};

/// Steps of a walk for each record, where the job does not say how many.
const STEPS_PER_RECORD: u64 = 100;

/// Fewer steps than so many for each record leave most counts as they are, small ones too.
const LEAST_STEPS_PER_RECORD: u64 = 10;

/// The sets of columns whose totals stay: their names, and their positions.
fn kept_margins(section: &CountTableSection) -> (Vec<Vec<String>>, Vec<Vec<usize>>) {
    let names = section
        .margins
        .clone()
        .unwrap_or_else(|| section.columns.iter().map(|name| vec![name.clone()]).collect());
    // A single column has no totals but the grand one.
    let names: Vec<Vec<String>> =
        if section.columns.len() == 1 { vec![section.columns.clone()] } else { names };
    let margins = names
        .iter()
        .map(|margin| {
            margin.iter().filter_map(|name| section.columns.iter().position(|own| own == name)).collect()
        })
        .collect();
    (names, margins)
}

/// Why a table cannot be changed as the job asks.
fn explained(number: usize, error: TableError) -> RunError {
    let table = number + 1;
    match error {
        TableError::NoRoom { .. } => RunError::Counts {
            table,
            problem: "a small count can neither fall nor rise by its protection while the totals stay; ask for less `protection`, \
                      keep fewer `margins`, or hide counts with method = \"suppress\""
                .to_owned(),
        },
        TableError::Together { .. } | TableError::NotFound { .. } => {
            RunError::Counts { table, problem: error.to_string() }
        }
        other => JobError::key("count-tables.method", format!("of table {table}: {other}")).into(),
    }
}

/// Refuses a walk that would leave most counts as they are.
fn refuse_few_steps(number: usize, section: &CountTableSection, table: &Counts) -> Result<(), RunError> {
    let least = table.records().saturating_mul(LEAST_STEPS_PER_RECORD).clamp(1, MOST_STEPS);
    if section.steps.is_none_or(|steps| steps >= least) {
        return Ok(());
    }
    let problem = format!(
        "of table {} must be at least {least}, {LEAST_STEPS_PER_RECORD} for each record: fewer would leave most counts \
         as they are",
        number + 1
    );
    Err(JobError::key("count-tables.steps", problem).into())
}

/// A changed table with all its totals, and what is said of it.
pub(super) fn change(
    number: usize,
    section: &CountTableSection,
    counted: &CountTable,
    progress: &dyn Progress,
) -> Result<(CountTable, ChangedCells), RunError> {
    progress.stage("changing counts", None);
    let refused = |problem: String| RunError::Counts { table: number + 1, problem };
    let places: Vec<Vec<Option<u32>>> = (0..counted.cells()).map(|cell| counted.codes(cell)).collect();
    let is_inner = |place: &Vec<Option<u32>>| place.iter().all(Option::is_some);
    let inner: Vec<usize> =
        (0..counted.cells()).filter(|&cell| places.get(cell).is_some_and(is_inner)).collect();
    let sizes: Vec<usize> = (0..section.columns.len())
        .map(|column| {
            let most = places.iter().filter_map(|place| place.get(column).copied().flatten()).max();
            most.map_or(0, |most| most as usize + 1)
        })
        .collect();
    let (names, margins) = kept_margins(section);
    let small = |count: u64| (1..section.threshold).contains(&count);
    let is_kept = |place: &[Option<u32>]| {
        let own: Vec<usize> =
            (0..place.len()).filter(|&column| place.get(column).is_some_and(Option::is_some)).collect();
        own.is_empty()
            || section.columns.len() > 1
                && margins.iter().any(|margin| own.iter().all(|column| margin.contains(column)))
    };
    let kept_small = places
        .iter()
        .enumerate()
        .filter(|(cell, place)| !is_inner(place) && is_kept(place) && small(counted.count(*cell)))
        .count();
    if kept_small > 0 {
        return Err(refused(format!(
            "{kept_small} of the totals that would be kept are small counts themselves; use coarser `levels`, name fewer \
             `margins`, or hide counts with method = \"suppress\""
        )));
    }
    let counts: Vec<u64> = inner.iter().map(|&cell| counted.count(cell)).collect();
    let told = |error: TableError| explained(number, error);
    let table = Counts::new(sizes.clone(), counts.clone()).map_err(told)?;
    let has_others = match section.method {
        TableMethod::Resample => {
            refuse_few_steps(number, section, &table)?;
            let bounds = cell_bounds(&table, &margins).map_err(told)?;
            let told_by_totals =
                |(&count, (_, high)): (&u64, &(u64, u64))| small(count) && *high < section.threshold;
            let pinned = counts.iter().zip(&bounds).filter(|own| told_by_totals(*own)).count();
            if pinned > 0 {
                return Err(refused(format!(
                    "the totals that are kept tell that {pinned} counts are small, whatever is drawn; use coarser `levels`, name \
                     fewer `margins`, or hide counts with method = \"suppress\""
                )));
            }
            bounds.iter().any(|(low, high)| low < high)
        }
        _ => true,
    };
    // The only margin of a single column is its grand total.
    let kept: Vec<Vec<usize>> = if section.columns.len() == 1 { Vec::new() } else { margins.clone() };
    let (changed, way) = match section.method {
        TableMethod::Resample => resample(section, &table, &margins).map_err(told)?,
        _ => adjust(section, &table, &kept).map_err(told)?,
    };
    // Where there are others, the true one may be drawn like any of them: to exclude it would tell that it is not this one.
    if !has_others {
        return Err(refused(
            "there is no other table with these totals, so that the true one would be published; keep fewer `margins`, or hide \
             counts with method = \"suppress\""
                .to_owned(),
        ));
    }
    let made = CountTable::from_counts(&sizes, &changed)?;
    if section.method == TableMethod::Adjust {
        let Protection { lower, upper } = section.protection();
        let stays = |cell: usize, place: &Vec<Option<u32>>| {
            let (before, after) = (counted.count(cell), made.count(cell));
            let is_moved = after >= before.saturating_add(upper) || after <= before - lower.min(before);
            !is_kept(place) && small(before) && !is_moved
        };
        let standing = places.iter().enumerate().filter(|(cell, place)| stays(*cell, place)).count();
        if standing > 0 {
            return Err(refused(format!(
                "{standing} totals that are small counts would hardly change; publish fewer columns together, use coarser \
                 `levels`, or hide counts with method = \"suppress\""
            )));
        }
    }
    Ok((made, ChangedCells { threshold: section.threshold, margins: names, way }))
}

fn adjust(
    section: &CountTableSection,
    table: &Counts,
    margins: &[Vec<usize>],
) -> Result<(Vec<u64>, ChangeWay), TableError> {
    let Protection { lower, upper } = section.protection();
    let sensitive: Vec<Protected> = table
        .counts()
        .iter()
        .enumerate()
        .filter(|(_, count)| (1..section.threshold).contains(*count))
        .map(|(cell, &count)| Protected { cell, down: lower.min(count), up: upper })
        .collect();
    // Cells that cannot be anything but empty stay so.
    let limits: Option<Vec<u64>> = (!section.suppress_zeros).then(|| {
        table.counts().iter().map(|&count| if count == 0 { 0 } else { u64::from(u32::MAX) }).collect()
    });
    let wanted =
        Adjustment { table, margins, sensitive: &sensitive, weights: None, limits: limits.as_deref() };
    let norm = section.norm.unwrap_or_default();
    let found = match norm {
        Norm::L1 => adjust_table(&wanted)?,
        Norm::Linf => adjust_evenly(&wanted)?,
    };
    let least = found.method == Method::Exact;
    let largest = norm == Norm::Linf;
    Ok((found.table.counts().to_vec(), ChangeWay::Adjust { lower, upper, least, largest }))
}

fn resample(
    section: &CountTableSection,
    table: &Counts,
    margins: &[Vec<usize>],
) -> Result<(Vec<u64>, ChangeWay), TableError> {
    let target = section.target.unwrap_or(Target::Hypergeometric);
    let default = table.records().saturating_mul(STEPS_PER_RECORD).clamp(1_000, MOST_STEPS);
    let steps = section.steps.unwrap_or(default);
    let mut walk = TableWalk::new(table.clone(), margins, target)?;
    walk.walk(steps, &mut *privet_microdata::coins::coins(section.seed))?;
    let target = match target {
        Target::Uniform => "uniform",
        Target::Hypergeometric => "hypergeometric",
    };
    Ok((walk.table().counts().to_vec(), ChangeWay::Resample { target: target.to_owned(), steps }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_data::Silent;
    use proptest::prelude::*;

    fn section(columns: usize, method: &str) -> CountTableSection {
        let names: Vec<String> = (0..columns).map(|column| format!("\"c{column}\"")).collect();
        let protection =
            if method == "adjust" { "protection = { lower = 2, upper = 2 }\n" } else { "seed = 3\n" };
        let text =
            format!("columns = [{}]\nthreshold = 4\nmethod = \"{method}\"\n{protection}", names.join(", "));
        toml::from_str(&text).unwrap()
    }

    /// Whether another table has the same totals of single columns: two records that differ in two columns or more
    /// can exchange their values of one of them (these moves connect all such tables).
    fn has_others(counted: &CountTable) -> bool {
        let taken: Vec<Vec<Option<u32>>> = (0..counted.cells())
            .filter(|&cell| counted.count(cell) > 0)
            .map(|cell| counted.codes(cell))
            .filter(|codes| codes.iter().all(Option::is_some))
            .collect();
        let apart = |a: &[Option<u32>], b: &[Option<u32>]| a.iter().zip(b).filter(|(a, b)| a != b).count();
        taken.iter().any(|one| taken.iter().any(|other| apart(one, other) > 1))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        /// survey ME-36, ME-37: totals of single columns stay and are not small; small counts, and small totals that are
        /// not kept, moved by their protection (adjust); everything adds up. Cells are looked at one by one.
        #[test]
        fn what_is_kept_and_what_moves(
            sizes in prop::collection::vec(2usize..4, 1..4),
            draws in prop::collection::vec(0u64..14, 27),
            adjusts in any::<bool>(),
        ) {
            let cells: usize = sizes.iter().product();
            let counts: Vec<u64> = draws.iter().copied().take(cells).collect();
            let counted = CountTable::from_counts(&sizes, &counts).unwrap();
            let section = section(sizes.len(), if adjusts { "adjust" } else { "resample" });
            if privet_microdata::counts::check_change(&section, "").is_err() {
                prop_assert!(!adjusts && sizes.len() == 1);
                return Ok(());
            }
            let (made, claim) = match change(0, &section, &counted, &Silent) {
                Ok(found) => found,
                Err(error) => {
                    prop_assert!(matches!(error, RunError::Counts { .. }), "{error}");
                    return Ok(());
                }
            };
            prop_assert_eq!(claim.margins.len(), sizes.len());
            for cell in 0..counted.cells() {
                let (before, after) = (counted.count(cell), made.count(cell));
                let named = counted.codes(cell).iter().flatten().count();
                let is_small = (1..4).contains(&before);
                if named == 0 || (named == 1 && sizes.len() > 1) {
                    prop_assert_eq!(before, after);
                    prop_assert!(!is_small);
                } else if adjusts && is_small {
                    prop_assert!(after >= before + 2 || after + 2 <= before || after == 0, "{before} {after}");
                }
            }
            prop_assert!(adjusts || has_others(&counted));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(80))]

        /// Of a table that is drawn, no small count or total is the same in all tables with the kept totals, and each
        /// small count is large in one of them. All of these tables are looked at.
        #[test]
        fn no_small_count_follows_from_what_is_kept(
            draws in prop::collection::vec(0u64..5, 12),
            wide in any::<bool>(),
            kind in 0usize..3,
        ) {
            let sizes = if wide { vec![2, 4] } else { vec![2, 2, 2] };
            let cells: usize = sizes.iter().product();
            let counts: Vec<u64> = draws.into_iter().take(cells).collect();
            let mut section = section(sizes.len(), "resample");
            let named: Vec<Vec<usize>> = match kind {
                0 if !wide => vec![vec![0, 1], vec![1, 2]],
                1 if !wide => vec![vec![0, 1], vec![2]],
                _ => (0..sizes.len()).map(|column| vec![column]).collect(),
            };
            let names = |margin: &Vec<usize>| margin.iter().map(|column| format!("c{column}")).collect();
            section.margins = Some(named.iter().map(names).collect());
            let counted = CountTable::from_counts(&sizes, &counts).unwrap();
            prop_assume!(change(0, &section, &counted, &Silent).is_ok());
            let table = Counts::new(sizes.clone(), counts).unwrap();
            let mut ends = vec![(u64::MAX, 0u64); counted.cells()];
            let all = privet_perturb::tables::for_each_table(&table, &named, 200_000, |other| {
                let other = CountTable::from_counts(&sizes, other).unwrap();
                for (cell, own) in ends.iter_mut().enumerate() {
                    *own = (own.0.min(other.count(cell)), own.1.max(other.count(cell)));
                }
            });
            prop_assume!(all.unwrap().is_some());
            for (cell, (least, most)) in ends.into_iter().enumerate() {
                let small = (1..4).contains(&counted.count(cell));
                prop_assert!(!small || least < most && most >= 4, "{:?}: {least} to {most}", counted.codes(cell));
            }
        }
    }

    /// One small count whose row and column have no other record cannot move.
    #[test]
    fn without_room_nothing_is_published() {
        let counted = CountTable::from_counts(&[2, 2], &[5, 0, 0, 5]).unwrap();
        let (made, _) = change(0, &section(2, "adjust"), &counted, &Silent).unwrap();
        // Nothing is small, so nothing moves.
        assert_eq!((0..made.cells()).filter(|&cell| made.count(cell) != counted.count(cell)).count(), 0);
        let small = CountTable::from_counts(&[2, 2], &[2, 0, 0, 5]).unwrap();
        let error = change(0, &section(2, "adjust"), &small, &Silent).unwrap_err();
        assert!(error.to_string().contains("small counts themselves"), "{error}");
    }
}
