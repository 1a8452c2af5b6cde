//! A column before and after: what a reader of the release would estimate as hatched bars, the original as a line over
//! them. Values have no names here; only their order, or their rank, is seen.

use crate::svg::{figure, open, proper, view_box};
use crate::text::{count, number, share};

const WIDTH: f64 = 240.0;
const HEIGHT: f64 = 118.0;
const TOP: f64 = 16.0;
const BASE: f64 = 98.0;
/// More values than this are not drawn one by one.
const MOST: usize = 32;

/// The shares of a column's values, ready to be drawn.
pub(crate) struct Distribution {
    /// Per bar the share before and after.
    bars: Vec<(f64, f64)>,
    /// The rarest values, which are not drawn: how many, and their shares before and after.
    rest: Option<(usize, f64, f64)>,
    /// How many values stand behind a bar of an ordered column.
    run: usize,
    is_ordered: bool,
}

/// Half the sum of the differences: the share of records that would have to change their value. Nothing where it cannot
/// be said.
pub(crate) fn total_variation(before: &[f64], after: &[f64]) -> Option<f64> {
    let far = pairs(before, after).map(|(before, after)| (before - after).abs()).sum::<f64>() / 2.0;
    (far.is_finite() && !(before.is_empty() && after.is_empty())).then_some(far)
}

/// A distance to three decimals: more would say nothing.
pub(crate) fn shown(far: f64) -> String {
    if far > 0.0 && far < 0.0005 {
        "less than 0.001".to_owned()
    } else {
        number((far * 1000.0).round() / 1000.0)
    }
}

fn pairs<'a>(before: &'a [f64], after: &'a [f64]) -> impl Iterator<Item = (f64, f64)> + 'a {
    let at = |all: &'a [f64], i: usize| all.get(i).copied().unwrap_or(0.0);
    (0..before.len().max(after.len())).map(move |i| (at(before, i), at(after, i)))
}

impl Distribution {
    /// Joins neighbours of an ordered column, and leaves out the rarest values of any other.
    pub fn new(before: &[f64], after: &[f64], is_ordered: bool) -> Self {
        let mut all: Vec<(f64, f64)> = pairs(before, after).map(|(b, a)| (proper(b), proper(a))).collect();
        let sum =
            |part: &[(f64, f64)]| part.iter().fold((0.0, 0.0), |sum, bar| (sum.0 + bar.0, sum.1 + bar.1));
        if is_ordered {
            let run = all.len().div_ceil(MOST).max(1);
            return Self { bars: all.chunks(run).map(sum).collect(), rest: None, run, is_ordered };
        }
        all.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1)));
        let rest = all.get(MOST..).filter(|rest| !rest.is_empty()).map(|rest| {
            let (before, after) = sum(rest);
            (rest.len(), before, after)
        });
        all.truncate(MOST);
        Self { bars: all, rest, run: 1, is_ordered }
    }

    /// What a reader must know of values that are not drawn one by one.
    pub fn note(&self) -> Option<String> {
        match self.rest {
            Some((values, before, after)) => Some(format!(
                "Not drawn: the {} rarest values, {} of records before and {} after.",
                count(values as u64),
                share(before.min(1.0)),
                share(after.min(1.0))
            )),
            None if self.run > 1 => {
                Some(format!("Each bar joins up to {} neighbouring values.", count(self.run as u64)))
            }
            None => None,
        }
    }

    /// Draws it. The title is markup.
    pub fn draw(&self, id: &str, title: &str, far: Option<f64>) -> String {
        let greatest = self.bars.iter().map(|bar| bar.0.max(bar.1)).fold(0.0, f64::max);
        let order =
            if self.is_ordered { "from the lowest value" } else { "from the value most frequent before" };
        let description = format!(
            "{} bars {order} on, the highest {}. Total variation distance {}.",
            count(self.bars.len() as u64),
            share(greatest.min(1.0)),
            far.map_or("not known".to_owned(), shown)
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
        let (first, last) = if self.is_ordered {
            ("lowest", "highest")
        } else {
            ("most frequent", if self.rest.is_some() { "rarer" } else { "rarest" })
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

    #[test]
    fn the_distance_is_half_the_sum_of_differences() {
        assert_eq!(total_variation(&[0.5, 0.5], &[0.25, 0.75]), Some(0.25));
        assert_eq!(total_variation(&[1.0], &[0.0, 1.0]), Some(1.0));
        assert_eq!(total_variation(&[], &[]), None);
        assert_eq!(total_variation(&[f64::NAN], &[1.0]), None);
    }

    #[test]
    fn joining_keeps_every_share() {
        let before: Vec<f64> = (0..10_000).map(|_| 1e-4).collect();
        for is_ordered in [false, true] {
            let drawn = Distribution::new(&before, &before, is_ordered);
            assert!(drawn.bars.len() <= MOST);
            let rest = drawn.rest.map_or(0.0, |rest| rest.1);
            assert!((drawn.bars.iter().map(|bar| bar.0).sum::<f64>() + rest - 1.0).abs() < 1e-9);
            assert!(drawn.note().is_some());
        }
    }

    #[test]
    fn unordered_values_stand_by_rank() {
        let drawn = Distribution::new(&[0.1, 0.6, 0.3], &[0.2, 0.5, 0.3], false);
        assert_eq!(drawn.bars, [(0.6, 0.5), (0.3, 0.3), (0.1, 0.2)]);
        for odd in [vec![], vec![f64::NAN, f64::INFINITY, -1.0], vec![0.0; 3]] {
            let drawing = Distribution::new(&odd, &odd, true).draw("x", "t", None);
            assert!(!drawing.contains("NaN") && !drawing.contains("inf"), "{drawing}");
        }
    }
}
