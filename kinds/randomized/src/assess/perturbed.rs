//! Attacks on perturbed releases: what the published laws let an adversary filter out of the noise (survey AT-15 to
//! AT-18).
//!
//! # Guarantee
//! Attacks start from the release alone. The original, where it is given, tells how near they came, and stands in for
//! the adversary's file of people in linking. Without it nobody knows how many records fall: all count as exposed in the
//! adversary's eyes where the error that is expected is small, and none otherwise. Findings hold no value.

use std::path::{Path, PathBuf};

use privet_attack::ids;
use privet_attack::knowledge::TimeOrder;
use privet_attack::noise::linkage::Link;
use privet_attack::noise::{
    Knowing, NoiseFinding, Outcome, PerturbedColumn, assess_beside, average_copies, filter_series,
};
use privet_attack::{Finding, HistogramOf, Knowledge, Note, Rate, Unit};
use privet_data::io::{ReadErrorKind, ReadOptions, read};
use privet_data::{Column, Kind, Progress, Table};
use privet_perturb::Law;
use privet_release::PublishedPerturbed;
use privet_release::perturbed::{ModelColumn, NoiseWay, Perturbation};
use privet_report::{Assessment, NotMade};

use super::records::{is_same, must_be_same};
use super::{AttackOptions, write};
use crate::error::{JobError, RunError};
use crate::load::unknown_among;
use crate::randomize::{RandomizeJob, model::noise_of};
use crate::run::base_of;

/// What `--attacks` may name.
pub(super) const ATTACKS: [&str; 7] = [
    ids::CONSTANT_COLUMN,
    ids::SPECTRAL_FILTER,
    ids::BEST_LINEAR_ESTIMATE,
    ids::NOISE_LINKAGE,
    ids::WAVELET_FILTER,
    ids::KNOWN_POINTS,
    ids::AVERAGING,
];

/// A column that is attacked.
struct Attacked<'a> {
    name: &'a str,
    law: Law,
    /// To which multiples published values are rounded; 0 for none.
    step: f64,
    /// What originals are multiples of, as far as it is published; 0 for nothing.
    unit: f64,
    /// The factor of noise that is correlated as the data are.
    together: Option<f64>,
    kind: Kind,
    values: Vec<f64>,
    original: Option<Vec<f64>>,
}

/// Attacks a release whose columns were perturbed by laws.
pub(crate) fn attack(
    options: &AttackOptions,
    knowledge: &Knowledge,
    progress: &dyn Progress,
) -> Result<Assessment, RunError> {
    let published = PublishedPerturbed::of(&options.manifest()?, progress)?;
    let source = options.original.as_deref().map(Source::File);
    let assessment = assess(options, knowledge, &published, source, false, progress)?;
    if let Some(path) = &options.report {
        let page = privet_report::owner_perturbed_html(&published.manifest, &assessment);
        write::whole(path, page.as_bytes())?;
    }
    Ok(assessment)
}

/// The original: a file, or a table that was read already.
#[derive(Clone, Copy)]
pub(super) enum Source<'a> {
    /// A table, or the job of `privet randomize` that names it.
    File(&'a Path),
    /// The table, and where it lies.
    Table(&'a Table, &'a Path),
}

impl Source<'_> {
    /// These columns, and where the table lies.
    pub fn table(
        self,
        missing: &[String],
        names: &[String],
        progress: &dyn Progress,
    ) -> Result<(Table, PathBuf), RunError> {
        let (table, path) = match self {
            Self::File(path) => return original_table(path, missing, names, progress),
            Self::Table(table, path) => (table, path),
        };
        let own = |name: &String| table.column(name).cloned();
        let Some(columns) = names.iter().map(own).collect::<Option<Vec<Column>>>() else {
            let found: Vec<String> = table.columns.iter().map(|own| own.name.clone()).collect();
            return Err(unknown_among(names.iter(), &found).at(path).into());
        };
        Ok((Table { columns, rows: table.rows }, path.to_owned()))
    }
}

