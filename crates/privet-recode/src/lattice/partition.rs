//! The records of a chosen candidate: who is in which class, and who is suppressed.

use privet_criteria::{Better, Class, Criterion, Histogram, Summaries};
use privet_data::GeneralizedLevel;
use rayon::prelude::*;

use super::columns::QuasiColumn;
use super::engine::ordered_columns;
use super::intern::Interner;
use super::judge::choose;
use super::key::{Key, Layout};
use super::problem::Problem;
use crate::groups::{Groups, members};
use crate::jury::Counted;

/// The classes of a candidate over the records of the table.
#[derive(Debug, Clone)]
pub struct Partition {
    /// Per record its class. Classes are numbered in the order in which they first appear.
    pub class_of: Vec<u32>,
    /// Per class its records.
    pub rows: Vec<u64>,
    /// Per class its first record.
    pub first: Vec<u32>,
    /// Per class whether all criteria hold, so that it is published.
    pub kept: Vec<bool>,
    /// Per class the records with its most frequent class label; empty without a class column.
    pub majority: Vec<u64>,
    /// Per criterion what the worst published class reaches, and which class that is.
    pub reached: Vec<Option<(f64, u32)>>,
}

/// Forms the classes of a candidate from the records and judges each once more. `recoding` tells per quasi column
/// where its values go.
pub fn partition(problem: &Problem<'_>, recoding: &[&GeneralizedLevel]) -> Partition {
    judge(problem, form(problem, recoding), None)
}

/// The same of a problem whose codes list distinct tuples in place of records; `weights` tells the records of each.
/// `class_of` and `first` speak of tuples then, and `rows` of records.
pub fn partition_weighted(
    problem: &Problem<'_>,
    weights: &[u32],
    recoding: &[&GeneralizedLevel],
) -> Partition {
    let (quasi, sensitive) = (problem.quasi.clone(), problem.sensitive.clone());
    let listed = Problem { rows: weights.len(), quasi, sensitive, ..*problem };
    let mut classes = form(&listed, recoding);
    classes.rows.fill(0);
    for (&class, &weight) in classes.class_of.iter().zip(weights) {
        classes.rows[class as usize] += u64::from(weight);
    }
    judge(problem, classes, Some(weights))
}

fn form(problem: &Problem<'_>, recoding: &[&GeneralizedLevel]) -> Grouped {
    let layout = Layout::new(recoding.iter().map(|level| level.labels.len()));
    match layout.words {
        1 => group::<1>(problem, recoding, &layout),
        2 => group::<2>(problem, recoding, &layout),
        3..=4 => group::<4>(problem, recoding, &layout),
        5..=32 => group::<32>(problem, recoding, &layout),
        _ => group_by_columns(problem, recoding),
    }
}

/// The classes of groups that are told apart by their number, whatever their records show.
pub fn partition_of_groups(problem: &Problem<'_>, groups: &Groups) -> Partition {
    // Numbered in the order in which they first appear, as all classes are.
    let Groups { of: class_of, count } = Groups::numbered(&groups.of);
    let (mut rows, mut first) = (vec![0; count], vec![0; count]);
    for (record, &class) in class_of.iter().enumerate() {
        if rows[class as usize] == 0 {
            first[class as usize] = record as u32;
        }
        rows[class as usize] += 1;
    }
    judge(problem, Grouped { class_of, rows, first, population: vec![0; count] }, None)
}

/// Sum over the distinct tuples of the quasi-identifier of p ln p.
pub fn tuple_entropy(problem: &Problem<'_>) -> f64 {
    let recoding = problem.at(&vec![0; problem.quasi.len()]);
    let layout = Layout::new(recoding.iter().map(|level| level.labels.len()));
    if layout.words == 1 {
        return tuple_entropy_of_keys(problem, &recoding, &layout);
    }
    let values = partition(problem, &problem.at(&vec![0; problem.quasi.len()]));
    let n = problem.rows.max(1) as f64;
    values.rows.iter().map(|&rows| rows as f64 / n).map(|p| p * p.ln()).sum()
}

