//! Ratings from files: triples (user, item, rating, and a time where there is one) or a wide matrix of users by items.
//!
//! CSV, Parquet and Arrow, by the readers of `privet-data`. Users and items are compared exactly (`1` and `01` are two) and
//! stand in the order of their names, numbers by value, so the same file gives the same ratings. What the reader repairs
//! is counted in [`Repairs`]; what it cannot repair is an error that names no value.

use std::ops::ControlFlow;
use std::path::Path;

use privet_data::io::{self, Input, ReadError, ReadErrorKind, ReadOptions};
use privet_data::{Column, Domain, Kind, Progress};
use serde::{Deserialize, Serialize};

use crate::{Ratings, RatingsError, Scale, Triples};

/// How the ratings stand in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layout {
    /// One row for each rating.
    #[default]
    Triples,
    /// One row for each user and one column for each item.
    Wide,
}

/// What a time is, where it is a whole number. Dates are read as such whatever the unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TimeUnit {
    /// Seconds since 1970-01-01.
    #[default]
    Seconds,
    /// Milliseconds since 1970-01-01.
    Milliseconds,
    /// Days since any day.
    Days,
}

impl TimeUnit {
    fn days(self, number: f64) -> Option<i32> {
        let length = match self {
            TimeUnit::Seconds => 86_400.0,
            TimeUnit::Milliseconds => 86_400_000.0,
            TimeUnit::Days => 1.0,
        };
        let day = (number / length).floor();
        (day.abs() < 1e9).then_some(day as i32)
    }
}

/// How ratings are to be read.
#[derive(Debug, Clone, Default)]
pub struct RatingsOptions {
    /// How the ratings stand in the file.
    pub layout: Layout,
    /// The column of the users; the first column unless stated.
    pub user: Option<String>,
    /// The column of the items; the second column unless stated. Triples only.
    pub item: Option<String>,
    /// The column of the ratings; the third column unless stated. Triples only.
    pub rating: Option<String>,
    /// The column of the times; times are not read unless it is stated. Triples only.
    pub time: Option<String>,
    /// What a time is.
    pub unit: TimeUnit,
    /// The scale; otherwise the narrowest one that holds all ratings, which a release should not rest on.
    pub scale: Option<Scale>,
    /// How the table is to be read.
    pub read: ReadOptions,
}

/// What the reader repaired.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Repairs {
    /// Ratings that another rating of the same item by the same user replaced.
    pub repeated: u64,
    /// Rows of triples without a rating, which count as a null.
    pub unrated: u64,
    /// Users without any rating, who were left out.
    pub empty_users: u64,
}

/// Ratings from a file.
#[derive(Debug, Clone)]
pub struct RatingsInput {
    /// The ratings.
    pub ratings: Ratings,
    /// What was repaired.
    pub repairs: Repairs,
    /// The length of the file.
    pub bytes: u64,
}

/// Reads ratings.
///
/// # Errors
/// When the file cannot be read, a rating is off the scale, a row has no user or no item, a time is none, or there is no
/// rating at all.
pub fn read(
    path: &Path,
    options: &RatingsOptions,
    progress: &dyn Progress,
) -> Result<RatingsInput, RatingsError> {
    match options.layout {
        Layout::Triples => read_triples(path, options, progress),
        Layout::Wide => read_wide(path, options, progress),
    }
}

fn unknown_column(path: &Path, name: &str, names: &[String]) -> RatingsError {
    let kind = ReadErrorKind::UnknownColumn { name: name.to_owned(), names: names.to_vec() };
    ReadError { path: Some(path.to_owned()), kind }.into()
}

