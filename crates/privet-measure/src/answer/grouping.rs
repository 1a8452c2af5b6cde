//! Several tables in one question: `grouping sets ((a, b), (b, c))`, `cube (a, b)` and `rollup (a, b)` as lists of
//! columns.
//!
//! `cube` is every part of its list, `rollup` every beginning of it, both from the whole to the empty one (the total).
//! A set that is written twice is one table.

use sqlparser::ast::Expr;

use super::question::QuestionError;
use super::sql::refuse;

/// The most members of a `cube`, which has 2^members tables.
const MOST: usize = 8;

/// The columns in the order in which they first appear, and per table the positions of its own.
pub(super) type Sets = (Vec<String>, Vec<Vec<usize>>);

/// Reads them; `name` tells the name of a column.
pub(super) fn read(
    expr: &Expr,
    name: impl Fn(&Expr) -> Result<String, QuestionError>,
) -> Result<Sets, QuestionError> {
    let mut columns: Vec<String> = Vec::new();
    let mut positions = |set: &Vec<Expr>| {
        let mut places = Vec::new();
        for column in set {
            let column = name(column)?;
            let place = columns.iter().position(|own| *own == column);
            places.push(place.unwrap_or(columns.len()));
            if place.is_none() {
                columns.push(column);
            }
        }
        Ok(places)
    };
    let (members, kind) = match expr {
        Expr::GroupingSets(list) => (list, Kind::Listed),
        Expr::Cube(list) => (list, Kind::Cube),
        Expr::Rollup(list) => (list, Kind::Rollup),
        _ => return Err(refuse("`rollup`, `cube` or `grouping sets`")),
    };
    let members = members.iter().map(&mut positions).collect::<Result<Vec<_>, QuestionError>>()?;
    let chosen: Vec<Vec<usize>> = match kind {
        Kind::Listed => members,
        Kind::Rollup => (0..=members.len()).rev().map(|end| members[..end].concat()).collect(),
        Kind::Cube if members.len() > MOST => {
            return Err(refuse(
                "`cube` of more than eight columns, that is more than 256 tables (list those that you need as `grouping sets ((a, b), (b, c))`)",
            ));
        }
        Kind::Cube => {
            let part = |left_out: u32| {
                let kept = members.iter().rev().enumerate().filter(move |(bit, _)| left_out >> bit & 1 == 0);
                kept.flat_map(|(_, own)| own.iter().copied()).collect()
            };
            (0..1u32 << members.len()).map(part).collect()
        }
    };
    let mut sets: Vec<Vec<usize>> = Vec::new();
    for mut set in chosen {
        set.sort_unstable();
        set.dedup();
        if !sets.contains(&set) {
            sets.push(set);
        }
    }
    Ok((columns, sets))
}

enum Kind {
    Listed,
    Cube,
    Rollup,
}
