//! Which columns of a table are condensed, which one holds classes, and which one names the groups.

use privet_kind::KindError;

use crate::Input;

/// Positions of columns in the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Columns {
    /// Those of numbers, in the order of the table.
    pub numbers: Vec<usize>,
    /// That of the classes.
    pub class: Option<usize>,
    /// That which names the groups; it is not published.
    pub groups: Option<usize>,
}

impl Columns {
    /// Finds the columns that a job names among those of its table.
    pub fn find(names: &[&str], input: &Input) -> Result<Self, KindError> {
        // A name that could be a number is a record that stands where the header should.
        if names.iter().all(|name| name.trim().parse::<f64>().is_ok()) {
            let problem = "line 1 holds numbers where the names of the columns are expected; add a header";
            return Err(KindError::bad_input(problem).at(&input.path));
        }
        let find = |key: &str, wanted: &str| {
            let found = names.iter().position(|name| *name == wanted);
            found.ok_or_else(|| {
                let count = names.len();
                let problem =
                    format!("names the column `{wanted}`, which is not among the {count} of the table");
                KindError::key(key, problem).at(&input.path)
            })
        };
        let class = input.class.as_deref().map(|class| find("input.class", class)).transpose()?;
        let groups = input.groups_from.as_deref().map(|name| find("input.groups-from", name)).transpose()?;
        if groups.is_some() && groups == class {
            let problem = "names the class; leave it out, for classes are condensed apart anyway";
            return Err(KindError::key("input.groups-from", problem));
        }
        let mut numbers = Vec::new();
        for name in input.columns.iter().flatten() {
            let position = find("input.columns", name)?;
            let problem = match () {
                () if Some(position) == class => "which is the class",
                () if Some(position) == groups => "which names the groups",
                () if numbers.contains(&position) => "twice",
                () => {
                    numbers.push(position);
                    continue;
                }
            };
            return Err(KindError::key("input.columns", format!("names `{name}`, {problem}")));
        }
        if input.columns.is_none() {
            numbers.extend((0..names.len()).filter(|at| ![class, groups].contains(&Some(*at))));
        }
        if numbers.is_empty() {
            let problem = "there is no column to condense besides the class and the groups";
            return Err(KindError::bad_input(problem).at(&input.path));
        }
        numbers.sort_unstable();
        Ok(Self { numbers, class, groups })
    }

    /// How many columns of numbers stand before that of the classes.
    pub fn before_class(&self) -> usize {
        self.numbers.iter().filter(|&&column| self.class.is_some_and(|class| column < class)).count()
    }
}

/// A delimiter, which is one byte.
pub(crate) fn delimiter(given: Option<char>) -> Result<Option<u8>, KindError> {
    match given.map(u8::try_from) {
        None => Ok(None),
        Some(Ok(byte)) if byte.is_ascii() => Ok(Some(byte)),
        Some(_) => Err(KindError::key("input.delimiter", "must be one ASCII character")),
    }
}

/// The message of a table that cannot be condensed. It holds no value.
pub(crate) fn no_number(place: &str, text: &str) -> KindError {
    let problem = match text.is_empty() {
        true => "a missing value; condensation needs a number in every cell",
        false => "not a number between -1e60 and 1e60; condensation takes columns of numbers",
    };
    KindError::bad_input(format!("{place}: {problem}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(columns: Option<&[&str]>, class: Option<&str>, groups: Option<&str>) -> Input {
        Input {
            columns: columns.map(|own| own.iter().map(|name| (*name).to_owned()).collect()),
            class: class.map(str::to_owned),
            groups_from: groups.map(str::to_owned),
            ..Input::default()
        }
    }

    #[test]
    fn columns_are_found_in_the_order_of_the_table() {
        let names = ["a", "c", "b", "g"];
        let all = Columns::find(&names, &input(None, Some("c"), Some("g"))).unwrap();
        assert_eq!((&all.numbers[..], all.class, all.before_class()), (&[0, 2][..], Some(1), 1));
        let some = Columns::find(&names, &input(Some(&["g", "a"]), None, None)).unwrap();
        assert_eq!((&some.numbers[..], some.class, some.before_class()), (&[0, 3][..], None, 0));
    }

    #[test]
    fn what_names_no_table_is_refused() {
        let names = ["a", "c", "b"];
        let said = |input: Input| Columns::find(&names, &input).unwrap_err().to_string();
        assert!(said(input(Some(&["a", "a"]), None, None)).contains("`a`, twice"));
        assert!(said(input(Some(&["c"]), Some("c"), None)).contains("which is the class"));
        assert!(said(input(Some(&["c"]), None, Some("c"))).contains("which names the groups"));
        assert!(said(input(None, Some("c"), Some("c"))).contains("names the class"));
        assert!(said(input(None, Some("z"), None)).contains("not among the 3"));
        assert!(Columns::find(&["31", "77"], &Input::default()).is_err());
    }

    #[test]
    fn delimiters_are_one_byte() {
        assert_eq!(delimiter(Some(';')).unwrap(), Some(b';'));
        assert!(delimiter(Some('ü')).is_err());
    }
}
