//! A page as blocks: what a release or an assessment says, before it is HTML, JSON or text.
//!
//! Blocks hold plain text and numbers. The renderers escape every text, so a block may hold names and labels of the data that are
//! published anyway, and no markup.

use serde::{Deserialize, Serialize};

use crate::note::Note;

/// A page.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Page {
    /// Its title.
    pub title: String,
    /// One line below the title.
    pub subtitle: String,
    /// Whether it compares with the original, and so must not be published.
    pub is_for_owner: bool,
    /// What the reader must know first.
    pub verdict: Verdict,
    /// Its sections, the most important first.
    pub sections: Vec<PageSection>,
}

/// What the reader must know first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verdict {
    /// How it is meant.
    pub level: Level,
    /// One sentence.
    pub text: String,
    /// What it rests on: one sentence each.
    pub points: Vec<String>,
}

/// How a verdict is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Everything holds.
    Good,
    /// Something should be looked at.
    Warning,
    /// Something does not hold.
    Bad,
}

/// A section of a page.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PageSection {
    /// Its id, unique on the page: lower-case letters and hyphens.
    pub id: &'static str,
    /// Its title.
    pub title: String,
    /// Whether HTML shows only its title until the reader opens it.
    pub folded: bool,
    /// What it holds.
    pub blocks: Vec<Block>,
}

impl PageSection {
    /// An open section.
    pub fn new(id: &'static str, title: impl Into<String>, blocks: Vec<Block>) -> Self {
        Self { id, title: title.into(), folded: false, blocks }
    }

    /// The same section, folded.
    #[must_use]
    pub fn folded(mut self) -> Self {
        self.folded = true;
        self
    }
}

/// A part of a section.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "block")]
#[non_exhaustive]
pub enum Block {
    /// A paragraph.
    Text {
        /// Full sentences.
        text: String,
    },
    /// A list.
    List {
        /// Its items.
        items: Vec<String>,
    },
    /// A remark with what it rests on.
    Remark {
        /// The remark.
        note: Note,
    },
    /// A table.
    Table(Table),
    /// Curves or bars.
    Chart(Chart),
    /// A drawing.
    Drawing(Drawing),
}

impl Block {
    /// A paragraph.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }
}

/// A table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Table {
    /// What it shows, above it.
    pub caption: String,
    /// The heads of its columns.
    pub columns: Vec<String>,
    /// Its rows, each with a cell per column.
    pub rows: Vec<Vec<Cell>>,
}

/// A cell of a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Cell {
    /// A text.
    Text(String),
    /// A whole number.
    Count(u64),
    /// A number; not known when it is not a number.
    Number(f64),
    /// A share from 0 to 1, told in per cent.
    Share {
        /// The share.
        share: f64,
    },
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<u64> for Cell {
    fn from(count: u64) -> Self {
        Self::Count(count)
    }
}

impl From<f64> for Cell {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

/// Curves or bars over one axis.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Chart {
    /// What it shows, above it.
    pub caption: String,
    /// What lies to the right.
    pub x: Axis,
    /// What lies upwards.
    pub y: Axis,
    /// How points are drawn.
    pub style: Style,
    /// The curves.
    pub series: Vec<Series>,
}

/// An axis.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Axis {
    /// What it is.
    pub title: String,
    /// Whether its steps are powers of ten.
    pub logarithmic: bool,
    /// Whether it shows shares from 0 to 1, in per cent.
    pub is_share: bool,
}

impl Axis {
    /// An axis with even steps.
    pub fn linear(title: impl Into<String>) -> Self {
        Self { title: title.into(), logarithmic: false, is_share: false }
    }

    /// An axis with powers of ten.
    pub fn logarithmic(title: impl Into<String>) -> Self {
        Self { title: title.into(), logarithmic: true, is_share: false }
    }

    /// An axis of shares.
    pub fn share(title: impl Into<String>) -> Self {
        Self { title: title.into(), logarithmic: false, is_share: true }
    }
}

/// How points are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Style {
    /// Joined by lines.
    Lines,
    /// As dots.
    Dots,
    /// As bars.
    Bars,
}

/// One curve.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Series {
    /// What it is, such as `before`.
    pub name: String,
    /// Its points.
    #[serde(deserialize_with = "points")]
    pub points: Vec<(f64, f64)>,
}

/// Points; JSON has no word for a number that nobody knows, and writes null.
fn points<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<(f64, f64)>, D::Error> {
    let points = Vec::<(Option<f64>, Option<f64>)>::deserialize(deserializer)?;
    let number = |own: Option<f64>| own.unwrap_or(f64::NAN);
    Ok(points.into_iter().map(|(x, y)| (number(x), number(y))).collect())
}

/// A drawing in a box from (0, 0) at the top left.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Drawing {
    /// What it shows, above it.
    pub caption: String,
    /// The same for somebody who cannot see it.
    pub description: String,
    /// Its width.
    pub width: f64,
    /// Its height.
    pub height: f64,
    /// What is drawn, from back to front.
    pub shapes: Vec<Shape>,
}

/// Something drawn.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "shape")]
#[non_exhaustive]
pub enum Shape {
    /// A line through points.
    Line {
        /// The points.
        points: Vec<(f64, f64)>,
        /// How it looks.
        tone: Tone,
    },
    /// A filled area.
    Area {
        /// Its corners.
        points: Vec<(f64, f64)>,
        /// How it looks.
        tone: Tone,
    },
    /// A filled circle.
    Circle {
        /// Its centre.
        centre: (f64, f64),
        /// Its radius.
        radius: f64,
        /// How it looks.
        tone: Tone,
    },
    /// A text that begins, is centred or ends at a point.
    Label {
        /// The point.
        at: (f64, f64),
        /// The text.
        text: String,
        /// Where the point is.
        anchor: Anchor,
    },
}

/// How something drawn looks, in light and dark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tone {
    /// In the background.
    Faint,
    /// As usual.
    Plain,
    /// The first of two that are compared.
    Before,
    /// The second of two that are compared.
    After,
    /// Something to be careful with.
    Alarm,
}

/// Where the point of a label is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Anchor {
    /// At its beginning.
    Start,
    /// In its middle.
    Middle,
    /// At its end.
    End,
}