/// The attacks that were asked for, or all. With `quick` those that go through pairs of people judge fewer.
pub(super) fn assess(
    options: &AttackOptions,
    knowledge: &Knowledge,
    published: &PublishedPerturbed,
    original: Option<Source<'_>>,
    quick: bool,
    progress: &dyn Progress,
) -> Result<Assessment, RunError> {
    refuse_others(options, knowledge)?;
    let mut assessment = assess_release(options, knowledge, published, original, quick, progress)?;
    if let Some(words) = &options.attacks {
        keep(words, &mut assessment);
    } else {
        // What the knowledge has and was used on no column.
        let is_made = |word: &str| assessment.attacks.iter().any(|own| own.attack == word);
        let asked = assessment.not_made.iter().filter(|own| knowledge.asks_for(&own.attack));
        assessment.blocked = asked.filter(|own| !is_made(&own.attack)).cloned().collect();
    }
    Ok(assessment)
}

/// Of all attacks those that were asked for.
fn keep(words: &[String], assessment: &mut Assessment) {
    let is_wanted = |attack: &str| words.iter().any(|word| word == attack);
    assessment.attacks.retain(|own| is_wanted(own.attack));
    let filters =
        assessment.not_made.iter().find(|own| own.attack == ids::FILTERS).map(|own| own.why.clone());
    // A column that no filter could use is one that none of those that were asked for was made on.
    assessment.not_made.retain(|own| is_wanted(&own.attack) || own.attack == ids::FILTERS);
    for word in words {
        let is_told = assessment.attacks.iter().any(|own| own.attack == word)
            || assessment.not_made.iter().any(|own| own.attack == *word);
        if !is_told {
            let needs = "it needs `known` in `[time]` of the knowledge file, and --original";
            let why = filters.clone().unwrap_or_else(|| needs.to_owned());
            assessment.not_made.push(NotMade::new(word, why));
        }
    }
}

/// The columns of a release that an attack can use, and why others are left out.
fn columns_of(published: &PublishedPerturbed) -> (Vec<Attacked<'_>>, Vec<NotMade>) {
    let (mut columns, mut left_out) = (Vec::new(), Vec::new());
    for (model, column) in published.manifest.model.columns.iter().zip(&published.table.columns) {
        match law_of(model, column) {
            Ok(Some((law, together, kind))) => {
                let values = column.numbers_as(kind);
                let (step, unit) = match &model.perturbation {
                    Some(Perturbation::Noise(own)) => (own.step.unwrap_or(0.0), own.unit.unwrap_or(0.0)),
                    _ => (0.0, 0.0),
                };
                columns.push(Attacked {
                    name: &model.name,
                    law,
                    step,
                    unit,
                    together,
                    kind,
                    values,
                    original: None,
                });
            }
            Ok(None) => {}
            Err(why) => {
                left_out.push(NotMade::new(ids::FILTERS, why).on(Some(model.name.clone())));
            }
        }
    }
    (columns, left_out)
}

/// Other releases of the same table, whose noise is averaged with that of this one.
fn others_of(
    options: &AttackOptions,
    knowledge: &Knowledge,
    published: &PublishedPerturbed,
    progress: &dyn Progress,
) -> Result<Vec<PublishedPerturbed>, RunError> {
    let mut others = Vec::with_capacity(knowledge.releases.len());
    for own in &knowledge.releases {
        let wrong = |problem: String| {
            let file = options.knowledge.as_deref().unwrap_or(&options.release);
            RunError::from(
                JobError::new(format!("`releases`, the {}. of them, {problem}", others.len() + 1)).at(file),
            )
        };
        if own.job.is_some() || !own.is_of_same_table() {
            return Err(wrong(
                "is averaged with a perturbed release, for which it must be of the same table, and needs no `job`".to_owned(),
            ));
        }
        let other = PublishedPerturbed::open(&knowledge.resolve(&own.folder), progress)?;
        let (rows, found) = (published.table.rows, other.table.rows);
        if found != rows {
            return Err(wrong(format!(
                "has {found} records, and the release {rows}: it is of another table"
            )));
        }
        let is_kept = |own: &PublishedPerturbed, name: &str| {
            own.manifest.model.columns.iter().any(|own| own.name == name && own.perturbation.is_none())
        };
        for column in published.table.columns.iter().filter(|own| is_kept(published, &own.name)) {
            let theirs = other.table.column(&column.name).filter(|_| is_kept(&other, &column.name));
            if theirs.is_some_and(|theirs| !is_same(column, theirs)) {
                return Err(wrong(format!(
                    "is of another table, or its records stand in another order: both releases publish `{}` as it was, and \
                     records differ in it",
                    column.name
                )));
            }
        }
        others.push(other);
    }
    Ok(others)
}

