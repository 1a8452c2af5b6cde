//! From a chosen candidate to a release folder: the data, the manifest, the report.

mod data_file;
mod measured;

use std::collections::{BTreeMap, BTreeSet, HashSet};

use privet_attack::Finding;
use privet_criteria::{Grouping, Requirement, statement_of};
use privet_data::io::{Dialect, Encoding, Format, View, ViewColumn, write, write_rows};
use privet_data::{Column, Equality, Generalization, GeneralizedLevel, Kind, Progress};
use privet_measure::utility;
use privet_release::manifest::{
    Data, DataColumn, DependencyLink, Evidence, FORMAT, Form, LabelReading, Manifest, Microaggregation,
    Nodes, Promise, Recoding, Search, SensitiveTable, WorstClass,
};
use privet_release::published::Reading;
use privet_release::shown::Shown;
use privet_release::{Draft, part_name};

use crate::alike;
use crate::assess::{gate, home, standardized};
use crate::buckets;
use crate::chosen::Place;
use crate::countermeasure::{Countermeasure, p_safe};
use crate::error::{NothingLeft, RunError};
use crate::job::Job;
use crate::load::{Loaded, Quasi};
use crate::run::{Candidate, RunOptions};
pub(crate) use data_file::{DataFile, rows_per_file_of_csv};
use measured::{classes, facts, metrics};
pub(crate) use privet_microdata::publish::{evidence_of_values, without_folders, write_pages};

/// Writes the release of a candidate and puts it in place.
pub(crate) fn publish(
    draft: Draft,
    candidate: &Candidate<'_>,
    options: &RunOptions,
    progress: &dyn Progress,
) -> Result<(Manifest, Vec<Finding>), RunError> {
    let table = &candidate.loaded.input.table;
    let partition = candidate.partition;
    let suppressed: u64 =
        partition.rows.iter().zip(&partition.kept).filter(|(_, kept)| !**kept).map(|(rows, _)| rows).sum();
    match table.rows as u64 {
        0 => return Err(RunError::Empty(NothingLeft::NoInput)),
        records if records == suppressed => {
            return Err(RunError::Empty(NothingLeft::Suppressed { records }));
        }
        _ => {}
    }
    let kept: Option<Vec<bool>> = (suppressed > 0)
        .then(|| partition.class_of.iter().map(|&class| partition.kept[class as usize]).collect());
    let buckets = candidate.chosen.buckets.as_ref().map(|_| buckets::column(partition));
    let columns = table
        .columns
        .iter()
        .enumerate()
        .filter(|(position, _)| !candidate.stands_apart(*position))
        .map(|(position, column)| {
            let quasi = candidate.loaded.quasi.iter().position(|quasi| quasi.position == position);
            quasi.map_or(ViewColumn::unchanged(column), |quasi| view_of(candidate, quasi, column))
        })
        .chain(buckets.iter().map(ViewColumn::unchanged))
        .collect();
    let view = View { columns, rows: table.rows, kept: kept.as_deref() };

    let DataFile { name, format, dialect } = &DataFile::of(candidate)?;
    let format = *format;
    match candidate.job.output.rows_per_file() {
        None => {
            let mut file = draft.create(name)?;
            write(&mut file, &view, format, dialect, progress)?;
            file.finish()?;
        }
        Some(each) => {
            let each = usize::try_from(each).unwrap_or(usize::MAX);
            for (part, from) in (0..table.rows).step_by(each).enumerate() {
                let rows = from..table.rows.min(from.saturating_add(each));
                let mut file = draft.create(&part_name(name, part))?;
                write_rows(&mut file, &view, rows, format, progress)?;
                file.finish()?;
            }
        }
    }

    let mut manifest = manifest(candidate, name, format, dialect, suppressed);
    for (number, sensitive) in candidate.loaded.sensitive.iter().enumerate() {
        let Some(buckets) = &buckets else { break };
        let column = &table.columns[sensitive.position];
        let counted = buckets::Counted::new(column, buckets, partition);
        let name = match candidate.loaded.sensitive.len() {
            1 => format!("sensitive.{}", format.word()),
            _ => format!("sensitive-{}.{}", number + 1, format.word()),
        };
        let mut file = draft.create(&name)?;
        write(&mut file, &counted.view(), format, dialect, progress)?;
        file.finish()?;
        let (column, rows) = (column.name.clone(), counted.rows() as u64);
        let alike = Some(alike::plain(&table.columns[sensitive.position].domain));
        manifest.data.sensitive_tables.push(SensitiveTable { file: name, column, rows, alike });
    }
    conclude(draft, manifest, candidate, options, progress)
}