/// The same of tuples that fit into one word: put in order, they take a third of the room of classes.
fn tuple_entropy_of_keys(problem: &Problem<'_>, recoding: &[&GeneralizedLevel], layout: &Layout) -> f64 {
    let mut keys: Vec<(u64, u32)> = (0..problem.rows as u32).map(|row| (0, row)).collect();
    for ((quasi, level), field) in problem.quasi.iter().zip(recoding).zip(&layout.fields) {
        for ((key, _), &code) in keys.iter_mut().zip(quasi.codes) {
            *key |= field.put(level.node_of_code[code as usize]);
        }
    }
    keys.par_sort_unstable();
    // Summed up in the order in which tuples first appear, as classes are.
    let mut tuples: Vec<(u32, u32)> =
        keys.chunk_by(|a, b| a.0 == b.0).map(|same| (same[0].1, same.len() as u32)).collect();
    drop(keys);
    tuples.par_sort_unstable();
    let n = problem.rows.max(1) as f64;
    tuples.into_iter().map(|(_, rows)| f64::from(rows) / n).map(|p| p * p.ln()).sum()
}

struct Grouped {
    class_of: Vec<u32>,
    rows: Vec<u64>,
    first: Vec<u32>,
    population: Vec<u64>,
}

fn group<'p, const W: usize>(
    problem: &Problem<'p>,
    recoding: &[&GeneralizedLevel],
    layout: &Layout,
) -> Grouped {
    // Per column and code the bits that it adds to a key.
    let bits: Vec<Vec<u64>> = recoding
        .iter()
        .zip(&layout.fields)
        .map(|(level, field)| level.node_of_code.iter().map(|&node| field.put(node)).collect())
        .collect();
    let pack = |begin: usize, codes: &dyn Fn(usize) -> &'p [u32], keys: &mut [Key<W>]| {
        for (i, (bits, field)) in bits.iter().zip(&layout.fields).enumerate() {
            for (key, &code) in keys.iter_mut().zip(&codes(i)[begin..]) {
                key[field.word] |= bits[code as usize];
            }
        }
    };
    // A block is packed in parallel and numbered in order; the keys of all records together would take much room.
    // The keys of a part stay in the nearest cache while column after column is added.
    const PART: usize = 1 << 11;
    const BLOCK: usize = 1 << 16;
    let mut keys: Vec<Key<W>> = vec![[0; W]; problem.rows.min(BLOCK)];
    let mut interner = Interner::with_capacity(1024);
    let (mut rows, mut first) = (Vec::new(), Vec::new());
    let mut class_of = Vec::with_capacity(problem.rows);
    while class_of.len() < problem.rows {
        let begin = class_of.len();
        keys.truncate(problem.rows - begin);
        keys.par_chunks_mut(PART).enumerate().for_each(|(part, keys)| {
            keys.fill([0; W]);
            pack(begin + part * PART, &|i| problem.quasi[i].codes, keys);
        });
        class_of.extend(keys.iter().enumerate().map(|(row, key)| {
            let (class, new) = interner.intern(key);
            if new {
                rows.push(0u64);
                first.push((begin + row) as u32);
            }
            rows[class as usize] += 1;
            class
        }));
    }
    let mut population = vec![0u64; rows.len()];
    let people = problem.quasi.first().and_then(|q| q.population).map_or(0, <[u32]>::len);
    let mut person_keys: Vec<Key<W>> = vec![[0; W]; people];
    pack(0, &|i| problem.quasi[i].population.unwrap_or_default(), &mut person_keys);
    for key in &person_keys {
        let (class, new) = interner.intern(key);
        if new {
            population.push(0);
        }
        population[class as usize] += 1;
    }
    population.truncate(rows.len());
    Grouped { class_of, rows, first, population }
}

