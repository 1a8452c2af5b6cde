//! Attacks on releases of counts: which sensitive value nearly everybody of a group has (AT-02), what views tell together about
//! joint cells (survey AT-06), and which hidden counts can be computed back (AT-07).
//!
//! All start from the published files alone. Before a release is handed over, somebody who knows who is in the data is tried as
//! well (`views.rs`).

use std::collections::BTreeMap;
use std::path::Path;

use foldhash::{HashMap, HashMapExt};
use privet_attack::ids;
use privet_attack::margins::{Counts, JointColumn, Margin, MarginsError, Sum, bounds};
use privet_attack::{Finding, HistogramOf, Note, Rate, Unit, quick};
use privet_criteria::Requirement;
use privet_data::io::{Encoding, Format, ReadOptions, read};
use privet_data::{Progress, Table};
use privet_release::PublishedError;
use privet_release::counts::{CountsManifest, CountsTable, Form, TOTAL};
use privet_release::published::Histograms;
use privet_report::{Assessment, CountsFacts, NotMade};

use privet_microdata::adversary::AdversarySection;
use privet_microdata::counts::ATTACKS;

use crate::assess::original::Given;
use crate::assess::{AttackOptions, MORE_PRIVACY, hold_limit, write};
use crate::composition::{COMPOSITION, composition};
use crate::error::{JobError, RunError};
use crate::load::{Loaded, load};

/// Tables that are gone through at most, in steps.
const MOST_STEPS: u64 = 3_000_000;

/// Why such attacks have no control.
const NO_CONTROL: &str =
    "There is no control: what is computed are counts of the people in the data, and of nobody else.";

/// Attacks a release of counts that is not yet in place, and refuses it when an attack succeeds more often than the job
/// accepts.
///
/// # Errors
/// When it does, or when the attack cannot be made, so that nothing shows that the limit is kept.
pub(crate) fn gate(
    folder: &Path,
    manifest: &CountsManifest,
    section: &AdversarySection,
    loaded: &Loaded,
    progress: &dyn Progress,
) -> Result<Assessment, RunError> {
    let assessment = attack(folder, manifest, section, Some(loaded), progress)?;
    hold_limit(section, &assessment, MORE_PRIVACY)?;
    Ok(assessment)
}

/// What the release's own report may say: what its readers could find out themselves.
pub(crate) fn public(assessment: &Assessment) -> Assessment {
    let mut public = assessment.clone();
    public.attacks.retain(|own| own.attack != COMPOSITION);
    public
}

/// Attacks a release of counts: by the words of the section, or in every way.
fn attack(
    folder: &Path,
    manifest: &CountsManifest,
    section: &AdversarySection,
    original: Option<&Loaded>,
    progress: &dyn Progress,
) -> Result<Assessment, RunError> {
    let mut assessment = Assessment {
        max_risk: section.max_risk,
        max_absolute_risk: section.max_absolute_risk,
        ..Assessment::default()
    };
    let tables = manifest
        .tables
        .iter()
        .map(|table| Ok((table, read_table(folder, manifest, table, progress)?)))
        .collect::<Result<Vec<_>, RunError>>()?;
    let views: Vec<&(&CountsTable, Table)> =
        tables.iter().filter(|(own, _)| own.form != Form::Totals).collect();
    for (own, table) in &tables {
        match homogeneity(manifest, own, table, section.confidence) {
            Ok(findings) => assessment.attacks.extend(findings),
            Err(why) => assessment.not_made.push(NotMade::new(ids::HOMOGENEITY, why)),
        }
    }
    let mut skip = |attack: &str, why: String| assessment.not_made.push(NotMade::new(attack, why));
    if views.is_empty() {
        skip(ids::MARGINS, "no views are published".to_owned());
    } else {
        match margins(manifest, &views, progress)? {
            Ok(finding) => assessment.attacks.push(finding),
            Err(why) => skip(ids::MARGINS, why),
        }
    }
    let mut hidden = false;
    for (own, table) in tables.iter().filter(|(own, _)| own.form == Form::Totals) {
        hidden = true;
        if own.changed.is_some() {
            let why = "its counts were changed, none is hidden".to_owned();
            assessment.not_made.push(NotMade::new(ids::SUPPRESSION_RECOVERY, why));
            continue;
        }
        match recovery(manifest, own, table) {
            Ok(finding) => assessment.attacks.push(finding),
            Err(why) => assessment.not_made.push(NotMade::new(ids::SUPPRESSION_RECOVERY, why)),
        }
    }
    if !hidden {
        let why = "no table with totals is published".to_owned();
        assessment.not_made.push(NotMade::new(ids::SUPPRESSION_RECOVERY, why));
    }
    let together = original.map(|loaded| composition(manifest, loaded, section.confidence));
    if together.as_ref().is_none_or(Vec::is_empty) {
        let why = match original {
            Some(_) => "no sensitive column is in several views with identifying ones",
            None => "it needs the original: give its job file with --original",
        };
        assessment.not_made.push(NotMade::new(COMPOSITION, why.to_owned()));
    }
    assessment.attacks.extend(together.into_iter().flatten());
    if let Some(words) = &section.attacks {
        assessment.attacks.retain(|own| words.iter().any(|word| word == own.attack));
        assessment.not_made.retain(|own| words.contains(&own.attack));
        let left = ATTACKS.iter().filter(|word| words.iter().all(|own| own != *word));
        let left = left.map(|word| NotMade::new(*word, "it was not asked for by name, and others were"));
        assessment.not_made.extend(left);
    }
    Ok(assessment)
}

