//! A column before and after: the release as hatched bars, the original as a line over them. Values have no names here;
//! only their order, or their rank, is seen.

use crate::ColumnUtility;
use crate::svg::{figure, open, proper, view_box};
use crate::text::{count, counted, number, share};

const WIDTH: f64 = 240.0;
const HEIGHT: f64 = 118.0;
const TOP: f64 = 16.0;
const BASE: f64 = 98.0;

/// The shares of a column's values, ready to be drawn.
pub(crate) struct Distribution<'a> {
    column: &'a ColumnUtility,
    /// Per bar the share before and after.
    bars: Vec<(f64, f64)>,
}

/// A distance to three decimals: more would say nothing.
pub(crate) fn shown(far: f64) -> String {
    if far > 0.0 && far < 0.0005 {
        "less than 0.001".to_owned()
    } else {
        number((far * 1000.0).round() / 1000.0)
    }
}

impl<'a> Distribution<'a> {
    pub fn new(column: &'a ColumnUtility) -> Self {
        let bars = column.bars().map(|(before, after)| (proper(before), proper(after))).collect();
        Self { column, bars }
    }

    /// What a reader must know of values that are not drawn one by one.
    pub fn note(&self) -> Option<String> {
        if let Some(rest) = self.column.rest {
            return Some(format!(
                "Not drawn: the {} rarest before, {} of records before and {} after.",
                counted(rest.values, "value", "values"),
                share(proper(rest.before).min(1.0)),
                share(proper(rest.after).min(1.0))
            ));
        }
        match self.column.values_per_bar {
            None if self.bars.is_empty() => None,
            None => Some(
                "Each bar is a range; ranges were cut to hold about as many records before, as far as equal values allow."
                    .to_owned(),
            ),
            Some(1) => None,
            Some(values) => Some(format!("Each bar joins up to {} neighbouring values.", count(values))),
        }
    }

    /// Draws it. The title is markup.
    pub fn draw(&self, id: &str, title: &str) -> String {
        let greatest = self.bars.iter().map(|bar| bar.0.max(bar.1)).fold(0.0, f64::max);
        let order = if self.column.is_ordered {
            "from the lowest value"
        } else {
            "from the value most frequent before"
        };
        let note = self.note().unwrap_or_default();
        let description = format!(
            "{} {order} on, the highest {}. {}{}Total variation distance {}.",
            counted(self.bars.len() as u64, "bar", "bars"),
            share(greatest.min(1.0)),
            note,
            if note.is_empty() { "" } else { " " },
            self.column.total_variation().map_or("not known".to_owned(), shown)
        );
        let mut out = open(id, "small", &view_box(WIDTH, HEIGHT), title, &description);
        let step = WIDTH / self.bars.len().max(1) as f64;
        // A few wide bars would look like slabs.
        let step = step.min(48.0);
        let rise = |share: f64| if greatest > 0.0 { share / greatest * (BASE - TOP) } else { 0.0 };
        for (i, bar) in self.bars.iter().enumerate() {
            if bar.1 > 0.0 {
                put!(
                    out,
                    "<rect class=\"hatched fine\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
                    figure((i as f64 + 0.12) * step),
                    figure(BASE - rise(bar.1)),
                    figure(step * 0.76),
                    figure(rise(bar.1))
                );
            }
        }
        if !self.bars.is_empty() {
            let mut path = format!("M0 {}", figure(BASE));
            for (i, bar) in self.bars.iter().enumerate() {
                put!(path, "V{}H{}", figure(BASE - rise(bar.0)), figure((i as f64 + 1.0) * step));
            }
            put!(path, "V{}", figure(BASE));
            put!(out, "<path class=\"before\" d=\"{path}\"/>");
        }
        put!(
            out,
            "<rect class=\"axis\" x=\"0\" y=\"{BASE}\" width=\"{WIDTH}\" height=\"1\"/>\
             <text class=\"tick\" x=\"{WIDTH}\" y=\"11\" text-anchor=\"end\">highest bar {}</text>",
            share(greatest.min(1.0))
        );
        let (first, last) = if self.column.is_ordered {
            ("lowest", "highest")
        } else {
            ("most frequent", if self.column.rest.is_some() { "rarer" } else { "rarest" })
        };
        let end = (step * self.bars.len() as f64).clamp(150.0, WIDTH);
        put!(
            out,
            "<text class=\"tick\" x=\"0\" y=\"{0}\" text-anchor=\"start\">{first}</text><text class=\"tick\" \
             x=\"{1}\" y=\"{0}\" text-anchor=\"end\">{last}</text></svg>",
            figure(BASE + 15.0),
            figure(end)
        );
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notes(column: &ColumnUtility) -> (String, String) {
        let drawn = Distribution::new(column);
        (drawn.note().unwrap_or_default(), drawn.draw("x", "t"))
    }

    /// What is told, to the eye and to the ear, is of values and not of bars.
    #[test]
    fn what_is_not_drawn_is_told_of_values() {
        let mut shares = vec![(0.004, 0.002); 199];
        shares.push((0.0672, 0.602));
        let (note, drawing) = notes(&ColumnUtility::of_values("town", "quasi", shares.clone(), false));
        assert_eq!(
            note,
            "Not drawn: the 168\u{a0}values rarest before, 67.2\u{a0}% of records before and 33.6\u{a0}% after."
        );
        assert!(drawing.contains("highest bar 60.2\u{a0}%") && drawing.contains(&note), "{drawing}");
        let (note, drawing) = notes(&ColumnUtility::of_values("town", "quasi", shares, true));
        assert_eq!(note, "Each bar joins up to 7 neighbouring values.");
        assert!(drawing.contains(&note), "{drawing}");
        let (note, _) = notes(&ColumnUtility::of_ranges("cost", "sensitive", vec![(0.05, 0.05); 20]));
        assert!(note.contains("Each bar is a range"), "{note}");
        let (note, _) = notes(&ColumnUtility::of_values("sex", "quasi", vec![(0.5, 0.5); 2], false));
        assert_eq!(note, "");
    }

    #[test]
    fn unordered_values_stand_by_rank() {
        let shares = vec![(0.1, 0.2), (0.6, 0.5), (0.3, 0.3)];
        let column = ColumnUtility::of_values("a", "quasi", shares, false);
        assert_eq!(Distribution::new(&column).bars, [(0.6, 0.5), (0.3, 0.3), (0.1, 0.2)]);
        for odd in [vec![], vec![f64::NAN, f64::INFINITY, -1.0], vec![0.0; 3]] {
            let shares = odd.iter().map(|&own| (own, own)).collect();
            let column = ColumnUtility::of_values("a", "quasi", shares, true);
            let drawing = Distribution::new(&column).draw("x", "t");
            assert!(!drawing.contains("NaN") && !drawing.contains("inf"), "{drawing}");
        }
    }
}
