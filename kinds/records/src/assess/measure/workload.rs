//! A workload of the owner's own (survey UM-18, UM-30): questions from a file, each answered from the release as `privet answer`
//! does, beside the true answer.
//!
//! The original is itself a release, one in which every value is published as it is. So the truth comes from the same code as
//! the answer, and the two differ by nothing but what the release hides. Where a question names a label of the release or of a
//! written hierarchy, the original's records with the values behind it are meant.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};

use privet_data::{Kind, Progress, Table};
use privet_measure::answer::{
    Aggregate, AnswerColumn, AnswerSource, Comparison, Literal, Question, QuestionError, Records,
};
use privet_measure::utility::Compared;
use privet_release::published::Reading;
use privet_release::{Published, PublishedError};
use privet_report::{Workload, WorkloadAnswer};

use super::super::original::Original;
use super::super::people::shows_points;
use crate::answer::{AskError, Opened, Spread, must_be_meant};
use crate::error::{JobError, RunError};

/// More questions than this are no workload that anybody wrote.
const MOST: usize = 10_000;
/// A longer file is something else.
const LONGEST: u64 = 16 << 20;

/// Questions, each with the line on which it stands.
#[derive(Debug)]
pub(in crate::assess) struct Questions {
    path: PathBuf,
    all: Vec<(u64, Question)>,
}

impl Questions {
    /// Reads a file with one question a line. Blank lines and lines that start with `--` or `#` are skipped.
    pub fn read(path: &Path, release: &Path) -> Result<Self, JobError> {
        let unreadable = |error: std::io::Error| {
            JobError::new(format!("--queries takes a number of random queries, or a file with questions; it cannot be read: {error}"))
                .at(path)
        };
        let wrong = |problem: String| JobError::new(problem).at(path);
        let mut bytes = Vec::new();
        privet_data::io::open_plain(path)
            .and_then(|file| file.take(LONGEST + 1).read_to_end(&mut bytes))
            .map_err(unreadable)?;
        if bytes.len() as u64 > LONGEST {
            return Err(wrong(format!(
                "is larger than {} MiB; accepted is one question a line",
                LONGEST >> 20
            )));
        }
        let text = String::from_utf8(bytes)
            .map_err(|_| wrong("is no text in UTF-8; accepted is one question a line".to_owned()))?;
        let mut all = Vec::new();
        for (line, text) in (1u64..).zip(text.trim_start_matches('\u{feff}').lines()) {
            let text = text.trim();
            if text.is_empty() || text.starts_with("--") || text.starts_with('#') {
                continue;
            }
            if all.len() == MOST {
                return Err(wrong(format!("line {line}: has more than {MOST} questions; split the file")));
            }
            let own =
                Question::parse(text).map_err(|error| wrong(format!("line {line}: {}", placed(error))))?;
            must_be_meant(&own, release)
                .map_err(|error| wrong(format!("line {line}: {}", error.problem())))?;
            if !own.group_by.is_empty() {
                return Err(wrong(format!(
                    "line {line}: the question has `group by`, and labels of the release need not be groups of the original; ask for each \
                     group with `where`, a question each"
                )));
            }
            all.push((line, own));
        }
        match all.is_empty() {
            true => Err(wrong(
                "has no question; accepted is one a line, such as: select count(*) from data".to_owned(),
            )),
            false => Ok(Self { path: path.to_owned(), all }),
        }
    }

    /// What is wrong with the question of a line.
    fn failed(&self, line: u64, error: AskError) -> RunError {
        match error {
            AskError::Published(PublishedError::Cancelled) => PublishedError::Cancelled.into(),
            AskError::Run(error) => error,
            // It has a file of its own.
            AskError::Job(error) => {
                JobError::new(format!("line {line}: {}", error.problem())).at(&self.path).into()
            }
            other => JobError::new(format!("line {line}: {other}")).at(&self.path).into(),
        }
    }
}

/// An error without the line within the question, which is one line of a file that has others.
fn placed(error: QuestionError) -> QuestionError {
    match error {
        QuestionError::Syntax { place } => QuestionError::Syntax { place: place.in_one_line() },
        QuestionError::Unsupported { construct, place } => {
            QuestionError::Unsupported { construct, place: place.in_one_line() }
        }
        other => other,
    }
}