/// `privet attack` on a release of counts.
pub(crate) fn attack_folder(
    options: &AttackOptions,
    manifest: &CountsManifest,
    progress: &dyn Progress,
) -> Result<Assessment, RunError> {
    let section = AdversarySection {
        attacks: options.attacks.clone(),
        confidence: options.confidence,
        max_risk: options.max_risk,
        max_absolute_risk: options.max_absolute_risk,
        ..AdversarySection::default()
    };
    let tables = manifest.tables.iter().map(|own| own.file.as_str());
    privet_release::published::intact(&options.release, &manifest.files, tables, progress)?;
    let original = match &options.original {
        Some(path) => Some(original(path, options, manifest, progress)?),
        None => None,
    };
    let assessment = attack(&options.release, manifest, &section, original.as_ref(), progress)?;
    if let Some(path) = &options.report {
        let facts = CountsFacts { assessment: assessment.clone(), ..CountsFacts::default() };
        write::whole(path, privet_report::counts_html(manifest, &facts).as_bytes())?;
    }
    Ok(assessment)
}

/// The table behind a release of counts, with the hierarchies of its job.
fn original(
    path: &Path,
    options: &AttackOptions,
    manifest: &CountsManifest,
    progress: &dyn Progress,
) -> Result<Loaded, RunError> {
    let given = Given::new(path, options.job.as_deref(), &options.settings)?;
    let Some((mut job, base)) = given.job else {
        let problem = "`--original` is a table, and labels of a release of counts are read through its job; give the job file, or it \
                       besides with --job";
        return Err(JobError::new(problem).into());
    };
    job.input.path = std::path::absolute(&given.path).unwrap_or(given.path);
    let loaded = load(&job, &base, progress)?;
    if loaded.input.table.rows as u64 != manifest.data.records {
        let problem = "`--original` has another number of records than the release was made from; give the table that it was made from";
        return Err(JobError::new(problem).into());
    }
    Ok(loaded)
}

pub(crate) fn read_table(
    folder: &Path,
    manifest: &CountsManifest,
    table: &CountsTable,
    progress: &dyn Progress,
) -> Result<Table, RunError> {
    let data = &manifest.data;
    let wrong = |problem| RunError::Published(PublishedError::Other { folder: folder.to_owned(), problem });
    if table.file.contains(['/', '\\']) || table.file.starts_with('.') {
        return Err(wrong("the manifest names a file that cannot stand in a release folder"));
    }
    let options = ReadOptions {
        format: Format::WRITTEN.into_iter().find(|f| f.word() == data.format),
        delimiter: data.delimiter.and_then(|c| u8::try_from(c).ok()),
        quote: Some(b'"'),
        header: Some(true),
        encoding: data.encoding.as_ref().map(|_| Encoding::Latin1),
        // A label may be empty, and so may a count.
        missing: Vec::new(),
        ..ReadOptions::default().exactly()
    };
    let read = read(&folder.join(&table.file), &options, progress)?.table;
    let wanted = table.columns.len() + usize::from(table.form != Form::Microdata);
    if read.columns.len() != wanted {
        return Err(wrong("the columns of a table are not those of the manifest"));
    }
    Ok(read)
}