fn assess_release(
    options: &AttackOptions,
    knowledge: &Knowledge,
    published: &PublishedPerturbed,
    original: Option<Source<'_>>,
    quick: bool,
    progress: &dyn Progress,
) -> Result<Assessment, RunError> {
    let mut assessment = Assessment {
        max_risk: options.max_risk,
        max_absolute_risk: options.max_absolute_risk,
        ..Assessment::default()
    };
    let (mut columns, left_out) = columns_of(published);
    assessment.not_made.extend(left_out);
    // A mistake in it is one, whatever else there is.
    let order = time_order(options, knowledge, published)?;
    let is_linked = |own: &ModelColumn| {
        own.role == "quasi"
            && matches!(own.perturbation, Some(Perturbation::Categories(_) | Perturbation::Items(_)))
    };
    let has_categories = original.is_some() && published.manifest.model.columns.iter().any(is_linked);
    if columns.is_empty() && !has_categories {
        let why = "no column of numbers is published that such an attack could use".to_owned();
        assessment.not_made.push(NotMade::new(ids::FILTERS, why));
        return Ok(assessment);
    }
    // Categories that are published as they are, each with a number.
    let mut beside = Vec::new();
    // Those that were changed by a published law.
    let mut categories = Vec::new();
    if let Some(source) = original {
        let missing = &published.manifest.model.missing;
        let model_of = |name: &str| published.manifest.model.columns.iter().find(|own| own.name == name);
        let unchanged = |name: &str| model_of(name).is_some_and(|own| own.perturbation.is_none());
        let is_quasi = |name: &str| model_of(name).is_some_and(|own| own.role == "quasi");
        let names: Vec<String> = published
            .table
            .columns
            .iter()
            .map(|own| own.name.clone())
            .filter(|name| {
                let is_attacked = columns.iter().any(|own| own.name == *name);
                unchanged(name) || is_attacked || model_of(name).is_some_and(is_linked)
            })
            .collect();
        let (original, path) = source.table(missing, &names, progress)?;
        if original.rows != published.table.rows {
            return Err(other_rows(original.rows, published.table.rows, &path));
        }
        for own in published.table.columns.iter().filter(|own| unchanged(&own.name)) {
            let Some(theirs) = original.column(&own.name) else { continue };
            must_be_same(own, theirs, &path)?;
            // Whoever knows what is sensitive has nothing to find out.
            if is_quasi(&own.name) && !columns.iter().any(|numbers| numbers.name == own.name) {
                let values: Vec<f64> = own.codes.iter().map(|&code| f64::from(code)).collect();
                beside.push(Attacked {
                    name: &own.name,
                    law: Law::Keep,
                    step: 0.0,
                    unit: 0.0,
                    together: None,
                    kind: Kind::Text,
                    original: Some(values.clone()),
                    values,
                });
            }
        }
        for own in &mut columns {
            own.original = original.column(own.name).map(|column| column.numbers_as(own.kind));
        }
        for (model, own) in published.manifest.model.columns.iter().zip(&published.table.columns) {
            if let (true, Some(theirs)) = (is_linked(model), original.column(&own.name)) {
                categories.extend(super::categories::perturbed(model, own, theirs, &path)?);
            }
        }
    }
    let others = others_of(options, knowledge, published, progress)?;
    progress.stage("attacking", None);
    progress.check()?;
    let failed = |error: privet_attack::noise::NoiseAttackError| JobError::new(error.to_string());
    let knowing = Knowing { confidence: options.confidence, seed: options.seed, quick, ..Knowing::default() };
    let is_scored = original.is_some();
    // Records of all releases stand in the order of the table.
    let averaged = match others.is_empty() || columns.is_empty() {
        true => None,
        false => {
            let others: Vec<Vec<Attacked<'_>>> = others.iter().map(|own| columns_of(own).0).collect();
            let others: Vec<Vec<PerturbedColumn<'_>>> =
                others.iter().map(|own| own.iter().map(Attacked::known).collect()).collect();
            let known: Vec<PerturbedColumn<'_>> = columns.iter().map(Attacked::known).collect();
            Some(average_copies(&known, &others, &knowing).map_err(failed)?)
        }
    };
    // A series is filtered in its order.
    let mut series = Vec::new();
    if let Some((order, time)) = &order {
        columns.iter_mut().chain(&mut beside).for_each(|own| own.reorder(order));
        categories.iter_mut().for_each(|own| super::categories::reorder(own, order));
        let known: Vec<PerturbedColumn<'_>> = columns.iter().map(Attacked::known).collect();
        let knowing = Knowing { in_time: true, known_points: time.known.unwrap_or(0), ..knowing };
        for own in filter_series(&known, &knowing).map_err(failed)? {
            series.push(finding(own, &knowing, order.len() as u64, is_scored).map(|mut own| {
                own.notes.push(Note::of_original(match &time.order {
                    Some(column) => format!("Records in the order of `{column}`."),
                    None => "Records in the order in which they stand.".to_owned(),
                }));
                own
            }));
        }
        progress.check()?;
    }
    let known: Vec<PerturbedColumn<'_>> = columns.iter().map(Attacked::known).collect();
    let others: Vec<PerturbedColumn<'_>> = beside.iter().map(Attacked::known).collect();
    let findings = assess_beside(&known, &others, &categories, &knowing).map_err(failed)?;
    let records = published.table.rows as u64;
    let is_replaced = |own: &NoiseFinding| match own.attack {
        ids::WAVELET_FILTER => order.is_some(),
        ids::AVERAGING => averaged.is_some(),
        _ => false,
    };
    let findings = findings.into_iter().filter(|own| !is_replaced(own));
    for own in findings.chain(averaged.clone()) {
        if let Some(path) = options.people.as_deref().filter(|_| own.attack == ids::NOISE_LINKAGE) {
            let record =
                |at: usize| order.as_ref().and_then(|own| own.0.get(at)).map_or(at, |&own| own as usize);
            let person = |own: u32| (own != u32::MAX).then(|| record(own as usize));
            let records =
                own.links.iter().map(|&(at, link, right)| (record(at), person(link.person), link, right));
            write_links(path, records, knowing.confidence)?;
        }
        match finding(own, &knowing, records, is_scored) {
            Ok(finding) => assessment.attacks.push(finding),
            Err(skipped) => assessment.not_made.push(skipped),
        }
    }
    for own in series {
        match own {
            Ok(finding) => assessment.attacks.push(finding),
            Err(skipped) => assessment.not_made.push(skipped),
        }
    }
    Ok(assessment)
}

