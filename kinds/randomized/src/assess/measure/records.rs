//! What swapped and synthetic records are still good for: the figures of the survey's section 4 that need no correspondence
//! of records, beside the original.
//!
//! Columns are compared by their distributions, moments, correlations and associations (UM-09, UM-13 to UM-15, UM-21 to
//! UM-24, UM-28, UM-35), means by their intervals (UM-26, UM-27), and learners are trained on the release and tested on raw
//! records (UM-34). Of records that stand in the order of the original, also how many changed; of swapped ones, what stays
//! exactly. UM-20 is left out: single numbers are not meant to stay.
//!
//! # Guarantee
//! Every figure compares with the original; nothing of it is published. Of several copies every figure is worked out for
//! each and averaged, as somebody who takes any one of them would find it; means are combined by the rule of the release
//! (US-17), and learners learn from the first copy. What stays exactly is counted, not believed.

use foldhash::{HashMap, HashMapExt};
use privet_data::{Column, Kind, Progress, Table};
use privet_measure::combine::{Rule, combine};
use privet_measure::utility::{Estimate, NORMAL_95, entropy_difference};
use privet_release::PublishedRecords;
use privet_report::{Assessment, ColumnUtility, Figure, PairUtility, Utility};

use super::super::MeasureOptions;
use super::super::made::MadeRecords;
use super::super::original::translate;
use super::super::perturbed::original_table;
use super::super::records::check_original;
use super::conclusions::mean;
use super::learners::{Told, conclusions, train};
use super::numbers::Numbers;
use super::protocol::{Split, is_third};
use super::regression::{fit_both, numbers};
use super::table::overall;
use super::{each, figure, pairs, perturbed};
use crate::error::{JobError, RunError};

/// Joint counts of more columns than this are not compared pair by pair.
const MOST_COLUMNS: usize = 40;

/// Measures a release of swapped or synthetic records.
pub(crate) fn measure(options: &MeasureOptions, progress: &dyn Progress) -> Result<Assessment, RunError> {
    refuse_others(options)?;
    let published = PublishedRecords::open(&options.release, progress)?;
    let model = &published.manifest.model;
    let names: Vec<String> = model.columns.iter().map(|own| own.name.clone()).collect();
    let (original, path) = original_table(&options.original, &model.missing, &names, progress)?;
    check_original(&MadeRecords::of(&published), &original, &path)?;
    progress.stage("measuring", None);
    let mut copies = Vec::new();
    let mut of_numbers = Vec::new();
    for table in &published.tables {
        let (mut utility, numbers) =
            perturbed::compared_columns(&model.columns, &original, table, &[], progress)?;
        pairs::of_tables(&original, table, &numbers, &[], &mut utility)?;
        progress.check()?;
        utility.figures.extend(changes(&published, &original, table));
        utility.figures.extend(entropy_change(&original, table)?);
        copies.push(utility);
        of_numbers.push(numbers);
    }
    let mut utility = averaged(copies);
    if published.tables.len() > 1 {
        utility.remark(format!(
            "There are {} copies: figures are those of one copy, averaged over all of them.",
            published.tables.len()
        ));
    }
    means(&published, &of_numbers, &mut utility)?;
    if let Some(swap) = published.manifest.change.swap() {
        let columns: Vec<&str> = swap.columns.iter().map(|own| own.name.as_str()).collect();
        utility.remark(format!(
            "By its manifest every joint count of up to {} of the swapped columns ({}) stays exactly the same, and so does \
             every joint count of the others. What is counted here is over all columns.",
            swap.keeps,
            columns.join(", ")
        ));
    }
    learn(options, &published, &original, &mut utility, progress)?;
    let assessment = Assessment { utility: Some(utility), ..Assessment::default() };
    if let Some(path) = &options.report {
        let page = privet_report::owner_perturbed_html(&published.manifest, &assessment);
        super::super::write::whole(path, page.as_bytes())?;
    }
    Ok(assessment)
}

/// What has no meaning for these releases.
fn refuse_others(options: &MeasureOptions) -> Result<(), JobError> {
    let given = [
        ("--job", options.job.is_some()),
        ("--population", options.population.is_some()),
        ("--population-size", options.population_size.is_some()),
        ("--risk-threshold", options.risk_threshold.is_some()),
        ("--risk-file", options.risk_file.is_some()),
        ("--queries FILE", options.workload.is_some()),
    ];
    if options.test.is_some() && options.class.is_empty() && options.target.is_empty() {
        return Err(JobError::new("--test needs --class or --target: what is to be predicted"));
    }
    super::super::perturbed::refuse(
        &given,
        "one of swapped or synthetic records has no classes of records that look alike, whose risk could be told; `privet attack` \
         tells whose records come out again",
    )
}