/// What a table tells of a group.
#[derive(Default)]
struct Told {
    /// The records of each value.
    values: BTreeMap<u32, u64>,
    /// Values whose count is hidden.
    hidden: Vec<u32>,
    /// How many records there are in all, where that is told.
    all: Option<u64>,
}

/// Groups whose values are told.
struct Groups {
    /// The group, the value and how many records have it; value 0 is for what is hidden or missing.
    cells: Vec<(u32, u32, u64)>,
    /// How many groups there are.
    number: u32,
    /// The records in them.
    counted: u64,
    /// Groups of which neither the size nor a count is told.
    of_hidden_size: u64,
}

impl Groups {
    /// What a table tells, group by group.
    fn of(groups: BTreeMap<Vec<u32>, Told>, has_totals: bool) -> Self {
        let mut cells = Vec::new();
        let (mut number, mut counted, mut of_hidden_size) = (0u32, 0u64, 0u64);
        for Told { mut values, hidden, mut all } in groups.into_values() {
            let mut known: u64 = values.values().sum();
            // Where a single value is possible everybody has it, however many they are; a listed group has somebody.
            if let (0, [only]) = (known, hidden.as_slice()) {
                of_hidden_size += u64::from(all.is_none());
                known = all.unwrap_or(1).max(1);
                all = Some(known);
                values.insert(*only, known);
            }
            // A group of whom it is not told how many they are tells no share.
            let is_whole = !has_totals || hidden.is_empty();
            let Some(all) = all.or(is_whole.then_some(known)) else { continue };
            let unknown = all.saturating_sub(known) + values.get(&0).copied().unwrap_or(0);
            cells.push((number, 0, unknown));
            cells.extend(
                values.into_iter().filter(|own| own.0 > 0).map(|(value, count)| (number, value, count)),
            );
            number += 1;
            counted += all.max(known);
        }
        cells.retain(|own| own.2 > 0);
        Self { cells, number, counted, of_hidden_size }
    }
}

/// The sensitive values that nearly everybody of a group of identifying values has, column by column of a table.
fn homogeneity(
    manifest: &CountsManifest,
    own: &CountsTable,
    table: &Table,
    confidence: f64,
) -> Result<Vec<Finding>, String> {
    let with = |is_quasi: bool| -> Vec<usize> {
        (0..own.columns.len()).filter(|&at| (own.columns[at].role == "quasi") == is_quasi).collect()
    };
    let (quasi, sensitive) = (with(true), with(false));
    if own.changed.is_some() {
        return Err(format!(
            "the counts of `{}` were changed, so that they do not tell what people have",
            own.file
        ));
    }
    if quasi.is_empty() || sensitive.is_empty() {
        let which = if quasi.is_empty() { "identifying" } else { "sensitive" };
        return Err(format!("there is no {which} column in `{}`", own.file));
    }
    let label =
        |column: usize, row: usize| table.columns[column].domain.text(table.columns[column].codes[row]);
    let has_totals = own.form == Form::Totals;
    let is_total = |column: usize, row: usize| has_totals && label(column, row) == TOTAL;
    let count = |row: usize| -> Result<Option<u64>, String> {
        let text = match own.form {
            Form::Microdata => return Ok(Some(1)),
            _ => table.columns.last().map_or("", |own| own.domain.text(own.codes[row])),
        };
        match text {
            "" => Ok(None),
            text => text
                .parse()
                .map(Some)
                .map_err(|_| format!("there is something else than counts in {}", own.file)),
        }
    };
    let mut findings = Vec::new();
    for &column in &sensitive {
        // Per group the records of each value, and how many there are in all; code 0 is for what is hidden or missing.
        let mut groups: BTreeMap<Vec<u32>, Told> = BTreeMap::new();
        let others: Vec<usize> = sensitive.iter().copied().filter(|&other| other != column).collect();
        for row in 0..table.rows {
            let is_part = others.iter().any(|&own| !is_total(own, row));
            if quasi.iter().any(|&own| is_total(own, row)) || (has_totals && is_part) {
                continue;
            }
            let code = match label(column, row) {
                "" => 0,
                _ => table.columns[column].codes[row] + 1,
            };
            let key: Vec<u32> = quasi.iter().map(|&own| table.columns[own].codes[row]).collect();
            let told = groups.entry(key).or_default();
            match (is_total(column, row), count(row)?) {
                (true, all) => told.all = all,
                (false, Some(count)) => *told.values.entry(code).or_default() += count,
                (false, None) => told.hidden.push(code),
            }
        }
        let Groups { cells, number, counted, of_hidden_size } = Groups::of(groups, has_totals);
        let histograms = Histograms::of_cells(cells.into_iter(), number as usize);
        let left_out = manifest.data.records.saturating_sub(counted);
        let name = &own.columns[column].name;
        let mut finding = quick::homogeneity(name, &histograms, 1, left_out, confidence, None);
        finding.notes.push(Note::of_release(format!("In `{}`.", own.file)));
        if of_hidden_size > 0 {
            finding.notes.push(Note::of_original(format!(
                "Groups of hidden size with one possible value, each counted as one person: {of_hidden_size}."
            )));
        }
        findings.push(finding);
    }
    Ok(findings)
}

