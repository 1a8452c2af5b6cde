//! People with what is known of them, as attacks and measures look at them: of a release or of its original.

use std::collections::BTreeMap;

use privet_data::Kind;

use crate::alike::{Numbering, classes};
use crate::body::{Body, Role};

/// Texts by column, one for each row.
pub(crate) type Rows = BTreeMap<String, Vec<Box<str>>>;

/// People, in the order of their names or pseudonyms.
#[derive(Debug, Clone, Default)]
pub struct People {
    /// Names or pseudonyms; of rows that are not linked each row is taken for a person.
    pub names: Vec<Box<str>>,
    /// Whether rows of a person belong together.
    pub linked: bool,
    /// Per person the class: who looks the same in all tables.
    pub class_of: Vec<u32>,
    /// How many classes there are.
    pub classes: usize,
    /// Per table, and person, how many rows.
    pub rows: Vec<Vec<u32>>,
    /// The sensitive columns.
    pub sensitive: Vec<Sensitive>,
    /// Per person the household.
    pub household_of: Option<Vec<u32>>,
    /// Per person the sampling weight.
    pub weight: Option<Vec<f64>>,
    /// Per person the days of all rows, sorted.
    pub days: Vec<Vec<i64>>,
}

/// A sensitive column.
#[derive(Debug, Clone)]
pub struct Sensitive {
    /// `table.column`.
    pub name: String,
    /// Each value with its number.
    pub values: Vec<Box<str>>,
    /// Per person the values, one for each row that has one.
    pub held: Vec<Vec<u32>>,
}

impl People {
    /// People of tables: per table of the body its rows, by column.
    pub(crate) fn of(body: &Body, tables: &[Rows]) -> Self {
        let mut numbering: Numbering<Box<str>> = Numbering::default();
        let mut names: Vec<Box<str>> = Vec::new();
        let mut person_of: Vec<Vec<u32>> = Vec::new();
        for (table, rows) in body.tables.iter().zip(tables) {
            let length = rows.values().next().map_or(0, Vec::len);
            let name = |row: usize| match &table.person {
                Some(column) => rows[column][row].clone(),
                None => row.to_string().into(),
            };
            let of = (0..length).map(|row| {
                let name = name(row);
                let number = numbering.of(name.clone());
                if number as usize == names.len() {
                    names.push(name);
                }
                number
            });
            person_of.push(of.collect());
        }
        let people = names.len();
        let mut own = Self { names, linked: body.linked, ..Self::default() };
        own.days = vec![Vec::new(); people];
        let mut tuples = Vec::new();
        for ((table, rows), person_of) in body.tables.iter().zip(tables).zip(&person_of) {
            let mut count = vec![0; people];
            person_of.iter().for_each(|&person: &u32| count[person as usize] += 1);
            own.rows.push(count);
            let quasi: Vec<&Vec<Box<str>>> =
                table.with(Role::Quasi).map(|column| &rows[&column.name]).collect();
            let mut numbers: Numbering<Vec<&str>> = Numbering::default();
            let tuple = |row: usize| quasi.iter().map(|column| &*column[row]).collect::<Vec<&str>>();
            tuples.push(match quasi.is_empty() {
                true => Vec::new(),
                false => (person_of.iter().enumerate())
                    .map(|(row, &person)| (person, numbers.of(tuple(row))))
                    .collect(),
            });
            for column in table.with(Role::Sensitive) {
                let mut numbers: Numbering<&str> = Numbering::default();
                let mut values: Vec<Box<str>> = Vec::new();
                let mut held = vec![Vec::new(); people];
                for (text, &person) in
                    rows[&column.name].iter().zip(person_of).filter(|(text, _)| !text.is_empty())
                {
                    let number = numbers.of(text);
                    if number as usize == values.len() {
                        values.push(text.clone());
                    }
                    held[person as usize].push(number);
                }
                own.sensitive.push(Sensitive {
                    name: format!("{}.{}", table.name, column.name),
                    values,
                    held,
                });
            }
            for column in table.with(Role::Date) {
                for (text, &person) in rows[&column.name].iter().zip(person_of) {
                    own.days[person as usize].extend(Kind::Date.number(text).map(|day| day as i64));
                }
            }
            for column in table.with(Role::Household) {
                let mut numbers: Numbering<&str> = Numbering::default();
                let mut of = vec![0; people];
                for (text, &person) in rows[&column.name].iter().zip(person_of) {
                    of[person as usize] = numbers.of(text);
                }
                own.household_of = Some(of);
            }
            for column in table.with(Role::Weight) {
                let mut of = vec![1.0; people];
                for (text, &person) in rows[&column.name].iter().zip(person_of) {
                    of[person as usize] = text.parse().unwrap_or(1.0);
                }
                own.weight = Some(of);
            }
        }
        own.days.iter_mut().for_each(|days| days.sort_unstable());
        (own.class_of, own.classes) = classes(people, &tuples, own.household_of.as_deref());
        own
    }

    /// How many people there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is nobody.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Per class its people.
    pub fn sizes(&self) -> Vec<u64> {
        let mut sizes = vec![0; self.classes];
        self.class_of.iter().for_each(|&class| sizes[class as usize] += 1);
        sizes
    }
}
