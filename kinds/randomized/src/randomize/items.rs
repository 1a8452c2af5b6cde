//! `perturb = { items = "select-a-size", … }`: cells that hold sets of items, such as baskets (survey ME-22, PM-15).
//!
//! The amplification of select-a-size is about sets of one size, and the size itself would tell. So every set is filled up
//! to the declared size with items that stand for nothing before it is randomized, and what came out loses these again:
//! that is computed from the outcome alone and cannot tell more. An empty cell, or one that is missing, is the empty set.
//!
//! # Guarantee
//! γ is that of the filled sets, an upper bound for what is published: it holds for anything about a set, its size
//! included. Items outside of the declared domain and sets above the declared size are errors, never passed on.

use std::collections::HashMap;

use privet_data::{Cells, Column, Domain};
use privet_perturb::{Coins, PerturbError, Population, SelectASize, estimate_counts};
use privet_release::perturbed::{Items, SELECT_A_SIZE};
use serde::Deserialize;

use super::spec::{self, DomainOf, PerturbSpec};
use crate::error::{JobError, RunError};

/// A law of sets of items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ItemsWord {
    /// How many items are kept is drawn, then which; others are added.
    SelectASize,
}

/// The form of a law of items: its own keys, and how much is kept.
pub(super) fn check(spec: &PerturbSpec, name: &str) -> Result<(), JobError> {
    let key = |what: &str| format!("columns.{name}.perturb{what}");
    if spec.gamma.is_some() == spec.retention.is_some() {
        return Err(JobError::key(
            key(".items"),
            "needs either `gamma` (the law that keeps most for it) or `retention` (each item is kept with this probability)",
        ));
    }
    if spec.size == Some(0) || spec.size.is_some_and(|size| size > 1000) {
        return Err(JobError::key(key(".size"), "must be the most items of a set, from 1 to 1000"));
    }
    if spec.add.is_some_and(|add| !(add > 0.0 && add < 1.0)) {
        return Err(JobError::key(
            key(".add"),
            "must be above 0 and below 1: where nothing is added, every published item is a true one",
        ));
    }
    if spec.separator.as_ref().is_some_and(|own| own.trim().is_empty() || own.trim() != own) {
        return Err(JobError::key(
            key(".separator"),
            "must be a text such as \";\", without blanks at its ends (blanks around items are ignored)",
        ));
    }
    Ok(())
}

/// The published law of a column of sets.
pub(super) fn items(
    spec: &PerturbSpec,
    name: &str,
    domain: Option<DomainOf>,
    markers: &[String],
) -> Result<Items, RunError> {
    let key = |what: &str| format!("columns.{name}.{what}");
    let Some(DomainOf { values, from, .. }) = domain else {
        return Err(JobError::key(
            key("values"),
            "is needed: the items that there can be must be declared, for those that occur would tell that they do",
        )
        .into());
    };
    let separator = spec.separator.clone().unwrap_or_else(|| ";".to_owned());
    let is_item = |own: &String| !own.is_empty() && own.trim() == own && !own.contains(&separator);
    if !values.iter().all(is_item) {
        return Err(JobError::key(
            key("values"),
            "has an item that is empty, has blanks at its ends or holds the separator",
        )
        .into());
    }
    if values.iter().any(|own| markers.contains(own)) {
        return Err(JobError::key(
            key("values"),
            "has an item that means \"not known\" under `input.missing`; name it otherwise",
        )
        .into());
    }
    let size = spec.size.unwrap_or(0);
    if values.len() < 2 || size as usize > values.len() {
        return Err(JobError::key(
            key("perturb.size"),
            "is the most items of a set, and at most as many as are declared",
        )
        .into());
    }
    let failed = |source| spec::failed(name, source);
    let add = spec.add.unwrap_or(0.0);
    let all = values.len() as u32 + size;
    let law = match (spec.gamma, spec.retention) {
        (Some(gamma), _) => SelectASize::amplifying(size, all, add, gamma),
        (None, retention) => SelectASize::keeping(retention.unwrap_or(0.0), size, all, add),
    };
    let law = law.map_err(failed)?;
    // Nothing could be estimated where an item comes out as often whether it was there or not.
    let single = law.transition(1).map_err(failed)?;
    estimate_counts(&single, &[0, 0], Population::Fixed).map_err(failed)?;
    Ok(Items {
        mechanism: SELECT_A_SIZE.to_owned(),
        domain: from.to_owned(),
        separator,
        size,
        keep: law.keep().to_vec(),
        add,
        protects: spec::protection(name, None, law.gamma())?,
        values,
    })
}

/// A law of sets, ready to be drawn from and estimated with.
#[derive(Debug, Clone)]
pub(crate) struct ReadyItems {
    pub values: Vec<String>,
    code_of: HashMap<String, u32>,
    pub separator: String,
    pub law: SelectASize,
}

