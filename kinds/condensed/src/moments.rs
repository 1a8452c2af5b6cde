//! What condensed records are still good for: means, deviations and correlations beside those of the original.

use privet_data::Progress;
use privet_kind::{Figure, Measure, MeasureInfo, Reason, Unmade, Views};

use crate::{NumberTable, OriginalRecords, PublishedRecords};

/// Means and standard deviations.
pub(crate) struct Moments;

/// Correlations.
pub(crate) struct Correlations;

fn tables<'a>(release: Views<'a>, original: Views<'a>) -> Result<(&'a NumberTable, &'a NumberTable), Unmade> {
    let nothing = || Reason::Nothing { what: "table of condensed records".to_owned() };
    let before = original.get::<OriginalRecords>().ok_or_else(nothing)?;
    let after = release.get::<PublishedRecords>().ok_or_else(nothing)?;
    Ok((&before.table, &after.table))
}

impl Measure for Moments {
    fn info(&self) -> &'static MeasureInfo {
        &MeasureInfo {
            id: "moments",
            title: "Means and deviations",
            sentence: "The mean and the standard deviation of each column, before and after.",
        }
    }

    fn run(&self, release: Views<'_>, original: Views<'_>, _: &dyn Progress) -> Result<Vec<Figure>, Unmade> {
        let (before, after) = tables(release, original)?;
        let figures = before.names.iter().enumerate().flat_map(|(column, name)| {
            let (then, now) = (before.moments(column), after.moments(column));
            [
                Figure::compared(self.info(), format!("mean of {name}"), then.0, now.0),
                Figure::compared(self.info(), format!("standard deviation of {name}"), then.1, now.1),
            ]
        });
        Ok(figures.collect())
    }
}

impl Measure for Correlations {
    fn info(&self) -> &'static MeasureInfo {
        &MeasureInfo {
            id: "correlations",
            title: "Correlations",
            sentence: "The correlation of each pair of columns, before and after.",
        }
    }

    fn run(&self, release: Views<'_>, original: Views<'_>, _: &dyn Progress) -> Result<Vec<Figure>, Unmade> {
        let (before, after) = tables(release, original)?;
        let columns = before.names.len();
        let pairs = (0..columns).flat_map(|a| (a + 1..columns).map(move |b| (a, b)));
        let figures = pairs.filter_map(|(a, b)| {
            let name = format!("{} and {}", before.names[a], before.names[b]);
            Some(Figure::compared(self.info(), name, correlation(before, a, b)?, correlation(after, a, b)?))
        });
        Ok(figures.collect())
    }
}

/// Pearson's correlation; `None` where a column does not vary.
fn correlation(table: &NumberTable, a: usize, b: usize) -> Option<f64> {
    let ((mean_a, deviation_a), (mean_b, deviation_b)) = (table.moments(a), table.moments(b));
    let products = table.column(a).zip(table.column(b)).map(|(x, y)| (x - mean_a) * (y - mean_b));
    let covariance = products.sum::<f64>() / table.len().max(1) as f64;
    (deviation_a > 0.0 && deviation_b > 0.0).then(|| covariance / (deviation_a * deviation_b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn correlations_by_hand() {
        let numbers = vec![1.0, 2.0, 7.0, 2.0, 4.0, 7.0, 3.0, 6.0, 7.0];
        let table = NumberTable::of_numbers(&["a", "b", "c"], numbers);
        assert!((correlation(&table, 0, 1).unwrap() - 1.0).abs() < 1e-12);
        assert_eq!(correlation(&table, 0, 2), None);
    }
}