/// Attacks what is written, adds the report, makes the owner's files and puts the release in place.
pub(crate) fn conclude(
    draft: Draft,
    manifest: Manifest,
    candidate: &Candidate<'_>,
    options: &RunOptions,
    progress: &dyn Progress,
) -> Result<(Manifest, Vec<Finding>), RunError> {
    conclude_beside(draft, manifest, candidate, options, progress, &mut || Ok(()))
}

/// The same, with something that is published at the same time in another place: see [`Draft::commit_beside`].
pub(crate) fn conclude_beside(
    draft: Draft,
    manifest: Manifest,
    candidate: &Candidate<'_>,
    options: &RunOptions,
    progress: &dyn Progress,
    beside: &mut dyn FnMut() -> Result<(), RunError>,
) -> Result<(Manifest, Vec<Finding>), RunError> {
    let gated = gate(&draft, candidate, &manifest, &options.base, progress)?;
    let mut facts = facts(candidate, &options.reproduce);
    facts.attacks = gated.public;
    // The reports tell the fingerprints of what is published; their own come after them.
    let (attacks, _) = privet_report::told(&facts.attacks, &[]);
    let shown = Shown {
        reproduce: facts.reproduce.clone(),
        columns: facts.columns.clone(),
        boxes: facts.boxes.clone(),
        attacks,
        ..Shown::default()
    };
    let manifest = Manifest { files: draft.finished(), shown, ..manifest };
    write_pages(&draft, privet_report::pages(&manifest))?;
    progress.check()?;
    let manifest = draft.sealed(manifest)?;
    // Whoever gets an error must not find a release: all that can fail comes before it is put in place.
    let files = match &candidate.job.output.home {
        Some(home) => {
            let owned = home::Owned {
                release: draft.path(),
                candidate,
                manifest: &manifest,
                facts: &facts,
                base: &options.base,
            };
            Some(home::prepare(&options.base.join(home), &owned, gated.assessment, progress)?)
        }
        None => None,
    };
    progress.check()?;
    let manifest = draft.commit_beside(manifest, beside)?;
    if let Some(files) = files {
        files.put()?;
    }
    Ok((manifest, facts.attacks))
}

/// What is published of a quasi column.
pub(crate) fn view_of<'a>(candidate: &Candidate<'a>, quasi: usize, column: &'a Column) -> ViewColumn<'a> {
    let own = &candidate.loaded.quasi[quasi];
    let level = candidate.problem.at(candidate.levels)[quasi];
    match &candidate.chosen.places[quasi] {
        Place::Level(0) if own.stays_as_it_stood(column) => ViewColumn::unchanged(column),
        Place::Level(_) | Place::Nodes { .. } => ViewColumn::labelled(column, own.labels(column, level)),
        Place::Cells { codes, level, .. } => {
            let label = |&node: &u32| level.labels[node as usize].clone();
            let labels = Some(level.node_of_code.iter().map(label).collect());
            ViewColumn { column, labels, codes: Some(codes) }
        }
    }
}

