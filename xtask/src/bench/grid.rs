//! A table on the terminal: columns as wide as they need to be, the first to the left, the others to the right. A row
//! of one cell is a line between the others and makes no column wider.

use std::fmt;

/// A table of texts.
#[derive(Debug, Default)]
pub struct Grid(Vec<Vec<String>>);

impl Grid {
    /// A table with this head.
    pub fn new(head: &[&str]) -> Self {
        Self(vec![head.iter().map(|&word| word.to_owned()).collect()])
    }

    /// Adds a row.
    pub fn row(&mut self, cells: Vec<String>) {
        self.0.push(cells);
    }
}

impl fmt::Display for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = self.0.iter().map(Vec::len).max().unwrap_or(0);
        let cell = |row: &Vec<String>, column: usize| row.get(column).cloned().unwrap_or_default();
        let rows = || self.0.iter().filter(|row| row.len() > 1);
        let width = |column| rows().map(|row| cell(row, column).chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for row in &self.0 {
            let mut line = format!("{:<width$}", cell(row, 0), width = widths.first().copied().unwrap_or(0));
            for (column, &width) in widths.iter().enumerate().skip(1) {
                line.push_str(&format!("  {:>width$}", cell(row, column)));
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Grid;

    #[test]
    fn columns_are_aligned() {
        let mut grid = Grid::new(&["job", "s"]);
        grid.row(vec!["a longer name".into(), "1.25".into()]);
        assert_eq!(grid.to_string(), "job               s\na longer name  1.25\n");
        grid.row(vec!["a line that is longer than any name".into()]);
        let line = "a line that is longer than any name\n";
        assert_eq!(grid.to_string(), format!("job               s\na longer name  1.25\n{line}"));
    }
}