/// How many records changed, where it is known which became which, and of swapped ones what stays exactly.
fn changes(published: &PublishedRecords, original: &Table, table: &Table) -> Vec<Figure> {
    if !published.is_in_order() {
        return Vec::new();
    }
    let columns: Vec<Both<'_>> = table.columns.iter().filter_map(|own| Both::new(original, own)).collect();
    let is_changed = |record: &usize| columns.iter().any(|own| own.is_changed(*record));
    let changed = (0..original.rows).filter(is_changed).count();
    let mut figures: Vec<Figure> = figure(
        "changed-records",
        "Records that changed",
        changed as f64 / original.rows.max(1) as f64,
        true,
        "The share of the records that have another value than before in some column.",
    )
    .into_iter()
    .collect();
    if published.manifest.change.swap().is_none() {
        return figures;
    }
    let share = |kept: usize, of: usize| if of == 0 { f64::NAN } else { kept as f64 / of as f64 };
    let same = columns.iter().filter(|own| own.is_kept_with(None)).count();
    figures.extend(figure(
        "kept-columns",
        "Columns with exactly the same counts",
        share(same, columns.len()),
        true,
        "The share of the columns in which every value occurs exactly as often as before.",
    ));
    if columns.len() <= MOST_COLUMNS {
        let all = (0..columns.len()).flat_map(|a| (a + 1..columns.len()).map(move |b| (a, b)));
        let (mut same, mut of) = (0, 0);
        for (a, b) in all.filter_map(|(a, b)| Some((columns.get(a)?, columns.get(b)?))) {
            same += usize::from(a.is_kept_with(Some(b)));
            of += 1;
        }
        figures.extend(figure(
            "kept-pairs",
            "Pairs of columns with exactly the same counts",
            share(same, of),
            true,
            "The share of the pairs of columns in which every combination of two values occurs exactly as often as before.",
        ));
    }
    figures
}

/// The change of the entropy of all published columns together (UM-12, Gomatam and Karr, who have it of swapped records).
fn entropy_change(original: &Table, table: &Table) -> Result<Option<Figure>, RunError> {
    let (before, after): (Vec<&[u32]>, Vec<&[u32]>) = (table.columns.iter())
        .filter_map(|own| Some((original.column(&own.name)?.codes.as_slice(), own.codes.as_slice())))
        .unzip();
    Ok(overall(entropy_difference(&before, &after)?))
}

/// A column before and after, in codes of the original; values that the original has not are numbered behind.
struct Both<'a> {
    before: &'a [u32],
    after: Vec<u32>,
}

impl<'a> Both<'a> {
    fn new(original: &'a Table, published: &Column) -> Option<Self> {
        let own = original.column(&published.name)?;
        let beyond = own.domain.len() as u32;
        let code_of = translate(&published.domain, &own.domain);
        let code = |&code: &u32| code_of.get(code as usize).copied().flatten().unwrap_or(beyond + code);
        Some(Self { before: &own.codes, after: published.codes.iter().map(code).collect() })
    }

    fn is_changed(&self, record: usize) -> bool {
        self.before.get(record) != self.after.get(record)
    }

    /// Whether every value, or every combination with those of another column, occurs as often as before.
    fn is_kept_with(&self, other: Option<&Self>) -> bool {
        let mut counts: HashMap<(u32, u32), i64> = HashMap::new();
        let mut add = |own: &[u32], other: Option<&[u32]>, by: i64| {
            for (at, &code) in own.iter().enumerate() {
                let with = other.and_then(|other| other.get(at)).copied().unwrap_or(0);
                *counts.entry((code, with)).or_default() += by;
            }
        };
        add(self.before, other.map(|own| own.before), 1);
        add(&self.after, other.map(|own| own.after.as_slice()), -1);
        counts.values().all(|count| *count == 0)
    }
}