/// The counts of all views, with one number per column and per label over all of them.
fn published_margins(views: &[&(&CountsTable, Table)]) -> Result<Vec<Margin>, String> {
    // Columns and labels by name: the same in all views.
    let mut columns: HashMap<&str, usize> = HashMap::new();
    let mut labels: HashMap<(usize, &str), u32> = HashMap::new();
    let mut all = Vec::new();
    for (own, table) in views {
        let mut joint = Vec::new();
        let mut places = Vec::new();
        for column in &own.columns {
            let next = columns.len();
            let place = *columns.entry(&column.name).or_insert(next);
            places.push(place);
            joint.push(if column.role == "quasi" {
                JointColumn::Quasi(place)
            } else {
                JointColumn::Sensitive(place)
            });
        }
        let mut cells: HashMap<Vec<u32>, u64> = HashMap::new();
        for row in 0..table.rows {
            let code = |(column, &place): (usize, &usize)| {
                let own = &table.columns[column];
                let next = labels.len() as u32;
                *labels.entry((place, own.domain.text(own.codes[row]))).or_insert(next)
            };
            let key: Vec<u32> = places.iter().enumerate().map(code).collect();
            let count = match own.form {
                Form::Microdata => Some(1),
                _ => table.columns.last().and_then(|own| own.domain.text(own.codes[row]).parse().ok()),
            };
            let Some(count) = count else {
                return Err("a view has something else than counts".to_owned());
            };
            *cells.entry(key).or_default() += count;
        }
        let mut cells: Vec<(Vec<u32>, u64)> = cells.into_iter().collect();
        cells.sort();
        all.push(Margin { columns: joint, cells });
    }
    Ok(all)
}

/// What views tell together. The inner error says why the attack was not made.
fn margins(
    manifest: &CountsManifest,
    views: &[&(&CountsTable, Table)],
    progress: &dyn Progress,
) -> Result<Result<Finding, String>, RunError> {
    let all = match published_margins(views) {
        Ok(all) => all,
        Err(why) => return Ok(Err(why)),
    };
    let promised = manifest.tables.iter().flat_map(|table| &table.promises);
    let k = promised
        .filter_map(|promise| match promise.requirement {
            Requirement::KAnonymity { k } => Some(k),
            _ => None,
        })
        // A view that promises less shows groups of so few by itself.
        .min()
        .unwrap_or(2)
        .max(2);
    let found = match bounds(&all, k, progress) {
        Ok(found) => found,
        Err(MarginsError::Cancelled(cancelled)) => return Err(cancelled.into()),
        Err(error) => return Ok(Err(error.to_string())),
    };
    // Small cells of a table that counts sensitive values are what it is for; a person falls with the group of their
    // identifying values, or with the one value that is possible in it.
    let mut fallen: Vec<u32> = found.small.clone();
    fallen.extend(found.inferences.iter().flat_map(|own| own.determined.iter().map(|told| told.0)));
    fallen.sort_unstable();
    fallen.dedup();
    let people = |group: &u32| found.group_bounds.get(*group as usize).map_or(0, |own| own.low);
    let exposed = Rate::new(fallen.iter().map(people).sum(), manifest.data.records);
    let mut notes = vec![Note::of_original(format!(
        "Combinations of values over all views: {} are possible; of {} the count is known, and of {} it is below {k} if there are any.",
        found.cells.len(),
        found.determined.len(),
        found.below_k.len(),
    ))];
    let surest = found.inferences.iter().filter_map(|inference| inference.largest).fold(0.0, f64::max);
    notes.push(Note::no_control(NO_CONTROL));
    if surest > 0.0 {
        notes.push(Note::of_original(format!(
            "The surest estimate of a sensitive value in a group: {surest:.3}."
        )));
    }
    Ok(Ok(Finding {
        attack: ids::MARGINS,
        column: None,
        assumed: "the published views".to_owned(),
        success: format!(
            "fewer than {k} people are known to share the person's combination of identifying values over all views, or only one \
             sensitive value is possible in it"
        ),
        unit: Unit::People,
        exposed,
        right: None,
        control: None,
        control_group: None,
        baseline: None,
        risk: exposed.rate,
        not_counted: None,
        histogram: Vec::new(),
        histogram_of: HistogramOf::Nothing,
        notes,
    }))
}