/// The column with a name, or the first of those that no other part of a triple is named for.
fn find(
    path: &Path,
    input: &Input,
    name: Option<&str>,
    taken: &mut Vec<String>,
) -> Result<usize, RatingsError> {
    let columns = &input.table.columns;
    let place = match name {
        Some(name) => columns.iter().position(|column| column.name == name),
        None => columns.iter().position(|column| !taken.contains(&column.name)),
    };
    let place = place.ok_or_else(|| match name {
        Some(name) => unknown_column(path, name, &input.names),
        None => RatingsError::TooFewColumns { path: path.to_owned(), columns: input.names.len() },
    })?;
    taken.push(columns[place].name.clone());
    Ok(place)
}

/// The entries of the columns of triples, one entry for each rating.
#[derive(Default)]
struct Entries {
    columns: Vec<Vec<u32>>,
}

fn read_triples(
    path: &Path,
    options: &RatingsOptions,
    progress: &dyn Progress,
) -> Result<RatingsInput, RatingsError> {
    let named = [&options.user, &options.item, &options.rating];
    let all: Option<Vec<String>> = named.into_iter().cloned().collect();
    // With all three stated nothing else is kept while reading.
    let columns = all.map(|all| all.into_iter().chain(options.time.clone()).collect());
    let mut entries = Entries::default();
    let reading = ReadOptions { columns, ..options.read.clone().exactly() };
    let input = io::stream(path, &reading, progress, &mut |_, columns| {
        entries.columns.resize_with(columns.len(), Vec::new);
        for (all, chunk) in entries.columns.iter_mut().zip(columns) {
            all.extend_from_slice(chunk);
        }
        ControlFlow::Continue(())
    })?;
    let mut taken: Vec<String> = named.into_iter().flatten().chain(&options.time).cloned().collect();
    let user = find(path, &input, options.user.as_deref(), &mut taken)?;
    let item = find(path, &input, options.item.as_deref(), &mut taken)?;
    let rating = find(path, &input, options.rating.as_deref(), &mut taken)?;
    let time = match &options.time {
        Some(time) => Some(find(path, &input, Some(time), &mut taken)?),
        None => None,
    };
    entries.columns.resize_with(input.table.columns.len(), Vec::new);
    let columns = &input.table.columns;
    let mut take = |place: usize| std::mem::take(&mut entries.columns[place]);
    let (mut users, mut items, ratings) = (take(user), take(item), take(rating));
    let times = time.map(&mut take);
    progress.stage("ordering ratings", None);
    let missing = |column: &Column, entry: u32| column.domain.is_missing(column.codes[entry as usize]);
    let nameless = users.iter().zip(&items);
    let nameless =
        nameless.filter(|&(&a, &b)| missing(&columns[user], a) || missing(&columns[item], b)).count();
    if nameless > 0 {
        return Err(RatingsError::MissingIds { path: path.to_owned(), rows: nameless as u64 });
    }
    let scale = scale_of(path, options, [&columns[rating].domain])?;
    // Ticks of entries; unrated rows have a tick of their own and are left out.
    let tick_of = ticks_of(scale, &columns[rating]);
    let ticks = ticks_of_rows(path, scale, &tick_of, &ratings)?;
    drop(ratings);
    let mut days = match (time, times) {
        (Some(time), Some(times)) => Some(days_of_rows(path, options.unit, &columns[time], times)?),
        _ => None,
    };
    let (user_names, user_of) = names(&columns[user]);
    let (item_names, item_of) = names(&columns[item]);
    users.iter_mut().for_each(|own| *own = user_of[*own as usize]);
    items.iter_mut().for_each(|own| *own = item_of[*own as usize]);
    progress.check()?;
    let unrated = ticks.iter().filter(|tick| **tick == crate::NULL).count();
    let mut triples = Triples { users, items, ticks, days: days.take() };
    if unrated > 0 {
        triples = rated_only(triples);
    }
    finish(scale, user_names, item_names, triples, unrated as u64, input.bytes)
}

