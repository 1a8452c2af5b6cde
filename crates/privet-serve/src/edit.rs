//! Changes single keys of a job file and keeps everything else, comments too.

use toml_edit::{Document, DocumentMut, InlineTable, Item, Table, Value};

/// A job file that is being changed.
pub(crate) struct Edit {
    document: DocumentMut,
}

impl Edit {
    pub fn new(text: &str) -> Result<Self, String> {
        let read = text.parse::<Document<String>>();
        let document =
            read.map_err(|_| "the job file is not TOML; correct it on the page of the job file")?;
        Ok(Self { document: document.into_mut() })
    }

    pub fn text(&self) -> String {
        self.document.to_string()
    }

    /// Sets a key; the sections above it are made where there are none. A comment beside the old value stays.
    pub fn set(&mut self, sections: &[&str], key: &str, value: impl Into<Value>) {
        let table = self.section(sections);
        let mut value = value.into();
        match table.get_mut(key).and_then(Item::as_value_mut) {
            Some(old) => {
                *value.decor_mut() = old.decor().clone();
                *old = value;
            }
            None => _ = table.insert(key, Item::Value(value)),
        }
    }

    /// Sets a key to what a text of TOML says.
    pub fn set_text(&mut self, sections: &[&str], key: &str, text: &str) -> Result<(), String> {
        let value: Value = text.parse().map_err(|_| format!("`{key}` is not a value of TOML"))?;
        self.set(sections, key, value);
        Ok(())
    }

    pub fn remove(&mut self, sections: &[&str], key: &str) {
        self.section(sections).remove(key);
    }

    fn section(&mut self, sections: &[&str]) -> &mut dyn toml_edit::TableLike {
        let mut table: &mut dyn toml_edit::TableLike = self.document.as_table_mut();
        for section in sections {
            let is_table = table.get(section).is_some_and(Item::is_table_like);
            if !is_table {
                table.insert(section, Item::Table(Table::new()));
            }
            // Made above where it was not there.
            table = match table.get_mut(section).and_then(Item::as_table_like_mut) {
                Some(inner) => inner,
                None => unreachable!("a section that was just made"),
            };
        }
        table
    }
}

/// A table in one line.
pub(crate) fn inline(pairs: impl IntoIterator<Item = (String, Value)>) -> Value {
    let mut table = InlineTable::new();
    for (key, value) in pairs {
        table.insert(&key, value);
    }
    Value::InlineTable(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_order_stay() {
        let mut edit = Edit::new(
            "# A job\n[columns.age]  # years\nrole = \"quasi\" # a guess\n\n[privacy]\nk-anonymity = 5 # few\n",
        )
        .unwrap();
        edit.set(&["columns", "age"], "role", "sensitive");
        edit.set(&["columns", "new one"], "role", "identifier");
        edit.set(&["privacy"], "k-anonymity", 7);
        edit.set_text(&["columns", "age"], "hierarchy", "{ intervals = [5] }").unwrap();
        assert!(edit.set_text(&["columns"], "x", "nothing like it").is_err());
        let text = edit.text();
        assert!(
            text.starts_with("# A job\n[columns.age]  # years\nrole = \"sensitive\" # a guess\n"),
            "{text}"
        );
        assert!(text.contains("k-anonymity = 7 # few"), "{text}");
        assert!(text.contains("[columns.\"new one\"]\nrole = \"identifier\""), "{text}");
        edit.remove(&["columns", "age"], "hierarchy");
        assert!(!edit.text().contains("intervals"));
    }
}
