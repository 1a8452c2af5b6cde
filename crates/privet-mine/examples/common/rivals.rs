//! Anonymizing first: top-down specialization, Mondrian and k-Optimize on the records that a tree learns from, and what a learner makes of
//! their tables. All attributes are taken as public, the class as private.

use std::error::Error;

use privet_criteria::{Requirement, build};
use privet_data::{Generalization, GeneralizedLevel, Random, Silent};
use privet_measure::Metric;
use privet_mine::tree::{GrowOptions, Grown, Levels, Pruning, grow};
use privet_mine::{Attribute, AttributeDomain, Examples, Schema, Values};
use privet_recode::cut::{KOptimize, TopDownSpecialization};
use privet_recode::lattice::{Codes, Problem, Quasi, partition};
use privet_recode::partition::{Choose, Mondrian, Region, Workload};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// How many records are not of the majority of their class (CM), and the squares of the sizes of classes (discernibility).
pub struct Table {
    pub minority: u64,
    pub discernibility: u64,
}

/// A tree without protection over anonymized records, and the records that it is tested on in the same form.
pub struct Learned {
    pub grown: Grown,
    pub test: Examples,
}

/// The levels of an attribute from its values to one node for all.
fn generalization(attribute: &Attribute) -> Generalization {
    let AttributeDomain::Categories { values, levels } = &attribute.domain else {
        unreachable!("examples of comparisons have categories alone")
    };
    let size = values.len() as u32;
    let level = |labels: Vec<Box<str>>, node_of_code: Vec<u32>| {
        let mut leaves = vec![0; labels.len()];
        node_of_code.iter().for_each(|&node| leaves[node as usize] += 1);
        GeneralizedLevel { node_of_code, labels: labels.into(), leaves }
    };
    let text = |own: &String| own.as_str().into();
    let mut all = vec![level(values.iter().map(text).collect(), (0..size).collect())];
    all.extend(levels.iter().map(|own| level(own.labels.iter().map(text).collect(), own.node_of.clone())));
    all.push(level(vec!["*".into()], vec![0; values.len()]));
    Generalization { leaves: size, levels: all }
}