/// Forms classes of any number of columns: those of the first columns, told apart by the next one, and so on.
fn group_by_columns(problem: &Problem<'_>, recoding: &[&GeneralizedLevel]) -> Grouped {
    let people = problem.quasi.first().and_then(|q| q.population).map_or(0, <[u32]>::len);
    let mut class_of = vec![0u32; problem.rows + people];
    for (quasi, level) in problem.quasi.iter().zip(recoding) {
        let mut interner = Interner::<1>::with_capacity(1024);
        let codes = quasi.codes.iter().chain(quasi.population.unwrap_or_default());
        for (class, &code) in class_of.iter_mut().zip(codes) {
            let node = level.node_of_code[code as usize];
            *class = interner.intern(&[u64::from(*class) << 32 | u64::from(node)]).0;
        }
    }
    // Classes with a record are numbered first, because records come before people.
    let with_records = class_of[..problem.rows].iter().max().map_or(0, |&class| class as usize + 1);
    let mut grouped = Grouped {
        rows: vec![0; with_records],
        first: vec![0; with_records],
        population: vec![0; with_records],
        class_of: Vec::new(),
    };
    for (row, &class) in class_of[..problem.rows].iter().enumerate() {
        if grouped.rows[class as usize] == 0 {
            grouped.first[class as usize] = row as u32;
        }
        grouped.rows[class as usize] += 1;
    }
    for &class in &class_of[problem.rows..] {
        if let Some(count) = grouped.population.get_mut(class as usize) {
            *count += 1;
        }
    }
    class_of.truncate(problem.rows);
    grouped.class_of = class_of;
    grouped
}

fn judge(problem: &Problem<'_>, classes: Grouped, weights: Option<&[u32]>) -> Partition {
    let Grouped { class_of, rows, first, population } = classes;
    let looks = problem.criteria.iter().any(|criterion| !criterion.histograms().is_empty());
    let listed = looks || problem.label.is_some();
    let members = listed.then(|| members(&class_of, rows.len()));
    let mut label = problem.label.as_ref().map(Counted::new);
    let mut partition = Partition {
        kept: vec![false; rows.len()],
        majority: Vec::new(),
        reached: vec![None; problem.criteria.len()],
        class_of: Vec::new(),
        first,
        rows,
    };
    let together: Vec<&dyn Criterion> =
        problem.criteria.iter().map(|c| &**c).filter(|c| !c.bucket_independent()).collect();
    let mut told = vec![Summaries::default(); together.len()];
    let mut classes = Classes {
        histograms: if looks { problem.sensitive.iter().map(Counted::new).collect() } else { Vec::new() },
        members: members.as_ref(),
        population: &population,
        weights,
    };
    for class in 0..population.len() {
        let rows = partition.rows[class];
        partition.kept[class] = classes.look(class, rows, |view| {
            let kept = judge_class(problem.criteria, view, class as u32, &mut partition.reached);
            if kept {
                together.iter().zip(&mut told).for_each(|(criterion, told)| told.add(*criterion, view));
            }
            kept
        });
        if let Some(label) = &mut label {
            label.fill_weighted(classes.records(class), weights);
            partition.majority.push(label.view().occurring().max().map_or(0, u64::from));
            label.clear();
        }
    }
    partition.class_of = class_of;
    if !together.is_empty() {
        judge_kept_together(problem, &together, &told, &mut partition, &mut classes);
    }
    partition
}

/// Judges the classes that are kept once more, by criteria that look at all of them, and tells what was reached by
/// those that are left.
fn judge_kept_together(
    problem: &Problem<'_>,
    together: &[&dyn Criterion],
    told: &[Summaries],
    partition: &mut Partition,
    classes: &mut Classes<'_>,
) {
    let alone: Vec<usize> = (0..partition.kept.len()).filter(|&class| partition.kept[class]).collect();
    let stay = stay_together(problem, together, told, partition, &alone);
    for (&class, &stays) in alone.iter().zip(&stay) {
        partition.kept[class] = stays;
    }
    let left: Vec<usize> = alone.iter().zip(&stay).filter(|(_, stays)| **stays).map(|(&c, _)| c).collect();
    if left.len() < alone.len() {
        partition.reached.fill(None);
        for &class in &left {
            let rows = partition.rows[class];
            let reached = &mut partition.reached;
            classes.look(class, rows, |view| note_worst(problem.criteria, view, class as u32, reached));
        }
    }
    let mut told = told.iter();
    for (criterion, worst) in problem.criteria.iter().zip(&mut partition.reached) {
        if criterion.bucket_independent() {
            continue;
        }
        let Some(told) = told.next() else { break };
        *worst = None;
        for (&class, reached) in left.iter().zip(criterion.reached_together(&told.only(&stay))) {
            note_worse(&**criterion, reached, class as u32, worst);
        }
    }
}

