//! The method `swap`: values change places between records (survey ME-33 to ME-35).
//!
//! # Guarantee
//! Published values are those of the input, each as often as before, in every swapped column; ways that keep more say so
//! in [`Swap::keeps`], and the library checks it before anything is published. Other columns are published as they are.
//! Records stay in the order of the input. A job by which nothing changes is an error, never the original silently.
//! There is no formal privacy.
//!
//! By nearness, all swapped columns of a pair change places together, so that what they tell of each other stays too:
//! the text (ME-35) leaves open whether each is drawn for itself.

use std::collections::{BTreeMap, HashMap};

use privet_data::{Cells, Column, Kind, Progress, Table};
use privet_perturb::Coins;
use privet_perturb::swap::{
    Compared, RankSwapped, Values, nearest_pairs, rank_swap_codes, swap_margin, swap_order, swap_pairs,
};
use privet_release::perturbed::{Change, Swap, SwapWay, SwappedColumn};

use super::RandomizeJob;
use super::job::ValueText;
use super::publish::Made;
use super::section::SwapWord;
use crate::error::{JobError, RunError};

/// Swaps records of a table.
pub(super) fn swap(
    table: &Table,
    job: &RandomizeJob,
    coins: &mut dyn Coins,
    progress: &dyn Progress,
) -> Result<Made, RunError> {
    let section = &job.randomize;
    let names = section.columns.as_deref().unwrap_or_default();
    let places: Vec<usize> = names.iter().filter_map(|name| table.position(name)).collect();
    progress.stage("swapping", None);
    let share = section.share.unwrap_or(0.0);
    let word = section.swap.unwrap_or(SwapWord::Rank);
    if matches!(word, SwapWord::Margin | SwapWord::Nearest) && places.len() >= table.columns.len() {
        return Err(JobError::key(
            "randomize.columns",
            "names every published column, so that records would only change places; leave out at least one",
        )
        .into());
    }
    if table.rows == 0 {
        return Err(nothing().into());
    }
    let codes_of = |place: &usize| table.columns.get(*place).map_or(&[][..], |own| &own.codes);
    let mut ranks: Vec<Option<RankSwapped<u32>>> = Vec::new();
    let (swapped, way, new_records): (Vec<Vec<u32>>, SwapWay, Option<usize>) = match word {
        SwapWord::Rank => {
            let percent = section.percent.unwrap_or(0.0);
            let mut all = Vec::new();
            for column in places.iter().filter_map(|&place| table.columns.get(place)) {
                progress.check()?;
                let declared = job.columns.get(&column.name).and_then(|own| own.values.as_deref());
                let mut own = by_rank(column, declared, percent, coins)?;
                all.push(std::mem::take(&mut own.values));
                ranks.push(Some(own));
            }
            (all, SwapWay::Rank { percent }, None)
        }
        SwapWord::Order => {
            let order = section.order.unwrap_or(1);
            let columns: Vec<&[u32]> = places.iter().map(codes_of).collect();
            let own = swap_order(&columns, order, share, coins)?.value;
            (own.columns, SwapWay::Order { order: order as u64, share }, Some(own.new_records))
        }
        SwapWord::Margin => {
            let columns: Vec<&[u32]> = table.columns.iter().map(|own| &own.codes[..]).collect();
            let mut own = swap_margin(&columns, &places, share, coins)?.value;
            let take = |&place: &usize| own.columns.get_mut(place).map(std::mem::take).unwrap_or_default();
            (places.iter().map(take).collect(), SwapWay::Margin { share }, Some(own.new_records))
        }
        SwapWord::Nearest => {
            let probability = section.probability.unwrap_or(0.0);
            let (compared, moved) = by_nearness(table, job, &places, probability, coins)?;
            let move_all = |place: &usize| {
                let codes = codes_of(place);
                moved.iter().filter_map(|&from| codes.get(from as usize).copied()).collect()
            };
            (places.iter().map(move_all).collect(), SwapWay::Nearest { probability, compared }, None)
        }
    };
    progress.check()?;
    ranks.resize_with(places.len(), || None);
    let mut out = table.clone();
    let mut has_changed = vec![false; table.rows];
    let mut columns = Vec::new();
    let mut missing = BTreeMap::new();
    for ((&place, codes), rank) in places.iter().zip(swapped).zip(ranks) {
        let Some(column) = out.columns.get_mut(place) else { continue };
        let mut changed = 0;
        for ((flag, before), after) in has_changed.iter_mut().zip(&column.codes).zip(&codes) {
            changed += u64::from(before != after);
            *flag |= before != after;
        }
        let gone = codes.iter().filter(|&&code| column.domain.is_missing(code)).count() as u64;
        if gone > 0 {
            missing.insert(column.name.clone(), gone);
        }
        columns.push(SwappedColumn {
            name: column.name.clone(),
            distinct: column.domain.len() as u64,
            changed,
            window: rank.as_ref().map(|own| own.window as u64),
            mean_rank_distance: rank.as_ref().map(|own| own.mean_rank_distance),
        });
        *column = with_codes(column, codes);
    }
    let changed = has_changed.iter().filter(|flag| **flag).count() as u64;
    if changed == 0 {
        return Err(nothing().into());
    }
    let swap = Swap {
        keeps: way.keeps(columns.len()),
        way,
        columns,
        changed,
        new_records: new_records.map(|own| own as u64),
    };
    Ok(Made { tables: vec![out], missing, change: Change::Swapped(swap) })
}