/// Figures of several copies, averaged; what is told beside them is that of the first.
fn averaged(copies: Vec<Utility>) -> Utility {
    let mut copies = copies.into_iter();
    let Some(mut first) = copies.next() else { return Utility::default() };
    let others: Vec<Utility> = copies.collect();
    let figures = |own: &mut Figure, of: &dyn Fn(&Utility) -> Option<f64>| {
        let all: Vec<f64> = others.iter().filter_map(of).chain([own.value]).collect();
        own.value = all.iter().sum::<f64>() / all.len() as f64;
    };
    let find = |all: &[Figure], key: &str| all.iter().find(|own| own.key == key).map(|own| own.value);
    for own in &mut first.figures {
        let key = own.key;
        figures(own, &|other| find(&other.figures, key));
    }
    for ColumnUtility { name, figures: of_column, after, is_ordered, .. } in &mut first.columns {
        let same = |other: &Utility| other.columns.iter().position(|column| column.name == *name);
        for own in of_column {
            let key = own.key;
            figures(own, &|other| find(&other.columns.get(same(other)?)?.figures, key));
        }
        // Bars stand for the same values where they have an order; otherwise the most frequent come first, as they are.
        if *is_ordered {
            let afters: Vec<&Vec<f64>> =
                others.iter().filter_map(|other| Some(&other.columns.get(same(other)?)?.after)).collect();
            for (bar, share) in after.iter_mut().enumerate() {
                let all: Vec<f64> =
                    afters.iter().filter_map(|own| own.get(bar).copied()).chain([*share]).collect();
                *share = all.iter().sum::<f64>() / all.len() as f64;
            }
        }
    }
    for PairUtility { a, b, after, .. } in &mut first.pairs {
        let same = |other: &Utility| {
            other.pairs.iter().find(|pair| pair.a == *a && pair.b == *b).map(|pair| pair.after)
        };
        let all: Vec<f64> = others.iter().filter_map(same).chain([*after]).collect();
        *after = all.iter().sum::<f64>() / all.len() as f64;
    }
    first
}

/// Whether means say the same as those of the original, with the intervals that the copies give together.
fn means(
    published: &PublishedRecords,
    copies: &[Vec<Numbers>],
    utility: &mut Utility,
) -> Result<(), RunError> {
    let Some(first) = copies.first() else { return Ok(()) };
    let rule = published.manifest.change.synthesis().and_then(|own| own.rule.as_ref());
    let rule = rule.and_then(|own| match own.rule.as_str() {
        "fully-synthetic" => Some(Rule::FullySynthetic { size: own.size? }),
        "partially-synthetic" => Some(Rule::PartiallySynthetic),
        _ => None,
    });
    let mut pairs = Vec::new();
    for own in first {
        let Some(before) = mean(&own.before) else { continue };
        let same = |copy: &Vec<Numbers>| {
            let other = copy.iter().find(|other| other.name == own.name)?;
            let told = mean(&other.after)?;
            // Copies may be divided by different powers of two.
            let scale = other.unit / own.unit;
            Some(Estimate { value: told.value * scale, standard_error: told.standard_error * scale })
        };
        let told: Vec<Estimate> = copies.iter().filter_map(same).collect();
        pairs.push((before, together(&told, rule)));
    }
    utility.figures.extend(conclusions(["means-validity", "means-overlap"], "means", &pairs)?);
    if copies.len() > 1 {
        utility.remark(match rule {
            Some(_) => "Means and their intervals are those of all copies together, by the rule of `privet combine`.",
            None => "Copies of this model have no rule by which estimates are combined: means and the widths of their intervals \
                     are averaged.",
        });
    }
    Ok(())
}

/// An estimate from several copies. Its standard error is that of a normal interval as wide as the one of the rule.
fn together(told: &[Estimate], rule: Option<Rule>) -> Option<Estimate> {
    if let [one] = told {
        return Some(*one);
    }
    let values: Vec<f64> = told.iter().map(|own| own.value).collect();
    let variances: Vec<f64> = told.iter().map(|own| own.standard_error * own.standard_error).collect();
    let by_rule = rule.and_then(|rule| combine(&values, &variances, rule).ok()?.interval(0.95));
    if let Some((low, high)) = by_rule {
        return Some(Estimate {
            value: low / 2.0 + high / 2.0,
            standard_error: (high - low) / (2.0 * NORMAL_95),
        });
    }
    let count = told.len() as f64;
    let average = |of: fn(&Estimate) -> f64| told.iter().map(|own| of(own) / count).sum::<f64>();
    (!told.is_empty()).then(|| Estimate {
        value: average(|own| own.value),
        standard_error: average(|own| own.standard_error),
    })
}