pub(crate) fn manifest(
    candidate: &Candidate<'_>,
    file: &str,
    format: Format,
    dialect: &Dialect,
    suppressed: u64,
) -> Manifest {
    let Candidate { job, loaded, problem, chosen, partition, .. } = candidate;
    let rows = problem.rows as u64;
    let bucketized = chosen.buckets.is_some();
    let bucket = DataColumn {
        name: buckets::BUCKET.to_owned(),
        role: "bucket".to_owned(),
        recoding: None,
        alike: None,
    };
    let columns: Vec<DataColumn> = loaded
        .input
        .table
        .columns
        .iter()
        .enumerate()
        .filter(|(position, _)| !candidate.stands_apart(*position))
        .map(|(position, column)| {
            let quasi = loaded.quasi.iter().position(|quasi| quasi.position == position);
            let told = quasi.map(|quasi| {
                let own = &loaded.quasi[quasi];
                alike::told(job, own, own.domain(column), &chosen.places[quasi])
            });
            DataColumn {
                name: column.name.clone(),
                role: job.columns.get(&column.name).map_or("insensitive", |c| c.role.word()).to_owned(),
                recoding: quasi.zip(told).map(|(quasi, (reading, _))| recoding(candidate, quasi, reading)),
                alike: Some(match told.zip(quasi) {
                    Some((_, quasi)) if chosen.places[quasi] == Place::Level(0) => {
                        alike::plain(&column.domain)
                    }
                    Some(((reading, hides), _)) => alike::behind(&column.domain, reading, hides),
                    None => alike::plain(&column.domain),
                }),
            }
        })
        .chain(bucketized.then_some(bucket))
        .collect();
    Manifest {
        format: FORMAT,
        software: format!("privet {}", env!("CARGO_PKG_VERSION")),
        kind: if bucketized { Form::Bucketized } else { Form::Generalized },
        data: Data {
            file: file.to_owned(),
            format: format.word().to_owned(),
            delimiter: (format == Format::Csv).then_some(dialect.delimiter as char),
            encoding: (format == Format::Csv && dialect.encoding == Encoding::Latin1)
                .then(|| dialect.encoding.word().to_owned()),
            missing: alike::told_markers(job),
            sample: job
                .sampling
                .as_ref()
                .zip(loaded.sampled_from)
                .map(|(sampling, rows)| sampling.manifest(rows)),
            distorted: loaded.distorted.clone(),
            input_rows: rows,
            rows: rows - suppressed,
            suppressed,
            removed_columns: loaded.removed.clone(),
            equality: equality(loaded, &columns),
            columns,
            sensitive_tables: Vec::new(),
        },
        promises: promises(candidate),
        search: Search {
            algorithm: job.search.word().to_owned(),
            guarantee: match chosen.p_safe {
                Some(_) => p_safe::GUARANTEE.to_owned(),
                None => job.search.guarantee(chosen.anatomy.as_ref()),
            },
            minimize: chosen.own_metric.map_or(job.search.minimize.word(), |(name, _)| name).to_owned(),
            suppress_at_most: job.search.suppress_at_most,
            lattice_nodes: chosen.lattice_nodes,
            nodes_checked: chosen.nodes_checked,
            bound: chosen.bound,
            purpose: candidate.purpose.cloned(),
            minimal_nodes: chosen.minimal.clone(),
            microaggregation: microaggregation(candidate),
            anatomy: chosen.anatomy.clone(),
            p_safe: chosen.p_safe.clone(),
        },
        metrics: metrics(candidate),
        classes: classes(partition.rows.iter().zip(&partition.kept).filter(|(_, k)| **k).map(|(r, _)| *r)),
        randomness: randomness(job),
        unrepeatable: is_unrepeatable(job),
        files: Vec::new(),
        shown: Shown::default(),
        signer: None,
        seal: String::new(),
    }
}

/// Columns of whose texts it is not told which are one value by their kind, or by masks.
fn equality(loaded: &Loaded, columns: &[DataColumn]) -> BTreeMap<String, Equality> {
    let is_masked = |name: &str| {
        let own = columns.iter().find(|own| own.name == *name).and_then(|own| own.recoding.as_ref());
        own.is_some_and(|own| own.reading == Some(LabelReading::Masks))
    };
    let all = loaded.equality.iter().filter(|own| *own.1 != Equality::CODES || !is_masked(own.0));
    all.map(|(name, own)| (name.clone(), *own)).collect()
}