/// Which classes stay, of those that hold by themselves. They are asked about in the order of the search, which chooses
/// the same of two choices that suppress equally many records.
fn stay_together(
    problem: &Problem<'_>,
    together: &[&dyn Criterion],
    told: &[Summaries],
    partition: &Partition,
    alone: &[usize],
) -> Vec<bool> {
    let conflicts = together.iter().zip(told).any(|(criterion, told)| !criterion.conflicts(told).is_empty());
    if !conflicts {
        return vec![true; alone.len()];
    }
    let absence = problem.criteria.iter().any(|criterion| criterion.judges_absence());
    let limit = if absence { 0 } else { problem.suppress_at_most };
    let failing = partition.rows.iter().zip(&partition.kept).filter(|(_, kept)| !**kept);
    let left = limit.checked_sub(failing.map(|(rows, _)| rows).sum());
    let least = least_tuples(problem, partition);
    let mut order: Vec<usize> = (0..alone.len()).collect();
    order.sort_by(|&a, &b| least[alone[a]].cmp(&least[alone[b]]));
    let told: Vec<Summaries> = told.iter().map(|told| told.in_order(&order)).collect();
    let rows: Vec<u64> = order.iter().map(|&place| partition.rows[alone[place]]).collect();
    let choice = choose(together, &told, &rows, left);
    let mut stay = vec![false; alone.len()];
    order.iter().zip(choice.stays).for_each(|(&place, stays)| stay[place] = stays);
    stay
}

/// Per class the first of its tuples as the search sorts them.
fn least_tuples(problem: &Problem<'_>, partition: &Partition) -> Vec<Vec<u32>> {
    let (order, columns) = ordered_columns(problem);
    let mut least: Vec<Option<Vec<u32>>> = vec![None; partition.rows.len()];
    let mut tuple = Vec::new();
    for (row, &class) in partition.class_of.iter().enumerate() {
        tuple.clear();
        // The last column lies in the highest bits of a key.
        let of = |(&i, column): (&usize, &QuasiColumn)| {
            column.node_of_code(0)[problem.quasi[i].codes[row] as usize]
        };
        tuple.extend(order.iter().zip(&columns).map(of).rev());
        let least = &mut least[class as usize];
        if least.as_ref().is_none_or(|least| tuple < *least) {
            *least = Some(tuple.clone());
        }
    }
    least.into_iter().map(Option::unwrap_or_default).collect()
}

/// The classes, to be looked at one by one.
struct Classes<'a> {
    histograms: Vec<Counted<'a>>,
    members: Option<&'a (Vec<u32>, Vec<u32>)>,
    population: &'a [u64],
    /// Per listed tuple its records, where tuples are listed.
    weights: Option<&'a [u32]>,
}

impl<'a> Classes<'a> {
    /// The records of a class, where they are listed.
    fn records(&self, class: usize) -> &'a [u32] {
        self.members
            .map_or(&[][..], |(starts, records)| &records[starts[class] as usize..starts[class + 1] as usize])
    }

    fn look<T>(&mut self, class: usize, rows: u64, look: impl FnOnce(&Class<'_>) -> T) -> T {
        let records = self.records(class);
        self.histograms.iter_mut().for_each(|histogram| histogram.fill_weighted(records, self.weights));
        let views: Vec<Histogram<'_>> = self.histograms.iter().map(Counted::view).collect();
        let found = look(&Class { rows, population: self.population[class], histograms: &views });
        self.histograms.iter_mut().for_each(Counted::clear);
        found
    }
}

fn note_worst(
    criteria: &[Box<dyn Criterion>],
    view: &Class<'_>,
    class: u32,
    reached: &mut [Option<(f64, u32)>],
) {
    for (criterion, worst) in criteria.iter().zip(reached) {
        note_worse(&**criterion, criterion.reached(view), class, worst);
    }
}

