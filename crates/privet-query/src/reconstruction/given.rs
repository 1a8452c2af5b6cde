//! What the answers tell that were given out: the least squares over all of them (`privet_attack::noise::cells`).
//!
//! # Guarantee
//! An answer is used where its question is one count of records by a condition on public columns, alone or together with the secret.
//! What cannot be used is counted and told. Records that are in the same questions are told apart by none of them; of these the
//! adversary learns how many have the secret, and says of each what is true of most.

use std::collections::HashMap;
use std::path::Path;

use privet_attack::Rate;
use privet_attack::noise::NoiseAttackError;
use privet_attack::noise::cells::{CellAnswer, counts_of_cells};
use privet_data::Progress;
use privet_data::io::{ReadOptions, read};
use privet_measure::answer::{Condition, PrivateQuestion, cell_number, taken};

use super::{
    AnswerSource, Known, QueryError, SecretAttack, columns_of, plain_count, problem, unknown_column,
};

/// The most answers that are read, and the most cells that they may make.
const MOST: usize = 50_000;

/// The deviation of normal noise with a half width of 1.
const PER_HALF_WIDTH: f64 = 1.0 / 1.96;

/// What was asked, as far as it is of use.
enum Use {
    /// About these people with the secret.
    Secret(Vec<bool>),
    /// About public columns alone, which tells nothing that is not known.
    Public,
    /// About something else.
    None,
}

/// Rebuilds the secret from a file of answers.
pub(super) fn attack(
    known: &Known<'_>,
    path: &Path,
    progress: &dyn Progress,
) -> Result<(SecretAttack, Vec<String>), QueryError> {
    let (asked, skipped) = answers(known, path, progress)?;
    let rows = known.table.rows;
    let Cells { of_record: cell_of, sizes, of_question: members } = cells(&asked, rows)?;
    let have = known.truth.iter().filter(|own| **own).count() as u64;
    let share = have as f64 / (rows as f64).max(1.0);
    let questions: Vec<CellAnswer> = asked
        .iter()
        .zip(members)
        .map(|((_, answer, deviation), cells)| CellAnswer { cells, answer: *answer, deviation: *deviation })
        .collect();
    progress.check()?;
    // The share of all people is no secret: every report tells it.
    let counts = counts_of_cells(&sizes, share, &questions).map_err(unusable)?;
    let says: Vec<bool> = sizes.iter().zip(&counts).map(|(size, count)| 2 * count > *size).collect();
    let said = |row: usize| cell_of.get(row).and_then(|cell| says.get(*cell as usize)) == Some(&true);
    let (mut right, mut named, mut rightly) = (0u64, 0u64, 0u64);
    for (row, truth) in known.truth.iter().enumerate() {
        right += u64::from(said(row) == *truth);
        named += u64::from(said(row));
        rightly += u64::from(said(row) && *truth);
    }
    let deviations = questions.iter().map(|own| own.deviation);
    let mean = deviations.sum::<f64>() / questions.len().max(1) as f64;
    let alone = sizes.iter().filter(|size| **size == 1).count();
    let mut remarks = vec![format!(
        "The answers tell {} groups of people apart, {alone} of them of one person.",
        sizes.len()
    )];
    if skipped.0 + skipped.1 > 0 {
        remarks.push(format!(
            "Of the answers, {} are about public columns alone and tell nothing new, and {} are no count by public columns and the secret, so they \
             were not used.",
            skipped.0, skipped.1
        ));
    }
    let attack = SecretAttack {
        attack: privet_attack::ids::DINUR_NISSIM,
        from: AnswerSource::Given,
        questions: questions.len() as u64,
        deviation: Some(mean).filter(|_| asked.iter().any(|own| own.2 != 1.0)),
        right: Rate::new(right, rows as u64),
        guessing: share.max(1.0 - share),
        named: Rate::new(rightly, named),
        most: None,
    };
    Ok((attack, remarks))
}

/// Records that are in the same questions are one cell.
struct Cells {
    of_record: Vec<u32>,
    sizes: Vec<u64>,
    /// Per question its cells.
    of_question: Vec<Vec<u32>>,
}