/// What is wrong with a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Misfit {
    /// An item that was not declared.
    Item,
    /// More items than a set may have.
    Size,
}

impl ReadyItems {
    pub fn new(own: &Items) -> Result<Self, PerturbError> {
        let code_of: HashMap<String, u32> = own.values.iter().cloned().zip(0..).collect();
        if own.values.len() < 2 || code_of.len() != own.values.len() || own.separator.is_empty() {
            return Err(PerturbError::Parameter {
                name: "a domain of items",
                accepted: "at least two items, each once, and a separator",
            });
        }
        if own.keep.len() != own.size as usize + 1 || own.size == 0 || own.size as usize > own.values.len() {
            return Err(PerturbError::Parameter {
                name: "the size of a set",
                accepted: "from 1 to the number of items, with a probability for each number that is kept",
            });
        }
        let all = (own.values.len() as u32).saturating_add(own.size);
        let law = SelectASize::new(own.keep.clone(), own.add, all)?;
        Ok(Self { values: own.values.clone(), code_of, separator: own.separator.clone(), law })
    }

    /// The code of an item.
    pub fn code(&self, item: &str) -> Option<u32> {
        self.code_of.get(item).copied()
    }

    /// The set of a cell, sorted, each item once.
    pub fn published(&self, cell: &str) -> Option<Vec<u32>> {
        let mut set = Vec::new();
        for item in cell.split(&self.separator).map(str::trim) {
            if item.is_empty() && cell.trim().is_empty() {
                continue;
            }
            set.push(self.code(item)?);
        }
        set.sort_unstable();
        set.dedup();
        Some(set)
    }

    /// The set of an original cell.
    pub fn original(&self, cell: &str) -> Result<Vec<u32>, Misfit> {
        let set = self.published(cell).ok_or(Misfit::Item)?;
        if set.len() > self.law.size() { Err(Misfit::Size) } else { Ok(set) }
    }

    /// What a set becomes, as a cell.
    pub fn draw<C: Coins + ?Sized>(&self, set: &[u32], coins: &mut C) -> Result<String, PerturbError> {
        let own = self.values.len() as u32;
        let mut full = set.to_vec();
        full.extend(own..own + self.law.size().saturating_sub(set.len()) as u32);
        let drawn = self.law.randomize(&[full], coins)?.value;
        let items = drawn.first().map_or(&[][..], Vec::as_slice).iter();
        let texts: Vec<&str> =
            items.filter_map(|&item| self.values.get(item as usize).map(String::as_str)).collect();
        Ok(texts.join(&self.separator))
    }
}