fn nothing() -> JobError {
    JobError::key(
        "randomize.swap",
        "changed no value, and the original is not published in its place; swap more, or other columns",
    )
}

/// The same column with other codes. How cells stood is told per value or not at all, so that no mark of a record moves.
pub(super) fn with_codes(column: &Column, codes: Vec<u32>) -> Column {
    let cells = match &column.cells {
        Cells::Arrow(values) => Cells::Arrow(values.clone()),
        Cells::Quoted => Cells::Quoted,
        Cells::Plain | Cells::Verbatim { .. } | Cells::ArrowVerbatim { .. } => Cells::Plain,
    };
    Column { name: column.name.clone(), codes, domain: column.domain.clone(), cells }
}

/// Swaps a column by rank, in the order of its numbers or in the one that is declared.
fn by_rank(
    column: &Column,
    declared: Option<&[ValueText]>,
    percent: f64,
    coins: &mut dyn Coins,
) -> Result<RankSwapped<u32>, RunError> {
    let domain = &column.domain;
    let missing = domain.missing();
    let key = || format!("columns.{}.values", column.name);
    let Some(declared) = declared else {
        let is_ordered = is_numeric(domain.kind()) || domain.len() == missing as usize;
        if !is_ordered {
            return Err(JobError::key(
                key(),
                "is needed: the column holds no numbers or dates, so its order must be declared, from the lowest value to \
                 the highest",
            )
            .into());
        }
        return Ok(rank_swap_codes(&column.codes, missing, percent, coins)?.value);
    };
    let mut rank_of_text: HashMap<String, u32> = HashMap::new();
    for (place, value) in declared.iter().enumerate() {
        if rank_of_text.insert(value.text(), missing + place as u32).is_some() {
            return Err(JobError::key(key(), "names a value twice").into());
        }
    }
    let mut code_of_rank = vec![0; missing as usize + declared.len()];
    let mut rank_of_code = Vec::with_capacity(domain.len());
    for code in 0..domain.len() as u32 {
        let rank =
            if domain.is_missing(code) { Some(code) } else { rank_of_text.get(domain.text(code)).copied() };
        let Some(rank) = rank else {
            return Err(JobError::key(key(), "leaves out values that the column has; declare all").into());
        };
        if let Some(slot) = code_of_rank.get_mut(rank as usize) {
            *slot = code;
        }
        rank_of_code.push(rank);
    }
    let through = |codes: &[u32], table: &[u32]| -> Vec<u32> {
        codes.iter().map(|&code| table.get(code as usize).copied().unwrap_or(0)).collect()
    };
    let mut own = rank_swap_codes(&through(&column.codes, &rank_of_code), missing, percent, coins)?.value;
    own.values = through(&own.values, &code_of_rank);
    Ok(own)
}

/// Which columns were compared, and per record from which one it gets its values.
fn by_nearness(
    table: &Table,
    job: &RandomizeJob,
    swapped: &[usize],
    probability: f64,
    coins: &mut dyn Coins,
) -> Result<(Vec<String>, Vec<u32>), RunError> {
    let is_compared = |(place, column): &(usize, &Column)| match &job.randomize.compare {
        Some(names) => names.contains(&column.name),
        None => !swapped.contains(place),
    };
    let compared: Vec<&Column> =
        table.columns.iter().enumerate().filter(is_compared).map(|(_, column)| column).collect();
    let mut numbers = Vec::with_capacity(compared.len());
    for column in &compared {
        let domain = &column.domain;
        if !is_numeric(domain.kind()) {
            numbers.push(None);
            continue;
        }
        if domain.missing() > 0 {
            return Err(JobError::key(
                "randomize.compare",
                format!(
                    "has {}, some numbers of which are missing, so that nearness cannot be told; compare other columns",
                    column.name
                ),
            )
            .into());
        }
        let of_code: Vec<f64> =
            (0..domain.len() as u32).map(|code| domain.number(code).unwrap_or(f64::NAN)).collect();
        let own = column.codes.iter().map(|&code| of_code.get(code as usize).copied().unwrap_or(f64::NAN));
        numbers.push(Some(own.collect::<Vec<f64>>()));
    }
    let columns: Vec<Compared<'_>> = compared
        .iter()
        .zip(&numbers)
        .map(|(column, numbers)| Compared {
            values: match numbers {
                Some(numbers) => Values::Numbers(numbers),
                None => Values::Codes(&column.codes),
            },
            weight: 1.0,
        })
        .collect();
    let pairs = nearest_pairs(&columns)?;
    let records: Vec<u32> = (0..table.rows as u32).collect();
    let moved = swap_pairs(&pairs, &records, probability, coins)?.value.values;
    Ok((compared.iter().map(|column| column.name.clone()).collect(), moved))
}

/// Whether values have numbers.
pub(super) fn is_numeric(kind: Kind) -> bool {
    matches!(kind, Kind::Integer | Kind::Decimal | Kind::Date)
}