fn cells(asked: &Asked, rows: usize) -> Result<Cells, QueryError> {
    let mut places: HashMap<Vec<u64>, u32> = HashMap::new();
    let mut sizes: Vec<u64> = Vec::new();
    let cell = |row: usize| {
        let mut words = vec![0u64; asked.len().div_ceil(64)];
        for (place, (people, ..)) in asked.iter().enumerate() {
            if people.get(row) == Some(&true)
                && let Some(word) = words.get_mut(place / 64)
            {
                *word |= 1 << (place % 64);
            }
        }
        let next = sizes.len() as u32;
        let cell = *places.entry(words).or_insert(next);
        match sizes.get_mut(cell as usize) {
            Some(size) => *size += 1,
            None => sizes.push(1),
        }
        cell
    };
    let of_record = (0..rows).map(cell).collect();
    if sizes.len() > MOST {
        let told = sizes.len();
        return Err(problem(format!(
            "the answers tell {told} groups of people apart; at most {MOST} are computed"
        )));
    }
    let mut of_question: Vec<Vec<u32>> = vec![Vec::new(); asked.len()];
    for (words, cell) in &places {
        for (place, members) in of_question.iter_mut().enumerate() {
            if words.get(place / 64).is_some_and(|word| word >> (place % 64) & 1 == 1) {
                members.push(*cell);
            }
        }
    }
    of_question.iter_mut().for_each(|own| own.sort_unstable());
    Ok(Cells { of_record, sizes, of_question })
}

pub(super) fn unusable(error: NoiseAttackError) -> QueryError {
    problem(format!("the answers cannot be computed with: {error}"))
}

type Asked = Vec<(Vec<bool>, f64, f64)>;

/// The answers that are of use, and how many are about public columns alone, and about something else.
fn answers(
    known: &Known<'_>,
    path: &Path,
    progress: &dyn Progress,
) -> Result<(Asked, (usize, usize)), QueryError> {
    let input = read(path, &ReadOptions { columns: None, ..ReadOptions::default() }.exactly(), progress)?;
    let column =
        |name: &str| input.table.column(name).ok_or_else(|| unknown_column(path, name, input.names.clone()));
    let (questions, answers) = (column("question")?, column("answer")?);
    let widths = input.table.column("half_width_95");
    if input.table.rows > MOST {
        return Err(problem(format!("there are {} answers; at most {MOST} are read", input.table.rows)));
    }
    let mut asked = Vec::new();
    let mut skipped = (0, 0);
    for row in 0..input.table.rows {
        let line = row + 2;
        let text = |column: &privet_data::Column| {
            let code = column.codes.get(row).copied()?;
            (!column.domain.is_missing(code)).then(|| column.domain.text(code).to_owned())
        };
        let question = text(questions).ok_or_else(|| missing(path, line, "question"))?;
        let answer =
            text(answers).and_then(|own| cell_number(&own)).ok_or_else(|| missing(path, line, "answer"))?;
        let width = widths.and_then(text).map(|own| cell_number(&own).filter(|own| *own >= 0.0));
        let width = match width {
            Some(None) => return Err(missing(path, line, "half_width_95")),
            own => own.flatten(),
        };
        let question = PrivateQuestion::parse(&question)
            .map_err(|error| problem(format!("{}: line {line}: {error}", path.display())))?;
        match of_use(known, &question) {
            Use::Secret(people) => {
                asked.push((people, answer, width.map_or(1.0, |own| own * PER_HALF_WIDTH)));
            }
            Use::Public => skipped.0 += 1,
            Use::None => skipped.1 += 1,
        }
    }
    if asked.is_empty() {
        return Err(problem(
            "no answer is a count by public columns and the secret; name the columns that others know with --public, and ask \
             as in `select count(*) from data where ward = 'A' and SECRET`",
        ));
    }
    Ok((asked, skipped))
}

fn missing(path: &Path, line: usize, column: &'static str) -> QueryError {
    problem(format!("{}: line {line}: `{column}` is missing or no number", path.display()))
}

/// What a question is about.
fn of_use(known: &Known<'_>, question: &PrivateQuestion) -> Use {
    if !plain_count(question) {
        return Use::None;
    }
    let parts = |condition: &Condition| match condition {
        Condition::All(parts) => parts.clone(),
        other => vec![other.clone()],
    };
    let secret = parts(&known.secret);
    let secrets = columns_of(&known.secret);
    let touches = |own: &Condition| columns_of(own).iter().any(|name| secrets.contains(name));
    let (about, public): (Vec<Condition>, Vec<Condition>) =
        parts(&question.filter).into_iter().partition(touches);
    let is_known = |name: &&str| known.public.iter().any(|own| own == name);
    if !public.iter().all(|own| columns_of(own).iter().all(is_known)) {
        return Use::None;
    }
    if about.is_empty() {
        return Use::Public;
    }
    let is_secret = about.len() == secret.len() && about.iter().all(|own| secret.contains(own));
    if is_secret { Use::Secret(taken(&Condition::All(public), known.table)) } else { Use::None }
}