/// What microaggregation says of its groups; nothing of buckets, which show the records as they are.
fn microaggregation(candidate: &Candidate<'_>) -> Option<Microaggregation> {
    let Candidate { loaded, chosen, .. } = candidate;
    let own = chosen.aggregation.as_ref().filter(|_| chosen.buckets.is_none())?;
    let name = |&column: &usize| loaded.input.table.columns[loaded.quasi[column].position].name.clone();
    let links = own.tree.iter().flat_map(|tree| &tree.links).map(|(a, b, apart)| DependencyLink {
        columns: [name(a), name(b)],
        variation_of_information: *apart,
    });
    Some(Microaggregation {
        method: own.method.word().to_owned(),
        sse: own.sse,
        sst: own.sst,
        key_columns: own.keys.iter().map(name).collect(),
        dependency_tree: links.collect(),
    })
}

/// SSE/SST of the quasi columns of numbers, as `privet measure` works it out: each column by its standard deviation, none
/// weighted. `None` when there is no such column.
fn spread_within_classes(candidate: &Candidate<'_>) -> Option<f64> {
    let Candidate { job, loaded, partition, .. } = candidate;
    let of_numbers = |quasi: &&Quasi| {
        let name = &loaded.input.table.columns[quasi.position].name;
        quasi.numbers.is_some() && !job.is_code(name, &quasi.generalization)
    };
    let columns: Vec<Vec<f64>> = loaded
        .quasi
        .iter()
        .filter(of_numbers)
        .map(|quasi| standardized(&loaded.input.table.columns[quasi.position]))
        .collect();
    let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
    let classes = utility::Classes::new(&partition.class_of, None).ok()?;
    let squares = classes.sum_of_squares(&columns).ok().filter(|_| !columns.is_empty())?;
    Some(squares.ratio())
}

/// Whether something was drawn from a seed that nobody kept.
fn is_unrepeatable(job: &Job) -> bool {
    job.adversary.countermeasure == Some(Countermeasure::Distort)
        || job.sampling.as_ref().is_some_and(|sampling| sampling.seed.is_none())
        || job.search.draws_from_unkept_seed()
}

/// Where all randomness of a release came from.
fn randomness(job: &Job) -> String {
    if job.adversary.countermeasure == Some(Countermeasure::Distort) {
        return "operating system".to_owned();
    }
    let sampling = job.sampling.as_ref().map(|sampling| sampling.randomness());
    match (sampling, job.search.randomness()) {
        (None, search) => search,
        (Some(sampling), search) if search == "none" => sampling,
        (Some(sampling), search) => format!("{sampling}; {search}"),
    }
}

fn recoding(candidate: &Candidate<'_>, quasi: usize, reading: LabelReading) -> Recoding {
    let own = candidate.own.quasi[quasi].generalization;
    let generalization = candidate.problem.quasi[quasi].generalization;
    let level = candidate.levels[quasi];
    let (at, nodes) = match &candidate.chosen.places[quasi] {
        Place::Level(level) => (Some(*level), None),
        Place::Nodes { kind, level } => (None, Some((*kind, level))),
        Place::Cells { kind, level, .. } => (None, Some((*kind, level))),
    };
    let partition = candidate.partition;
    let codes = candidate.problem.quasi[quasi].codes;
    let mut loss = 0.0;
    for (class, &rows) in partition.rows.iter().enumerate() {
        let each = match partition.kept[class] {
            true => generalization.loss(level, codes[partition.first[class] as usize]),
            false => 1.0,
        };
        loss += rows as f64 * each;
    }
    Recoding {
        level: at,
        nodes: nodes.map(|(kind, level)| {
            let classes = partition.first.iter().zip(&partition.kept).filter(|(_, kept)| **kept);
            let labels: BTreeSet<u32> =
                classes.map(|(&record, _)| level.node_of_code[codes[record as usize] as usize]).collect();
            let shown = labels.iter().map(|&node| &*level.labels[node as usize]);
            let groups = (!matches!(kind, "means" | "medians" | "modes"))
                .then(|| groups(shown, own, candidate.loaded.quasi[quasi].reading));
            Nodes { kind: kind.to_owned(), labels: labels.len() as u64, groups }
        }),
        height: own.height(),
        leaves: u64::from(own.leaves),
        labels_per_level: own.labels_per_level(),
        reading: Some(reading),
        loss: loss / candidate.problem.rows.max(1) as f64,
        weight: candidate.problem.quasi[quasi].weight,
    }
}