fn rated_only(triples: Triples) -> Triples {
    let rated: Vec<bool> = triples.ticks.iter().map(|tick| *tick != crate::NULL).collect();
    fn keep<T: Copy>(list: Vec<T>, rated: &[bool]) -> Vec<T> {
        list.into_iter().zip(rated).filter(|(_, rated)| **rated).map(|(value, _)| value).collect()
    }
    Triples {
        users: keep(triples.users, &rated),
        items: keep(triples.items, &rated),
        ticks: keep(triples.ticks, &rated),
        days: triples.days.map(|days| keep(days, &rated)),
    }
}

/// Users without a rating are left out, items without one too.
fn finish(
    scale: Scale,
    users: Vec<Box<str>>,
    items: Vec<Box<str>>,
    mut triples: Triples,
    unrated: u64,
    bytes: u64,
) -> Result<RatingsInput, RatingsError> {
    if triples.ticks.is_empty() {
        return Err(RatingsError::Empty { of: "" });
    }
    let before = users.len();
    let users = compact(users, &mut triples.users);
    let items = compact(items, &mut triples.items);
    let empty_users = (before - users.len()) as u64;
    let (ratings, repeated) = Ratings::from_triples(scale, users, items, triples)?;
    Ok(RatingsInput { ratings, repairs: Repairs { repeated, unrated, empty_users }, bytes })
}

fn compact(names: Vec<Box<str>>, numbers: &mut [u32]) -> Vec<Box<str>> {
    let mut used = vec![false; names.len()];
    numbers.iter().for_each(|&number| used[number as usize] = true);
    if used.iter().all(|used| *used) {
        return names;
    }
    let mut next = 0;
    let new: Vec<u32> = (used.iter())
        .map(|&used| {
            next += u32::from(used);
            next.saturating_sub(1)
        })
        .collect();
    numbers.iter_mut().for_each(|number| *number = new[*number as usize]);
    names.into_iter().zip(used).filter(|(_, used)| *used).map(|(name, _)| name).collect()
}

/// The names of a column in canonical order, and per entry the number of its name.
fn names(column: &Column) -> (Vec<Box<str>>, Vec<u32>) {
    let missing = column.domain.missing();
    let names = column.domain.texts()[missing as usize..].to_vec();
    (names, column.codes.iter().map(|&code| code.saturating_sub(missing)).collect())
}

fn number(domain: &Domain, code: u32) -> Option<f64> {
    domain.text(code).trim().parse::<f64>().ok().filter(|number| number.is_finite())
}

/// The declared scale, or the narrowest one of all ratings.
fn scale_of<'a>(
    path: &Path,
    options: &RatingsOptions,
    domains: impl IntoIterator<Item = &'a Domain>,
) -> Result<Scale, RatingsError> {
    if let Some(scale) = options.scale {
        return Ok(scale);
    }
    let codes = domains
        .into_iter()
        .flat_map(|domain| (domain.missing()..domain.len() as u32).map(move |code| (domain, code)));
    let values: Option<Vec<f64>> = codes.map(|(domain, code)| number(domain, code)).collect();
    if values.as_ref().is_some_and(Vec::is_empty) {
        return Err(RatingsError::Empty { of: "" });
    }
    values.and_then(Scale::holding).ok_or_else(|| {
        let problem = "must be stated, because no scale of equal steps holds the ratings of the file";
        let kind = ReadErrorKind::Option { key: "scale", problem };
        RatingsError::Read(ReadError { path: Some(path.to_owned()), kind })
    })
}

/// What an entry of a column of ratings is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cell {
    Tick(u8),
    Null,
    OffScale,
}

fn ticks_of(scale: Scale, column: &Column) -> Vec<Cell> {
    let cell = |&code: &u32| match column.domain.is_missing(code) {
        true => Cell::Null,
        false => number(&column.domain, code)
            .and_then(|number| scale.tick(number))
            .map_or(Cell::OffScale, Cell::Tick),
    };
    column.codes.iter().map(cell).collect()
}