/// Which hidden counts of a table with totals can be computed back.
fn recovery(manifest: &CountsManifest, own: &CountsTable, table: &Table) -> Result<Finding, String> {
    let dimensions = own.columns.len();
    let counts = &table.columns[dimensions];
    let mut cells = Vec::with_capacity(table.rows);
    for row in 0..table.rows {
        let text = counts.domain.text(counts.codes[row]);
        cells.push(match text {
            "" => None,
            text => {
                Some(text.parse::<u64>().map_err(|_| "a table has something else than counts".to_owned())?)
            }
        });
    }
    let label =
        |column: usize, row: usize| table.columns[column].domain.text(table.columns[column].codes[row]);
    let mut sums = Vec::new();
    for column in 0..dimensions {
        // Cells that agree in all other columns: the total, and what it is the total of.
        let mut lines: HashMap<Vec<u32>, (Option<usize>, Vec<usize>)> = HashMap::new();
        for row in 0..table.rows {
            let others =
                (0..dimensions).filter(|&other| other != column).map(|other| table.columns[other].codes[row]);
            let line = lines.entry(others.collect()).or_default();
            match label(column, row) == TOTAL {
                true => line.0 = Some(row),
                false => line.1.push(row),
            }
        }
        let mut lines: Vec<(Option<usize>, Vec<usize>)> = lines.into_values().collect();
        lines.sort();
        for (total, parts) in lines {
            let Some(total) = total else { continue };
            let terms = parts.into_iter().map(|part| (part, true)).chain([(total, false)]).collect();
            sums.push(Sum { terms, total: 0 });
        }
    }
    let hidden = cells.iter().filter(|cell| cell.is_none()).count() as u64;
    let found = Counts { cells, sums }.recover(MOST_STEPS).map_err(|error| error.to_string())?;
    let exposed = Rate::new(found.recovered.len() as u64, hidden);
    let known: u128 = found.records();
    let mut notes = vec![Note::of_original(match found.complete {
        _ if hidden == 0 => "Nothing is hidden, so that there is nothing to compute back.".to_owned(),
        true if found.tables == 1 => "1 table agrees with what is published.".to_owned(),
        true => format!("{} tables agree with what is published.", found.tables),
        false => format!(
            "At least {} tables agree with what is published; not all were gone through.",
            found.tables
        ),
    })];
    notes.push(Note::no_control(NO_CONTROL));
    Ok(Finding {
        attack: ids::SUPPRESSION_RECOVERY,
        column: Some(own.file.clone()),
        assumed: "the published table with its totals".to_owned(),
        success: "a hidden count can be computed back".to_owned(),
        unit: Unit::Cells,
        exposed,
        // What is the same in every table that agrees is so in the true one.
        right: (exposed.hits > 0).then(|| Rate::new(exposed.hits, exposed.hits)),
        control: None,
        control_group: None,
        baseline: None,
        risk: known as f64 / manifest.data.records.max(1) as f64,
        not_counted: None,
        histogram: Vec::new(),
        histogram_of: HistogramOf::Nothing,
        notes,
    })
}