/// Labels that are neither values nor `*` nor ranges, and, where labels of the hierarchy can be read, not read either. A label
/// that is a value and the name of a group is a group, unless the hierarchy calls nothing else so.
fn groups<'a>(
    labels: impl Iterator<Item = &'a str>,
    generalization: &Generalization,
    reading: LabelReading,
) -> Vec<String> {
    fn texts(levels: &[GeneralizedLevel]) -> HashSet<&str> {
        levels.iter().flat_map(|level| level.labels.iter().map(|text| &**text)).collect()
    }
    let (lowest, above) = generalization.levels.split_at(generalization.levels.len().min(1));
    let (values, names) = (texts(lowest), texts(above));
    let is_read = |label: &str| {
        let kinds = [Kind::Decimal, Kind::Date, Kind::Text];
        reading != LabelReading::Names && kinds.into_iter().any(|kind| Reading::of(label, kind).is_some())
    };
    let is_group = |label: &&str| {
        let is_star = label.chars().all(|c| c == '*');
        let is_value = values.contains(*label) && (reading != LabelReading::Names || !names.contains(*label));
        !is_star && !alike::is_range(label) && !is_value && !is_read(label)
    };
    let groups: BTreeSet<&str> = labels.filter(is_group).collect();
    groups.into_iter().map(str::to_owned).collect()
}

fn promises(candidate: &Candidate<'_>) -> Vec<Promise> {
    let Candidate { loaded, partition, .. } = candidate;
    let sensitive = loaded.sensitive_names();
    // The place in the published table, counted from 1, of a record of the input.
    let place = |record: u32| {
        if let Some(first) = candidate.first_of_group {
            // Nothing is suppressed, and the record of a class is its first group.
            return first.get(record as usize).map_or(0, |&first| u64::from(first) + 1);
        }
        if let Some(weighted) = &candidate.weighted {
            return weighted.places.get(&record).copied().unwrap_or(0);
        }
        let before = &partition.class_of[..=record as usize];
        before.iter().filter(|&&class| partition.kept[class as usize]).count() as u64
    };
    loaded
        .requirements
        .iter()
        .zip(&partition.reached)
        .map(|(requirement, reached)| Promise {
            requirement: without_folders(requirement),
            statement: statement_of(
                requirement,
                &sensitive,
                match candidate.chosen.buckets {
                    Some(_) => Grouping::Buckets,
                    None => Grouping::Classes,
                },
            ),
            reached: reached.map_or(0.0, |(value, _)| value),
            worst_class: reached.map(|(_, class)| WorstClass {
                record: place(partition.first[class as usize]),
                rows: partition.rows[class as usize],
            }),
            evidence: evidence(candidate, requirement),
        })
        .collect()
}

fn evidence(candidate: &Candidate<'_>, requirement: &Requirement) -> Evidence {
    let Candidate { loaded, problem, levels, partition, .. } = candidate;
    let mut evidence = Evidence::default();
    if requirement.population().is_some() {
        evidence.population_sha256 = loaded.population.as_ref().map(|population| population.sha256.clone());
        evidence.population_labels = Some(
            loaded
                .quasi
                .iter()
                .zip(problem.at(levels))
                .map(|(quasi, level)| {
                    let labels = quasi.population_labels(level).into_iter();
                    labels.map(|(text, label)| (text.to_owned(), label.to_owned())).collect()
                })
                .collect(),
        );
    }
    let of_values = evidence_of_values(loaded, requirement, |column| {
        // Where groups stand for records nothing is suppressed.
        let mut is_published = vec![candidate.first_of_group.is_some(); column.domain.len()];
        for (&code, &class) in column.codes.iter().zip(&partition.class_of) {
            is_published[code as usize] |= partition.kept[class as usize];
        }
        is_published
    });
    let Evidence { population_sha256, population_labels, .. } = evidence;
    Evidence { population_sha256, population_labels, ..of_values }
}