/// Of each record whom it is taken for, in the form of all other attacks: the people are those of the original, by number.
fn write_links(
    path: &Path,
    links: impl Iterator<Item = (usize, Option<usize>, Link, bool)>,
    confidence: f64,
) -> Result<(), RunError> {
    let mut text = String::from(write::PEOPLE);
    let mut links: Vec<(usize, Option<usize>, Link, bool)> = links.collect();
    links.sort_by_key(|own| own.0);
    for (record, person, link, right) in links {
        let exposed = if link.confidence >= confidence { "yes" } else { "no" };
        let right = if right { "yes" } else { "no" };
        let person = person.map_or(String::new(), |own| format!("original record {}", own + 1));
        text.push_str(&format!(
            "record {},noise-linkage,,,{exposed},{person},{:.4},{right},\n",
            record + 1,
            link.confidence
        ));
    }
    write::whole(path, text.as_bytes())
}

/// The records in the order of time, where the adversary knows it: `[time]` of the knowledge file (survey AT-18).
fn time_order<'a>(
    options: &AttackOptions,
    knowledge: &'a Knowledge,
    published: &PublishedPerturbed,
) -> Result<Option<(Vec<u32>, &'a TimeOrder)>, RunError> {
    let Some(time) = &knowledge.time else { return Ok(None) };
    let wrong = |problem: String| {
        let file = options.knowledge.as_deref().unwrap_or(&options.release);
        RunError::from(JobError::new(problem).at(file))
    };
    if time.known.is_some_and(|known| known < 4) {
        return Err(wrong("`time.known` takes a number of at least 4".to_owned()));
    }
    if time.known.is_some() && options.original.is_none() {
        return Err(wrong(
            "`time.known` takes the values that are known from the original; give it with --original"
                .to_owned(),
        ));
    }
    let mut order: Vec<u32> = (0..published.table.rows as u32).collect();
    if let Some(name) = &time.order {
        let model = published.manifest.model.columns.iter().find(|own| own.name == *name);
        let (Some(model), Some(column)) = (model, published.table.column(name)) else {
            return Err(wrong(format!("`time.order`: the release has no column `{name}`")));
        };
        if model.perturbation.is_some() {
            return Err(wrong(format!(
                "`time.order`: `{name}` is perturbed, so it does not tell the order; name a column that is published as it was"
            )));
        }
        let kind = match column.domain.kind() {
            Kind::Integer | Kind::Decimal => Kind::Decimal,
            Kind::Date => Kind::Date,
            Kind::Boolean | Kind::Text => {
                return Err(wrong(format!("`time.order`: `{name}` holds no numbers or dates")));
            }
        };
        let times = column.numbers_as(kind);
        if times.iter().any(|time| time.is_nan()) {
            return Err(wrong(format!("`time.order`: times are missing in `{name}`")));
        }
        let at = |record: u32| times.get(record as usize).copied().unwrap_or(f64::NAN);
        // Records of one time stay in the order in which they stand.
        order.sort_by(|&a, &b| at(a).total_cmp(&at(b)));
    }
    Ok(Some((order, time)))
}