/// What the answers to a workload are off by. `job` is the job file that `privet answer --job` would be given.
pub(in crate::assess) fn workload(
    questions: &Questions,
    folder: &Path,
    job: Option<&Path>,
    original: &Original,
    release: &Published,
    progress: &dyn Progress,
) -> Result<Workload, RunError> {
    let opened = Opened::open(folder, job, progress).map_err(|error| match error {
        AskError::Published(error) => RunError::from(error),
        AskError::Job(error) => error.into(),
        AskError::Run(error) => error,
        other => JobError::new(other.to_string()).into(),
    })?;
    let (truths, unread) = truths(&opened, original, release);
    progress.stage("answering", Some(questions.all.len() as u64));
    let mut answers = Vec::new();
    let mut notes: BTreeSet<String> = BTreeSet::new();
    let (mut suppressed, mut adds_up) = (0, false);
    for (done, (line, question)) in (0u64..).zip(&questions.all) {
        progress.check()?;
        progress.at(done);
        if let Some(column) = names_unread(question, &unread) {
            let problem = format!(
                "names a label of {column}, and nothing tells which values are below it; give the job with --job, or ask for values"
            );
            return Err(questions.failed(*line, JobError::new(problem).into()));
        }
        let asked =
            opened.answer(question, Spread::Uniform).map_err(|error| questions.failed(*line, error))?;
        let truth = truths.answer(question).map_err(|error| questions.failed(*line, error.into()))?;
        let (told, truth) = (asked.answer.lines.first(), truth.lines.first());
        let figures = told.zip(truth).map(|(told, truth)| told.estimates.iter().zip(&truth.estimates));
        for (output, (told, truth)) in question.select.iter().zip(figures.into_iter().flatten()) {
            // Of values that are all known, what is expected is so.
            let compared = Compared::new(truth.expected, told);
            answers.push(WorkloadAnswer { line: *line, figure: output.name.clone(), compared });
            adds_up |= matches!(output.aggregate, Aggregate::Sum(_) | Aggregate::Average(_));
        }
        suppressed = asked.answer.suppressed;
        notes.extend(asked.notes);
    }
    let mut said = Vec::new();
    if job.is_some() {
        said.push(
            "Answered with the hierarchies that the job writes down, as by `privet answer --job`; give the table in place of the job to \
             see what is answered without it."
                .to_owned(),
        );
    }
    if suppressed > 0 && adds_up {
        let are = if suppressed == 1 { "record was" } else { "records were" };
        said.push(format!(
            "{suppressed} {are} suppressed: sums and averages, and their bounds, are of the published ones alone, so that a true one may \
             lie outside."
        ));
    }
    said.extend(notes);
    Ok(Workload::new(answers, said))
}

/// Labels of which nothing tells what is below them, each with its column.
type Unread = Vec<(String, Box<str>)>;

/// The column of such a label, where a question names one.
fn names_unread<'a>(question: &Question, unread: &'a Unread) -> Option<&'a str> {
    let mut found = None;
    question.filter.for_each_test(&mut |test| {
        let Comparison::In(list) = &test.comparison else { return };
        for Literal::Number(_, text) | Literal::Text(text) in list {
            let is_it =
                |own: &&(String, Box<str>)| own.0.eq_ignore_ascii_case(&test.column) && *own.1 == **text;
            found = found.or_else(|| unread.iter().find(is_it).map(|own| own.0.as_str()));
        }
    });
    found
}

/// The columns of the original that the release publishes, as a release that hides nothing.
fn truths(opened: &Opened, original: &Original, release: &Published) -> (Records, Unread) {
    let table: &Table = &original.table;
    let published = release.table.columns.iter().map(|own| own.name.as_str());
    let counted = release.sensitive.iter().filter(|own| own.codes.is_none()).map(|own| own.name.as_str());
    let names = published.chain(counted);
    let mut columns: Vec<AnswerColumn> =
        names.filter_map(|name| table.column(name)).map(|own| opened.exact(own)).collect();
    let mut unread = Unread::new();
    for (own, &at) in original.quasi.iter().zip(&release.quasi) {
        let published = &release.table.columns[at];
        let Some(column) = columns.iter_mut().find(|own| own.name == published.name) else { continue };
        let is_text = matches!(column.kind, Kind::Text | Kind::Boolean);
        // What stands for a group is no name of its values: who asks for it asks for the value.
        if is_text && opened.is_ambiguous(&published.name) || shows_points(release, at) {
            continue;
        }
        let values = column.values.clone();
        let finder = values.finder();
        for (label, text) in (0u32..).zip(published.domain.texts()) {
            let is_value = finder.code(text).is_some() || column.kind.number(text).is_some();
            if own.hierarchy.is_none() && !is_value && Reading::of(text, column.kind).is_none() {
                unread.push((published.name.clone(), text.clone()));
                continue;
            }
            column.named.entry(text.clone()).or_insert_with(|| own.coverage.of(label).to_vec());
        }
    }
    (Records { columns, rows: table.rows, group_of: Vec::new(), suppressed: 0 }, unread)
}