/// Records as a search is given them.
fn with_problem<T>(
    records: &Examples,
    k: u64,
    metric: Metric,
    run: impl FnOnce(&Problem<'_>) -> Result<T>,
) -> Result<T> {
    let criteria = build(&[Requirement::KAnonymity { k }], &[], None, records.len() as u64)?;
    let schema = records.schema();
    let hierarchies: Vec<Generalization> = schema.attributes.iter().map(generalization).collect();
    let counts = |place: usize| {
        let mut counts = vec![0u64; schema.attributes[place].size()];
        records.column(place).codes.iter().for_each(|&code| counts[code as usize] += 1);
        counts
    };
    let counts: Vec<Vec<u64>> = (0..schema.attributes.len()).map(counts).collect();
    let quasi = |place: usize| Quasi {
        codes: &records.column(place).codes,
        counts: &counts[place],
        generalization: &hierarchies[place],
        numbers: None,
        weight: 1.0,
        population: None,
    };
    let label = Codes { codes: records.classes(), values: schema.class.values.len() };
    run(&Problem {
        rows: records.len(),
        quasi: (0..schema.attributes.len()).map(quasi).collect(),
        sensitive: Vec::new(),
        label: Some(label),
        criteria: &criteria,
        metric,
        suppress_at_most: 0,
    })
}

fn measured(groups: &[u32], records: &Examples) -> Table {
    let classes = records.schema().class.values.len();
    let mut counts = vec![vec![0u64; classes]; groups.iter().max().map_or(0, |&most| most as usize + 1)];
    groups
        .iter()
        .zip(records.classes())
        .for_each(|(&group, &class)| counts[group as usize][class as usize] += 1);
    let size = |own: &Vec<u64>| own.iter().sum::<u64>();
    Table {
        minority: counts.iter().map(|own| size(own) - own.iter().max().copied().unwrap_or(0)).sum(),
        discernibility: counts.iter().map(|own| size(own).pow(2)).sum(),
    }
}

/// Records whose values went where a recoding sends them.
fn recoded(records: &Examples, columns: &[GeneralizedLevel]) -> Result<Examples> {
    let schema = records.schema();
    let attribute = |(own, level): (&Attribute, &GeneralizedLevel)| {
        let labels: Vec<&str> = level.labels.iter().map(|label| &**label).collect();
        Attribute::categories(&own.name, own.visibility, &labels)
    };
    let attributes = schema.attributes.iter().zip(columns).map(attribute).collect();
    let column = |(place, level): (usize, &GeneralizedLevel)| Values {
        codes: records.column(place).codes.iter().map(|&code| level.node_of_code[code as usize]).collect(),
        numbers: Vec::new(),
    };
    let values = columns.iter().enumerate().map(column).collect();
    let schema = Schema { attributes, class: schema.class.clone() };
    Ok(Examples::new(schema, values, records.classes().to_vec())?)
}

/// How a tree over an anonymized table is split and pruned.
#[derive(Clone)]
pub struct Learner {
    pub levels: Levels,
    pub pruning: Pruning,
}

/// A tree without protection.
fn learned(records: &Examples, learner: &Learner) -> Result<Grown> {
    let Learner { levels, pruning } = learner.clone();
    Ok(grow(records, &GrowOptions { levels, pruning, ..GrowOptions::k_anonymous(1) })?)
}

/// Top-down specialization, and a tree over its table. The table's columns say where every value of the domain goes, so records that
/// are tested go there too.
pub fn specialized(train: &Examples, test: &Examples, k: u64, learner: &Learner) -> Result<(Table, Learned)> {
    with_problem(train, k, Metric::Loss, |problem| {
        let found = TopDownSpecialization::default().search(problem, &Silent)?;
        let classes = partition(problem, &found.columns.iter().collect::<Vec<_>>());
        let grown = learned(&recoded(train, &found.columns)?, learner)?;
        let test = recoded(test, &found.columns)?;
        Ok((measured(&classes.class_of, train), Learned { grown, test }))
    })
}

/// k-Optimize for the classification metric, until a limit of seconds; the second is the least CM that it could not rule out.
pub fn optimized(train: &Examples, k: u64, seconds: f64) -> Result<(Table, u64)> {
    with_problem(train, k, Metric::Classification, |problem| {
        let search = KOptimize { time_limit: Some(seconds), node_limit: None };
        let found = search.search(problem, &Silent)?;
        let classes = partition(problem, &found.columns.iter().collect::<Vec<_>>());
        let bound = found.bound.unwrap_or(0.0) * train.len() as f64;
        Ok((measured(&classes.class_of, train), bound.ceil() as u64))
    })
}

/// Mondrian by class entropy, with the errors of two learners: the majority of the box where a record falls, and a tree over records drawn
/// evenly from their boxes.
pub fn cut(train: &Examples, test: &Examples, k: u64, learner: &Learner) -> Result<(Table, [f64; 2])> {
    with_problem(train, k, Metric::Loss, |problem| {
        let mondrian = Mondrian { choose: Choose::ClassEntropy, ..Mondrian::default() };
        let found = mondrian.search(problem, &Workload::default(), &Silent)?;
        let regions = found.regions(problem);
        let covers = |place: usize, region: &Region, code: u32| match *region {
            Region::Codes { first, last } => (first..=last).contains(&code),
            Region::Node { level, node } => {
                problem.quasi[place].generalization.levels[level].node_of_code[code as usize] == node
            }
            Region::Anything => true,
        };
        let classes = train.schema().class.values.len();
        let mut counts = vec![vec![0u64; classes]; regions.len()];
        for (&group, &class) in found.groups.of.iter().zip(train.classes()) {
            counts[group as usize][class as usize] += 1;
        }
        let best =
            |own: &[u64]| (0..own.len()).max_by_key(|&class| (own[class], own.len() - class)).unwrap_or(0);
        let overall = best(&train.class_counts());
        let wrong = (0..test.len()).filter(|&row| {
            let falls = |region: &&Vec<Region>| {
                region
                    .iter()
                    .enumerate()
                    .all(|(place, own)| covers(place, own, test.column(place).codes[row]))
            };
            let at = regions.iter().position(|own| falls(&own));
            at.map_or(overall, |group| best(&counts[group])) != test.classes()[row] as usize
        });
        let by_box = wrong.count() as f64 / test.len() as f64;
        let mut random = Random::new(k);
        let column = |place: usize| {
            let size = train.schema().attributes[place].size() as u32;
            let within: Vec<Vec<u32>> = (regions.iter())
                .map(|own| (0..size).filter(|&code| covers(place, &own[place], code)).collect())
                .collect();
            let mut draw = |&group: &u32| {
                let own = &within[group as usize];
                own[random.below(own.len())]
            };
            Values { codes: found.groups.of.iter().map(&mut draw).collect(), numbers: Vec::new() }
        };
        let columns = (0..train.schema().attributes.len()).map(column).collect();
        let drawn = Examples::new(train.schema().clone(), columns, train.classes().to_vec())?;
        let by_tree = learned(&drawn, learner)?.release.predictor().error(test);
        Ok((measured(&found.groups.of, train), [by_box, by_tree]))
    })
}