impl Attacked<'_> {
    fn known(&self) -> PerturbedColumn<'_> {
        PerturbedColumn {
            name: self.name,
            values: &self.values,
            law: self.law,
            step: self.step,
            unit: self.unit,
            together: self.together,
            original: self.original.as_deref(),
        }
    }

    fn reorder(&mut self, order: &[u32]) {
        self.values = chosen_of(order, &self.values);
        self.original = self.original.as_deref().map(|own| chosen_of(order, own));
    }
}

/// The values of some records, in their order.
fn chosen_of(records: &[u32], values: &[f64]) -> Vec<f64> {
    records.iter().filter_map(|&record| values.get(record as usize).copied()).collect()
}

/// What has no meaning for these releases.
fn refuse_others(options: &AttackOptions, knowledge: &Knowledge) -> Result<(), JobError> {
    let beyond = Knowledge {
        time: None,
        releases: Vec::new(),
        // Where the file lies and its entries stand is nothing that is known.
        base: Default::default(),
        lines: Default::default(),
        ..knowledge.clone()
    };
    if let Some(file) = options.knowledge.as_deref().filter(|_| beyond != Knowledge::default()) {
        let problem = "a perturbed release is attacked by what its laws tell, and of the knowledge file by `[time]` and `[[releases]]` alone; \
                       leave the rest out";
        return Err(JobError::new(problem).at(file));
    }
    if options.attacks.iter().flatten().any(|word| !ATTACKS.contains(&word.as_str())) {
        let accepted = ATTACKS.map(|word| format!("`{word}`")).join(", ");
        return Err(JobError::new(format!(
            "--attacks names an unknown attack for perturbed data; accepted: {accepted}"
        )));
    }
    if options.people.is_some() && options.original.is_none() {
        return Err(JobError::new(
            "`--people` of a perturbed release tells whom noise-linkage takes each record for, among the people of the original; \
             give --original too",
        ));
    }
    refuse(
        &[("--job", options.job.is_some()), ("--set", !options.settings.is_empty())],
        "a perturbed release is attacked by what its laws tell, with --attacks, --original, --knowledge (`[time]`, `[[releases]]`), --confidence, --max-risk, --seed, --people and --report",
    )
}