/// Randomizes a column of sets.
pub(super) fn column<C: Coins + ?Sized>(
    column: &Column,
    law: &ReadyItems,
    coins: &mut C,
) -> Result<Column, RunError> {
    let domain = &column.domain;
    let of_code: Vec<Result<Vec<u32>, Misfit>> = (0..domain.len() as u32)
        .map(|code| match domain.is_missing(code) {
            true => Ok(Vec::new()),
            false => law.original(domain.text(code)),
        })
        .collect();
    for (misfit, what, advice) in [
        (
            Misfit::Item,
            "items outside of the declared ones",
            "declare them under `values`, or correct `separator`",
        ),
        (Misfit::Size, "sets of more items than `size`", "raise `perturb.size`"),
    ] {
        let is_one = |code: &&u32| of_code.get(**code as usize).is_some_and(|own| *own == Err(misfit));
        let records = column.codes.iter().filter(is_one).count();
        if records > 0 {
            return Err(JobError::key(
                format!("columns.{}", column.name),
                format!("has {what}, in {records} records; {advice}"),
            )
            .into());
        }
    }
    let mut texts: Vec<Box<str>> = Vec::new();
    let mut place_of: HashMap<String, u32> = HashMap::new();
    let mut places = Vec::with_capacity(column.codes.len());
    for &code in &column.codes {
        let set = of_code.get(code as usize).and_then(|own| own.as_deref().ok()).unwrap_or(&[]);
        let drawn = law.draw(set, coins).map_err(|source| spec::failed(&column.name, source))?;
        places.push(*place_of.entry(drawn).or_insert_with_key(|text| {
            texts.push(text.as_str().into());
            texts.len() as u32 - 1
        }));
    }
    let (domain, code_of) = Domain::canonical(texts, str::is_empty);
    let codes = places.iter().map(|&place| code_of.get(place as usize).copied().unwrap_or(0)).collect();
    Ok(Column { name: column.name.clone(), codes, domain, cells: Cells::Plain })
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_perturb::SeededCoins;

    fn law(spec: &PerturbSpec, count: usize) -> Items {
        let values = (0..count).map(|item| format!("i{item}")).collect();
        items(spec, "basket", Some(DomainOf { values, from: "declared", counts: None }), &[String::new()])
            .unwrap()
    }

    fn spec(gamma: Option<f64>, retention: Option<f64>, add: f64, size: u32) -> PerturbSpec {
        let items = Some(ItemsWord::SelectASize);
        PerturbSpec { items, gamma, retention, add: Some(add), size: Some(size), ..PerturbSpec::default() }
    }

    /// survey PM-15: γ of what is published, over every set of up to two of three items and every outcome, is at most
    /// the γ of the law; by enumeration of what the filled sets become.
    #[test]
    fn what_is_published_keeps_the_promise() {
        for own in [law(&spec(Some(5.0), None, 0.3, 2), 3), law(&spec(None, Some(0.6), 0.3, 2), 3)] {
            let ready = ReadyItems::new(&own).unwrap();
            let (m, n) = (2usize, 5usize);
            // P(filled set → outcome over all five items).
            let probability = |set: u32, out: u32| -> f64 {
                let overlap = (set & out).count_ones() as usize;
                let added = (out & !set).count_ones() as i32;
                let choose = [1.0, 2.0, 1.0][overlap];
                own.keep[overlap] / choose
                    * own.add.powi(added)
                    * (1.0 - own.add).powi((n - m) as i32 - added)
            };
            let filled: Vec<u32> = (0..8u32)
                .filter(|set| set.count_ones() <= 2)
                .map(|set| (0..2 - set.count_ones()).fold(set, |set, filler| set | 1 << (3 + filler)))
                .collect();
            let mut most: f64 = 1.0;
            for shown in 0..8u32 {
                // Fillers are not published: all four of their outcomes look alike.
                let of = |set: &u32| (0..4u32).map(|rest| probability(*set, shown | rest << 3)).sum::<f64>();
                let all: Vec<f64> = filled.iter().map(of).collect();
                let (low, high) =
                    all.iter().fold((f64::INFINITY, 0.0), |(a, b): (f64, f64), &p| (a.min(p), b.max(p)));
                most = most.max(high / low);
            }
            let said = own.protects.gamma.unwrap();
            assert!(most <= said * (1.0 + 1e-9) && most > 1.5, "{most} {said}");
            assert_eq!(ready.law.size(), 2);
        }
        assert!((law(&spec(Some(5.0), None, 0.3, 2), 3).protects.gamma.unwrap() - 5.0).abs() < 1e-9);
    }

    #[test]
    fn cells_are_read_as_sets() {
        let ready = ReadyItems::new(&law(&spec(Some(5.0), None, 0.3, 2), 3)).unwrap();
        assert_eq!(ready.original(""), Ok(vec![]));
        assert_eq!(ready.original(" i2 ; i0;i2"), Ok(vec![0, 2]));
        assert_eq!(ready.original("i0;i1;i2"), Err(Misfit::Size));
        assert_eq!(ready.original("i0;"), Err(Misfit::Item));
        assert_eq!(ready.original("x"), Err(Misfit::Item));
        let mut coins = SeededCoins::new(3);
        for _ in 0..50 {
            let cell = ready.draw(&[1], &mut coins).unwrap();
            assert!(ready.published(&cell).is_some(), "{cell}");
        }
    }

    #[test]
    fn laws_that_cannot_be_are_refused() {
        assert!(check(&spec(None, None, 0.1, 2), "b").is_err());
        assert!(check(&spec(Some(3.0), Some(0.5), 0.1, 2), "b").is_err());
        assert!(check(&spec(Some(3.0), None, 0.0, 2), "b").is_err());
        assert!(check(&spec(Some(3.0), None, 0.1, 0), "b").is_err());
        assert!(check(&spec(Some(3.0), None, 0.1, 2), "b").is_ok());
        let domain = |values: &[&str]| {
            let values = values.iter().map(|own| own.to_string()).collect();
            Some(DomainOf { values, from: "declared", counts: None })
        };
        let own = spec(None, Some(0.5), 0.2, 2);
        let wrong =
            |spec: &PerturbSpec, values: Option<DomainOf>| items(spec, "b", values, &["NA".into()]).is_err();
        assert!(wrong(&own, None) && wrong(&own, domain(&["a"])) && wrong(&own, domain(&["a", "b;c"])));
        assert!(wrong(&own, domain(&["a", "NA"])) && wrong(&own, domain(&["a", " b"])));
        // An item comes out as often whether it was there or not.
        assert!(wrong(&spec(None, Some(0.2), 0.2, 2), domain(&["a", "b", "c"])));
        assert!(!wrong(&own, domain(&["a", "b", "c"])));
    }
}
