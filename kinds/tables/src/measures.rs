//! What tables about the same people are still good for.

use std::collections::BTreeMap;

use privet_data::Progress;
use privet_kind::{Figure, Measure, MeasureInfo, Reason, Unmade, Views};

use crate::body::{Body, Role};
use crate::people::{People, Sensitive};

/// All of them.
pub const ALL: &[&dyn Measure] = &[&Kept, &Contribution, &Margins, &Levels];

fn both<'a>(release: Views<'a>, original: Views<'a>) -> Result<(&'a People, &'a People), Unmade> {
    match (release.get(), original.get()) {
        (Some(after), Some(before)) => Ok((before, after)),
        _ => Err(Reason::Nothing { what: "person".to_owned() }.into()),
    }
}

fn names(release: Views<'_>) -> Vec<String> {
    release
        .get::<Body>()
        .map_or_else(Vec::new, |body| body.tables.iter().map(|table| table.name.clone()).collect())
}

/// How many rows are left.
struct Kept;

impl Measure for Kept {
    fn info(&self) -> &'static MeasureInfo {
        &MeasureInfo {
            id: "kept",
            title: "Rows kept",
            sentence: "How many people, and rows of each table, are still there.",
        }
    }

    fn run(&self, release: Views<'_>, original: Views<'_>, _: &dyn Progress) -> Result<Vec<Figure>, Unmade> {
        let (before, after) = both(release, original)?;
        let sum = |rows: &[u32]| rows.iter().map(|&own| f64::from(own)).sum();
        let mut figures = Vec::new();
        if after.linked {
            figures.push(Figure::compared(self.info(), "people", before.len() as f64, after.len() as f64));
        }
        for ((name, before), after) in names(release).into_iter().zip(&before.rows).zip(&after.rows) {
            figures.push(Figure::compared(self.info(), format!("rows of {name}"), sum(before), sum(after)));
        }
        if let (Some(before), Some(after)) = (&before.weight, &after.weight) {
            let total = |own: &[f64]| own.iter().sum();
            figures.push(Figure::compared(self.info(), "sum of weights", total(before), total(after)));
        }
        Ok(figures)
    }
}

/// Rows per person.
struct Contribution;

impl Measure for Contribution {
    fn info(&self) -> &'static MeasureInfo {
        &MeasureInfo {
            id: "contribution",
            title: "Rows per person",
            sentence: "The most rows of one person, which `at-most` bounds.",
        }
    }

    fn run(&self, release: Views<'_>, original: Views<'_>, _: &dyn Progress) -> Result<Vec<Figure>, Unmade> {
        let (before, after) = both(release, original)?;
        if !after.linked {
            return Err(Reason::Nothing { what: "pseudonym that links rows".to_owned() }.into());
        }
        let most = |rows: &[u32]| f64::from(rows.iter().copied().max().unwrap_or(0));
        let rows = names(release).into_iter().zip(&before.rows).zip(&after.rows);
        Ok(rows
            .map(|((name, before), after)| Figure::compared(self.info(), name, most(before), most(after)))
            .collect())
    }
}

/// How sensitive values are distributed.
struct Margins;

impl Measure for Margins {
    fn info(&self) -> &'static MeasureInfo {
        &MeasureInfo {
            id: "margins",
            title: "Distributions",
            sentence: "Total variation distance between the rows by value before and after, weighted where people have weights; 0 is the same.",
        }
    }

    fn run(&self, release: Views<'_>, original: Views<'_>, _: &dyn Progress) -> Result<Vec<Figure>, Unmade> {
        let (before, after) = both(release, original)?;
        let figure = |(one, other): (&Sensitive, &Sensitive)| {
            let (one, other) = (shares(one, before), shares(other, after));
            let more: f64 =
                one.iter().map(|(value, share)| (share - other.get(value).unwrap_or(&0.0)).max(0.0)).sum();
            (more, other.len())
        };
        let pairs = before.sensitive.iter().zip(&after.sensitive);
        Ok(pairs
            .map(|(one, other)| {
                Figure::single(self.info(), one.name.clone(), figure((one, other)).0).as_share()
            })
            .collect())
    }
}

fn shares<'a>(column: &'a Sensitive, people: &People) -> BTreeMap<&'a str, f64> {
    let mut shares: BTreeMap<&str, f64> = BTreeMap::new();
    let mut all = 0.0;
    for (person, held) in column.held.iter().enumerate() {
        let weight = people.weight.as_ref().map_or(1.0, |weight| weight[person]);
        for &value in held {
            *shares.entry(&*column.values[value as usize]).or_default() += weight;
            all += weight;
        }
    }
    shares.values_mut().for_each(|own| *own /= f64::max(all, f64::MIN_POSITIVE));
    shares
}

/// How far quasi columns went up.
struct Levels;

impl Measure for Levels {
    fn info(&self) -> &'static MeasureInfo {
        &MeasureInfo {
            id: "levels",
            title: "Levels",
            sentence: "How far up its hierarchy each quasi column went; 0 is untouched, 1 says nothing any more.",
        }
    }

    fn run(&self, release: Views<'_>, _: Views<'_>, _: &dyn Progress) -> Result<Vec<Figure>, Unmade> {
        let body: &Body = release.get().ok_or(Reason::Nothing { what: "table".to_owned() })?;
        let of = |table: &crate::PublishedTable| {
            let column = |own: &crate::PublishedColumn| {
                let share = own.level? as f64 / own.height.filter(|&height| height > 0)? as f64;
                Some(Figure::single(self.info(), format!("{}.{}", table.name, own.name), share).as_share())
            };
            table.with(Role::Quasi).filter_map(column).collect::<Vec<_>>()
        };
        Ok(body.tables.iter().flat_map(of).collect())
    }
}