/// Refuses the first flag that is given, of those that have no meaning for a perturbed release, and says what has.
pub(super) fn refuse(flags: &[(&str, bool)], instead: &str) -> Result<(), JobError> {
    match flags.iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((flag, _)) => {
            Err(JobError::new(format!("`{flag}` goes with releases of true records; {instead}")))
        }
    }
}

/// A law, the factor of correlated noise, and what the texts of the column are.
type Told = (Law, Option<f64>, Kind);

/// What is told of a column; none where it holds no numbers, or why it is left out.
fn law_of(model: &ModelColumn, column: &Column) -> Result<Option<Told>, &'static str> {
    match &model.perturbation {
        None => Ok(match column.domain.kind() {
            Kind::Date => Some((Law::Keep, None, Kind::Date)),
            Kind::Integer | Kind::Decimal => Some((Law::Keep, None, Kind::Decimal)),
            Kind::Boolean | Kind::Text => None,
        }),
        Some(Perturbation::Categories(_) | Perturbation::Items(_)) => Err(
            "its values are categories; where a γ is promised it bounds what can be believed of one, and `privet verify` \
             computes it anew",
        ),
        Some(Perturbation::Noise(own)) => {
            let kind = if own.dates { Kind::Date } else { Kind::Decimal };
            match (own.way, own.deviation, own.factor) {
                (NoiseWay::Additive, Some(deviation), _) => {
                    Ok(Some((Law::Add(noise_of(own.law, deviation)), None, kind)))
                }
                (NoiseWay::Multiplicative, Some(deviation), _) => {
                    Ok(Some((Law::Multiply(noise_of(own.law, deviation)), None, kind)))
                }
                (NoiseWay::Correlated, _, Some(factor)) => Ok(Some((Law::Keep, Some(factor), kind))),
                _ => Err("the model does not tell how strong its noise is"),
            }
        }
    }
}

/// These columns of the original: a table, or the job of `privet randomize` that names it; and where it lies.
pub(super) fn original_table(
    path: &Path,
    missing: &[String],
    names: &[String],
    progress: &dyn Progress,
) -> Result<(Table, PathBuf), RunError> {
    let is_job = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml"));
    let (path, options) = match is_job {
        true => {
            let job = RandomizeJob::read(path, &[])?;
            (base_of(path).join(&job.input.path), job.input.options()?)
        }
        false => (path.to_owned(), ReadOptions { missing: missing.to_vec(), ..ReadOptions::default() }),
    };
    // What a law was made for stands in its domain, letter by letter.
    let options = ReadOptions { columns: Some(names.to_vec()), ..options.exactly() };
    let input = read(&path, &options, progress).map_err(|error| match &error.kind {
        ReadErrorKind::UnknownColumn { names: found, .. } => {
            RunError::from(unknown_among(names.iter(), found).at(&path))
        }
        _ => RunError::from(error),
    })?;
    Ok((input.table, path))
}

/// What is wrong with an original that has not a record for each published one.
pub(super) fn other_rows(own: usize, rows: usize, path: &Path) -> RunError {
    let problem = format!("has {own} records, and the release {rows}: it is another table");
    JobError::new(problem).at(path).into()
}