/// What learners learn from the first copy.
fn learn(
    options: &MeasureOptions,
    published: &PublishedRecords,
    original: &Table,
    utility: &mut Utility,
    progress: &dyn Progress,
) -> Result<(), RunError> {
    let Some(table) = published.tables.first() else { return Ok(()) };
    let apart = match &options.test {
        Some(path) => {
            let names: Vec<String> = table.columns.iter().map(|own| own.name.clone()).collect();
            let (apart, path) = original_table(path, &published.manifest.model.missing, &names, progress)?;
            if apart.rows == 0 {
                return Err(JobError::new("has no records to test on").at(&path).into());
            }
            Some(apart)
        }
        None => None,
    };
    let in_order = published.is_in_order();
    let all = |row: &usize| !(in_order && apart.is_none() && is_third(*row));
    let split = |name: &str, rows: Vec<usize>| {
        let features: Vec<&str> =
            table.columns.iter().map(|own| own.name.as_str()).filter(|own| *own != name).collect();
        Split::of_records(original, table, &features, rows, apart.as_ref())
    };
    each(&options.class, utility, |class, utility| {
        let (own, theirs) = predicted(original, table, "--class", class)?;
        let code_of = translate(&theirs.domain, &own.domain);
        let said = |row: usize| code_of.get(*theirs.codes.get(row)? as usize).copied().flatten();
        // A class that the original has not teaches nothing.
        let (rows, said): (Vec<usize>, Vec<u32>) =
            (0..table.rows).filter(all).filter_map(|row| Some((row, said(row)?))).unzip();
        let split = split(class, rows)?;
        utility.protocol = Some(split.protocol.clone());
        if !split.is_empty() {
            train(&split, own, &Told::each(said), utility, progress)?;
        }
        Ok(())
    })?;
    each(&options.target, utility, |target, utility| {
        let (own, theirs) = predicted(original, table, "--target", target)?;
        if !matches!(own.domain.kind(), Kind::Integer | Kind::Decimal) {
            let problem = format!("--target names {target}, which holds no numbers; name a column that does");
            return Err(JobError::new(problem).into());
        }
        let split = split(target, (0..table.rows).filter(all).collect())?;
        utility.protocol = Some(split.protocol.clone());
        fit_both(&split, own, &numbers(theirs), utility, progress)
    })?;
    let learns = !options.class.is_empty() || !options.target.is_empty();
    if learns && !in_order {
        let mut note =
            "Synthetic records are nobody's: all of them are learned from, whoever is tested on.".to_owned();
        if apart.is_none() {
            note.push_str(
                " For a strict test make the release without some records, and give them with --test.",
            );
        }
        utility.remark(note);
    }
    Ok(())
}

/// A column that is to be predicted, in the original and in the release.
fn predicted<'a>(
    original: &'a Table,
    release: &'a Table,
    flag: &str,
    name: &str,
) -> Result<(&'a Column, &'a Column), JobError> {
    original.column(name).zip(release.column(name)).ok_or_else(|| {
        JobError::new(format!("{flag} names {name}, which is not published; name a published column"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(value: f64, standard_error: f64) -> Estimate {
        Estimate { value, standard_error }
    }

    /// survey US-16 and US-17: the numbers of the golden example under the partially synthetic rule: T = 4/3, ν = 32.
    #[test]
    fn estimates_of_copies_together() {
        let told = [estimate(10.0, 1.0), estimate(12.0, 1.2f64.sqrt()), estimate(11.0, 0.8f64.sqrt())];
        let own = together(&told, Some(Rule::PartiallySynthetic)).unwrap();
        let half = own.standard_error * NORMAL_95;
        assert!((own.value - 11.0).abs() < 1e-12);
        // Student's quantile for 32 degrees is 2.0369.
        assert!((half - 2.0369 * (4f64 / 3.0).sqrt()).abs() < 1e-3, "{half}");
        let plain = together(&told, None).unwrap();
        assert!((plain.value - 11.0).abs() < 1e-12 && (plain.standard_error - 0.996_6).abs() < 1e-3);
        assert_eq!(together(&told[..1], Some(Rule::PartiallySynthetic)).map(|own| own.value), Some(10.0));
        assert!(together(&[], None).is_none());
    }

    #[test]
    fn what_stays_exactly() {
        let both = |before: &'static [u32], after: &[u32]| Both { before, after: after.to_vec() };
        let (a, b) = (both(&[0, 0, 1, 1], &[0, 1, 0, 1]), both(&[0, 1, 0, 1], &[0, 1, 0, 1]));
        assert!(a.is_kept_with(None) && b.is_kept_with(None));
        // 00 01 10 11 became 00 11 00 11.
        assert!(!a.is_kept_with(Some(&b)));
        assert!(a.is_kept_with(Some(&a)) && a.is_changed(1) && !a.is_changed(0));
        assert!(!both(&[0, 0], &[0, 1]).is_kept_with(None));
        assert!(!both(&[0, 0], &[0, 0, 0]).is_kept_with(None));
    }

    #[test]
    fn copies_are_averaged() {
        let copy = |value: f64, more: bool| {
            let all = [
                figure("a", "A", value, false, ""),
                more.then(|| figure("b", "B", value, false, "")).flatten(),
            ];
            Utility { figures: all.into_iter().flatten().collect(), ..Utility::default() }
        };
        let own = averaged(vec![copy(1.0, true), copy(2.0, false), copy(6.0, true)]);
        assert_eq!(own.figures.iter().map(|own| own.value).collect::<Vec<_>>(), [3.0, 3.5]);
        assert_eq!(averaged(Vec::new()), Utility::default());
    }
}