fn ticks_of_rows(path: &Path, scale: Scale, tick_of: &[Cell], rows: &[u32]) -> Result<Vec<u8>, RatingsError> {
    let mut off = 0;
    let tick = |&entry: &u32| match tick_of[entry as usize] {
        Cell::Tick(tick) => tick,
        Cell::Null => crate::NULL,
        Cell::OffScale => {
            off += 1;
            crate::NULL
        }
    };
    let ticks = rows.iter().map(tick).collect();
    match off {
        0 => Ok(ticks),
        rows => Err(off_scale(path, scale, rows)),
    }
}

fn off_scale(path: &Path, scale: Scale, rows: u64) -> RatingsError {
    let (low, high, step) = (scale.low(), scale.high(), scale.step());
    RatingsError::OffScale { path: path.to_owned(), rows, low, high, step }
}

fn days_of_rows(
    path: &Path,
    unit: TimeUnit,
    column: &Column,
    rows: Vec<u32>,
) -> Result<Vec<i32>, RatingsError> {
    let day = |&code: &u32| -> Option<i32> {
        if column.domain.is_missing(code) {
            return None;
        }
        match Kind::Date.number(column.domain.text(code)) {
            Some(days) => Some(days as i32),
            None => number(&column.domain, code).and_then(|number| unit.days(number)),
        }
    };
    let day_of: Vec<Option<i32>> = column.codes.iter().map(day).collect();
    let wrong = rows.iter().filter(|&&entry| day_of[entry as usize].is_none()).count() as u64;
    match wrong {
        0 => Ok(rows.into_iter().map(|entry| day_of[entry as usize].unwrap_or(0)).collect()),
        rows => Err(RatingsError::Times { path: path.to_owned(), rows }),
    }
}

fn read_wide(
    path: &Path,
    options: &RatingsOptions,
    progress: &dyn Progress,
) -> Result<RatingsInput, RatingsError> {
    let input = io::read(path, &options.read.clone().exactly(), progress)?;
    let place = find(path, &input, options.user.as_deref(), &mut Vec::new())?;
    let columns = &input.table.columns;
    if columns.len() < 2 {
        return Err(RatingsError::TooFewColumns { path: path.to_owned(), columns: columns.len() });
    }
    let user = &columns[place];
    let nameless = user.codes.iter().filter(|&&code| user.domain.is_missing(code)).count();
    if nameless > 0 {
        return Err(RatingsError::MissingIds { path: path.to_owned(), rows: nameless as u64 });
    }
    let (users, _) = names(user);
    let repeated = input.table.rows - users.len();
    if repeated > 0 {
        return Err(RatingsError::RepeatedUsers { path: path.to_owned(), rows: repeated as u64 });
    }
    let rated: Vec<&Column> =
        columns.iter().enumerate().filter(|(at, _)| *at != place).map(|(_, column)| column).collect();
    let scale = scale_of(path, options, rated.iter().map(|column| &column.domain))?;
    let mut triples = Triples::default();
    let mut off = 0;
    for (column, item) in rated.iter().zip(0u32..) {
        progress.check()?;
        let tick_of: Vec<Cell> = (0..column.domain.len() as u32)
            .map(|code| match column.domain.is_missing(code) {
                true => Cell::Null,
                false => number(&column.domain, code)
                    .and_then(|own| scale.tick(own))
                    .map_or(Cell::OffScale, Cell::Tick),
            })
            .collect();
        for (&code, &user_code) in column.codes.iter().zip(&user.codes) {
            match tick_of[code as usize] {
                Cell::Tick(tick) => {
                    triples.users.push(user_code - user.domain.missing());
                    triples.items.push(item);
                    triples.ticks.push(tick);
                }
                Cell::Null => {}
                Cell::OffScale => off += 1,
            }
        }
    }
    if off > 0 {
        return Err(off_scale(path, scale, off));
    }
    let items = rated.iter().map(|column| column.name.as_str().into()).collect();
    finish(scale, users, items, triples, 0, input.bytes)
}