/// An attack on noise in the form of all others. `is_scored` says whether the original is there to tell how near it came.
fn finding(own: NoiseFinding, knowing: &Knowing, records: u64, is_scored: bool) -> Result<Finding, NotMade> {
    let column = match own.columns.as_slice() {
        [one] => Some(one.clone()),
        _ => None,
    };
    let mut notes = vec![Note::of_original(own.verdict.clone())];
    if own.columns.len() > 1 {
        notes.push(Note::of_original(format!("Columns: `{}`.", own.columns.join("`, `"))));
    }
    let base = Finding {
        attack: own.attack,
        column: column.clone(),
        assumed: own.assumes.to_owned(),
        success: String::new(),
        unit: Unit::Records,
        exposed: Rate::new(0, records),
        right: None,
        control: None,
        control_group: None,
        baseline: None,
        risk: 0.0,
        not_counted: None,
        histogram: Vec::new(),
        histogram_of: HistogramOf::Nothing,
        notes,
    };
    match own.outcome {
        Outcome::NotMade => Err(NotMade::new(own.attack, own.verdict).on(column)),
        Outcome::Estimated { score: Some(score), .. } => {
            // What the attack adds is beyond what everybody has without it: the published values, or the means where these
            // come nearer. Where all have one value, the mean is the attack.
            let is_mean = own.attack != ids::CONSTANT_COLUMN && score.control.rate > score.published.rate;
            let (control, group) = match is_mean {
                true => (score.control, "the same records, estimated by the mean of each column"),
                false => (score.published, "the same records, taken as they are published"),
            };
            let hits = score.recovered.hits;
            Ok(Finding {
                success: format!(
                    "the estimate is within {} deviations of the noise of what the record was",
                    score.tolerance
                ),
                exposed: score.recovered,
                // Only records about which it is right are counted.
                right: (hits > 0).then(|| Rate::new(hits, hits)),
                control: Some(control),
                control_group: Some(group.to_owned()),
                baseline: (own.attack != ids::CONSTANT_COLUMN).then_some(control),
                risk: score.recovered.rate,
                ..base
            })
        }
        Outcome::Estimated { succeeded, expected_error, score: None } => {
            // All or nobody, by an error that is expected: no share of records was counted.
            let exposed = match (succeeded, is_scored) {
                (true, _) => Rate::everybody(records),
                (false, true) => Rate::new(0, records),
                (false, false) => Rate::unknown(),
            };
            let mut notes = base.notes.clone();
            notes.push(Note::no_control(match own.attack {
                ids::CONSTANT_COLUMN => {
                    "There is no control: everybody has the value, or nobody is told any.".to_owned()
                }
                _ => "There is no control: how near the means alone come, only the original shows.".to_owned(),
            }));
            // Whether a column is constant is told by its verdict, and scored where it is.
            if own.attack != ids::CONSTANT_COLUMN {
                let then = match succeeded {
                    true if expected_error <= knowing.tolerance => {
                        "so small that everybody counts until the original shows how many it tells"
                    }
                    true => {
                        "of the column that is recovered most it is so small that everybody counts until the original shows how many it \
                         tells"
                    }
                    false => "how many records it tells, only the original shows",
                };
                notes.push(Note::of_original(format!(
                    "The error that the adversary expects is {expected_error:.2} deviations of the noise; {then}."
                )));
            }
            let success = format!(
                "the error that the adversary expects is at most {} deviations of the noise; then everybody counts",
                knowing.tolerance
            );
            // That it succeeds is known beforehand; that it does not, only the original shows.
            let not_counted = (!succeeded && !is_scored).then(|| {
                "how many records it tells is only known with the original, which is not given".to_owned()
            });
            Ok(Finding { success, exposed, risk: exposed.rate, notes, not_counted, ..base })
        }
        Outcome::Linked { score, .. } => Ok(Finding {
            notes: match score.exposed.of {
                // Readers are told as well: by the rate alone it would seem that all were judged.
                judged if judged < records => {
                    let part = format!(
                        "It was made on a random sample of {judged} of {records} records: on all of them it would take too long."
                    );
                    base.notes.iter().cloned().chain([Note::of_release(part)]).collect()
                }
                _ => base.notes.clone(),
            },
            success: format!(
                "a record is linked to a person with a certainty of at least {}",
                score.confidence
            ),
            exposed: score.exposed,
            right: (score.exposed.hits > 0).then_some(score.right_when_sure),
            control: Some(score.control),
            control_group: Some(
                "the same records, had their people not been in the adversary's file: whoever is taken for them then is not them"
                    .to_owned(),
            ),
            baseline: None,
            risk: score.found.rate,
            ..base
        }),
    }
}