/// Whether a class satisfies all criteria; if it does, it is noted where it is the worst so far.
pub(crate) fn judge_class(
    criteria: &[Box<dyn Criterion>],
    view: &Class<'_>,
    class: u32,
    reached: &mut [Option<(f64, u32)>],
) -> bool {
    let kept = criteria.iter().all(|criterion| criterion.holds(view));
    if kept {
        note_worst(criteria, view, class, reached);
    }
    kept
}

fn note_worse(criterion: &dyn Criterion, reached: f64, class: u32, worst: &mut Option<(f64, u32)>) {
    let worse = match (*worst, criterion.better()) {
        (None, _) => true,
        (Some((so_far, _)), Better::Higher) => reached < so_far,
        (Some((so_far, _)), Better::Lower) => reached > so_far,
    };
    if worse {
        *worst = Some((reached, class));
    }
}

#[cfg(test)]
mod tests {
    use privet_measure::Metric;
    use proptest::prelude::*;

    use super::*;
    use crate::lattice::Quasi;

    proptest! {
        /// The two ways to form classes agree, people of a population table included.
        #[test]
        fn columns_one_by_one_form_the_same_classes(
            rows in prop::collection::vec(prop::collection::vec(0u32..3, 4), 0..30),
            people in prop::collection::vec(prop::collection::vec(0u32..3, 4), 0..30),
            nodes in prop::collection::vec(0u32..2, 3),
        ) {
            let of = |records: &[Vec<u32>], column: usize| records.iter().map(|r| r[column]).collect::<Vec<u32>>();
            let level = GeneralizedLevel {
                node_of_code: nodes,
                labels: vec!["a".into(), "b".into()].into(),
                leaves: vec![1, 2],
            };
            let generalization = privet_data::Generalization { leaves: 3, levels: vec![level.clone()] };
            let columns: Vec<(Vec<u32>, Vec<u32>)> = (0..4).map(|c| (of(&rows, c), of(&people, c))).collect();
            let problem = Problem {
                rows: rows.len(),
                quasi: columns
                    .iter()
                    .map(|(codes, people)| Quasi {
                        codes,
                        counts: &[0; 3],
                        generalization: &generalization,
                        numbers: None,
                        weight: 1.0,
                        population: Some(people),
                    })
                    .collect(),
                sensitive: Vec::new(),
                label: None,
                criteria: &[],
                metric: Metric::Loss,
                suppress_at_most: 0,
            };
            let recoding = [&level; 4];
            let layout = Layout::new(recoding.iter().map(|level| level.labels.len()));
            let (a, b) = (group::<1>(&problem, &recoding, &layout), group_by_columns(&problem, &recoding));
            prop_assert_eq!(a.class_of, b.class_of);
            prop_assert_eq!(a.rows, b.rows);
            prop_assert_eq!(a.first, b.first);
            prop_assert_eq!(a.population, b.population);
        }

        /// Distinct tuples with their numbers of records stand for the records: the same levels are found, and the same
        /// classes are formed and judged alike, in whatever order the tuples are listed.
        #[test]
        fn weighted_tuples_stand_for_their_records(
            tuples in prop::collection::vec(((0u32..4, 0u32..3, 0u32..3), 1u32..4), 1..12),
            k in 1u64..4,
            allowed in 0u64..4,
        ) {
            let weights: Vec<u32> = tuples.iter().map(|own| own.1).collect();
            let records: Vec<(u32, u32, u32)> = tuples
                .iter()
                .flat_map(|&(tuple, weight)| std::iter::repeat_n(tuple, weight as usize))
                .collect();
            let listed: Vec<(u32, u32, u32)> = tuples.iter().map(|own| own.0).collect();
            let columns = |of: &[(u32, u32, u32)]| -> [Vec<u32>; 3] {
                [of.iter().map(|t| t.0).collect(), of.iter().map(|t| t.1).collect(), of.iter().map(|t| t.2).collect()]
            };
            let (by_record, by_tuple) = (columns(&records), columns(&listed));
            let generalizations = [generalization(4), generalization(3)];
            let counts: Vec<Vec<u64>> = (0..2)
                .map(|i| {
                    let values = [4, 3][i];
                    (0..values).map(|code| by_record[i].iter().filter(|&&own| own == code).count() as u64).collect()
                })
                .collect();
            let names = ["a", "b", "c"].map(Box::from).to_vec();
            let domain = privet_data::Domain::from_sorted(names, 0, privet_data::Kind::Text);
            let of_sensitive: Vec<u64> =
                (0..3).map(|code| by_record[2].iter().filter(|&&own| own == code).count() as u64).collect();
            // k is at most the number of records, and no class keeps a share of 0.7 for one value of one.
            prop_assume!(records.len() as u64 >= k);
            prop_assume!(of_sensitive.iter().filter(|&&count| count > 0).count() > 1);
            let sensitive = privet_criteria::SensitiveColumn {
                name: "s", domain: &domain, counts: &of_sensitive, hierarchy: None,
            };
            let requirements = [
                privet_criteria::Requirement::KAnonymity { k },
                privet_criteria::Requirement::AlphaK {
                    alpha: 0.7, k, values: Vec::new(), column: Some("s".to_owned()),
                },
            ];
            let criteria = privet_criteria::build(&requirements, &[sensitive], None, records.len() as u64).unwrap();
            let problem = |codes: &'static [Vec<u32>; 3]| -> Problem<'static> {
                Problem {
                    rows: records.len(),
                    quasi: (0..2)
                        .map(|i| Quasi {
                            codes: &codes[i],
                            counts: Box::leak(counts[i].clone().into_boxed_slice()),
                            generalization: Box::leak(Box::new(generalizations[i].clone())),
                            numbers: None,
                            weight: 1.0,
                            population: None,
                        })
                        .collect(),
                    sensitive: vec![crate::lattice::Codes { codes: &codes[2], values: 3 }],
                    label: None,
                    criteria: &[],
                    metric: Metric::Loss,
                    suppress_at_most: allowed,
                }
            };
            let of_records = problem(Box::leak(Box::new(by_record)));
            let of_tuples = problem(Box::leak(Box::new(by_tuple)));
            let (of_records, of_tuples) =
                (Problem { criteria: &criteria, ..of_records }, Problem { criteria: &criteria, ..of_tuples });
            let options = crate::lattice::Options::default();
            let expected = crate::lattice::run(&of_records, &options, &privet_data::Silent);
            let found = crate::lattice::run_weighted(&of_tuples, &weights, &options, &privet_data::Silent);
            match (expected, found) {
                (Ok(expected), Ok(found)) => {
                    prop_assert_eq!(&found.levels, &expected.levels);
                    prop_assert_eq!(found.value, expected.value);
                    prop_assert_eq!((found.suppressed, found.classes), (expected.suppressed, expected.classes));
                    prop_assert_eq!(found.tuple_entropy, expected.tuple_entropy);
                    let a = partition(&of_records, &of_records.at(&expected.levels));
                    let b = partition_weighted(&of_tuples, &weights, &of_tuples.at(&expected.levels));
                    prop_assert_eq!((&a.rows, &a.kept, &a.reached), (&b.rows, &b.kept, &b.reached));
                }
                (Err(expected), Err(found)) => prop_assert_eq!(expected.to_string(), found.to_string()),
                other => prop_assert!(false, "{:?}", other),
            }
        }
    }

    /// Values, then one label for all.
    fn generalization(values: u32) -> privet_data::Generalization {
        let one_by_one = GeneralizedLevel {
            node_of_code: (0..values).collect(),
            labels: (0..values).map(|value| value.to_string().into()).collect(),
            leaves: vec![1; values as usize],
        };
        let all = GeneralizedLevel {
            node_of_code: vec![0; values as usize],
            labels: vec!["*".into()].into(),
            leaves: vec![values],
        };
        privet_data::Generalization { leaves: values, levels: vec![one_by_one, all] }
    }
}
