//! The page of a release of ratings: what was published, how users stand in groups, and who is found.

use privet_kind::page::{Axis, Cell, Chart, Series, Style, Table};
use privet_kind::{Assessment, Block, PageSection, Release, Views};

use super::PublishedRatings;
use super::folder::Stated;
use crate::NullRule;

impl Release for PublishedRatings {
    fn views(&self) -> Views<'_> {
        Views::of(self)
    }

    fn heading(&self) -> (String, String) {
        let ratings = &self.ratings;
        let line = format!(
            "{} ratings of {} items by {} people",
            ratings.len(),
            ratings.items().len(),
            ratings.users().len()
        );
        ("Report on ratings".to_owned(), line)
    }

    fn sections(&self, assessment: &Assessment) -> Vec<PageSection> {
        let mut sections = vec![PageSection::new("published", "What was published", self.published())];
        let curves = assessment.findings.iter().flat_map(|finding| finding.curves.iter().cloned());
        let curves: Vec<Series> = curves.collect();
        if !curves.is_empty() {
            sections
                .insert(0, PageSection::new("found", "Who is found by a few known ratings", found(curves)));
        }
        sections.push(PageSection::new("scale", "Ratings on the scale", vec![self.distribution()]).folded());
        sections
    }
}

fn found(series: Vec<Series>) -> Vec<Block> {
    vec![
        Block::text(
            "An adversary knows some ratings of a person, with rough dates, and a quarter of them at most are wrong. The curve \
             shows for how many people the adversary names the right row, under plain pseudonyms and in this release. The \
             control shows how often a row is named although the person's row is not there: each of these names is wrong.",
        ),
        Block::Chart(Chart {
            caption: "People re-identified over the number of ratings known".to_owned(),
            x: Axis::linear("ratings known"),
            y: Axis::share("people"),
            style: Style::Lines,
            series,
        }),
    ]
}

impl PublishedRatings {
    fn published(&self) -> Vec<Block> {
        let mut blocks = Vec::new();
        match &self.body.publication {
            Stated::Pseudonyms {} => blocks.push(Block::text(
                "Users are numbered, and nothing else protects them. Whoever knows a few of a person's ratings finds the rest.",
            )),
            Stated::Proximity { null_rule, groups, padded, distortion, .. } => {
                blocks.push(Block::text(rule_sentence(*null_rule)));
                let rows = [
                    ("groups", *groups),
                    ("ratings that became other ratings", distortion.changed),
                    ("ratings that were filled in within a group", distortion.filled),
                    ("ratings that were blanked", distortion.blanked),
                    ("sensitive ratings that were blanked", distortion.sensitive_blanked),
                    ("cells that were padded with an item's mean", *padded),
                ];
                let rows = rows.into_iter().map(|(what, count)| vec![Cell::from(what), Cell::from(count)]);
                blocks.push(Block::Table(Table {
                    caption: "What was changed".to_owned(),
                    columns: vec!["what".to_owned(), "how many".to_owned()],
                    rows: rows.collect(),
                }));
                blocks.push(Block::text(
                    "The promise is made against adversaries who know ratings no better than epsilon. Within a group, rows may \
                     differ by up to epsilon, so exact knowledge may single out a row; with epsilon = 0 the rows of a group \
                     are equal.",
                ));
            }
        }
        if let Some(partition) = &self.groups {
            let mut sizes: std::collections::BTreeMap<usize, u64> = std::collections::BTreeMap::new();
            partition.groups.iter().for_each(|group| *sizes.entry(group.len()).or_default() += 1);
            let points = sizes.into_iter().map(|(size, count)| (size as f64, count as f64)).collect();
            blocks.push(Block::Chart(Chart {
                caption: "Groups by their size".to_owned(),
                x: Axis::linear("users in a group"),
                y: Axis::linear("groups"),
                style: Style::Bars,
                series: vec![Series { name: "groups".to_owned(), points }],
            }));
        }
        if !self.body.sensitive.is_empty() {
            blocks.push(Block::text(format!("{} items are sensitive.", self.body.sensitive.len())));
        }
        blocks
    }

    fn distribution(&self) -> Block {
        let scale = self.ratings.scale();
        let mut count = vec![0u64; usize::from(scale.levels())];
        for user in 0..self.ratings.users().len() as u32 {
            self.ratings.row(user).ticks.iter().for_each(|&tick| count[usize::from(tick)] += 1);
        }
        let points = count.iter().zip(0..).map(|(&count, tick)| (scale.value(tick), count as f64)).collect();
        Block::Chart(Chart {
            caption: "Published ratings by value".to_owned(),
            x: Axis::linear("rating"),
            y: Axis::linear("ratings"),
            style: Style::Bars,
            series: vec![Series { name: "ratings".to_owned(), points }],
        })
    }
}

fn rule_sentence(rule: NullRule) -> &'static str {
    match rule {
        NullRule::Literal => {
            "All items are published. A missing rating beside a rating counts as far apart as the scale reaches, so the users of \
             a group rated the same items."
        }
        NullRule::DenseItems(_) => {
            "Only items that many users rated are published. A missing rating beside a rating counts as far apart as the scale \
             reaches, so the users of a group have ratings of the same items; where they had not, ratings were blanked or \
             filled in."
        }
        NullRule::Padding(_) => {
            "Only items that many users rated are published, and every missing rating of them was filled with the item's mean. \
             Padded cells are ratings that nobody gave; the release does not say which they are."
        }
    }
}
