//! The files of a release of sets: what they are called and how they are written. All are tables that any program can read.

use std::io::Write;
use std::path::Path;

use privet_kind::KindError;
use privet_release::{Draft, DraftFile};
use serde::{Deserialize, Serialize};

/// Baskets: pairs of a basket's number and an item.
pub(super) const BASKETS: &str = "baskets.csv";
/// Items: label, the item above, how many items it stands for, whether it is sensitive.
pub(super) const ITEMS: &str = "items.csv";
/// Sets of items that policies protect.
pub(super) const PROTECTED: &str = "protected.csv";
/// Clusters and how many baskets they stand for.
pub(super) const CLUSTERS: &str = "clusters.csv";
/// Chunks: cluster, chunk, record, item. Chunk 0 is the term chunk.
pub(super) const CHUNKS: &str = "chunks.csv";
/// A log: person or session, query, address.
pub(super) const LOG: &str = "log.csv";
/// Queries and noisy numbers of people.
pub(super) const QUERIES: &str = "queries.csv";
/// Queries, addresses, and noisy numbers of people.
pub(super) const CLICKS: &str = "clicks.csv";
/// Cover sets: number, query, people.
pub(super) const COVERS: &str = "covers.csv";
/// Sketches: number, component, value.
pub(super) const SKETCHES: &str = "sketches.csv";
/// Signs of terms, where somebody publishes them.
pub(super) const SIGNS: &str = "signs.csv";

/// What a manifest states of a release of sets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "form", rename_all = "kebab-case", rename_all_fields = "kebab-case", deny_unknown_fields)]
pub enum Body {
    /// Baskets of items and groups of items.
    Baskets {
        /// How many baskets, empty ones included.
        baskets: u64,
        /// How many items the catalogue has.
        catalogue: u64,
        /// Whether policies protect sets of items.
        policies: bool,
    },
    /// Clusters of chunks.
    Clusters {
        /// How many baskets.
        baskets: u64,
    },
    /// A log.
    Log {
        /// Whether numbers stand for sessions and not for persons.
        sessions: bool,
        /// Whether words are hashes.
        hashed: bool,
        /// Whether addresses are published.
        clicks: bool,
    },
    /// Noisy counts.
    Counts {
        /// How queries are chosen.
        queries: Threshold,
        /// The scale of the numbers that are published of queries; that of the choice when the same number is published.
        fresh_scale: Option<String>,
        /// How clicks are chosen.
        clicks: Option<Threshold>,
    },
    /// Queries that are sent together.
    Covers {
        /// How many sets.
        sets: u64,
    },
    /// Sketches.
    Sketches {
        /// The most components of anybody.
        components: u64,
        /// How many people were suppressed.
        suppressed: u64,
        /// Whether vectors were brought to length 1.
        unit: bool,
        /// Whether signs are published.
        signs: bool,
    },
}

/// A threshold as a manifest states it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Threshold {
    /// The scale of the discrete Laplace noise, as a fraction.
    pub scale: String,
    /// The fewest people.
    pub people: u64,
    /// What a noisy number must reach.
    pub noisy: u64,
    /// How many keys of a person count.
    pub per_person: u32,
}

/// A table that is written line by line, every text in quotation marks.
pub(super) struct TableWriter {
    file: DraftFile,
    name: &'static str,
    line: String,
}

impl TableWriter {
    pub fn begin(draft: &Draft, name: &'static str, columns: &[&str]) -> Result<Self, KindError> {
        let mut writer = Self { file: draft.create(name)?, name, line: String::new() };
        writer.line = columns.join(",");
        writer.end()?;
        Ok(writer)
    }

    pub fn text(&mut self, text: &str) -> &mut Self {
        self.separate();
        self.line.push('"');
        for part in text.split_inclusive('"') {
            self.line.push_str(part);
            if part.ends_with('"') {
                self.line.push('"');
            }
        }
        self.line.push('"');
        self
    }

    pub fn number(&mut self, number: impl std::fmt::Display) -> &mut Self {
        use std::fmt::Write as _;
        self.separate();
        // cannot fail: writing to a string
        let _ = write!(self.line, "{number}");
        self
    }

    pub fn nothing(&mut self) -> &mut Self {
        if self.line.is_empty() {
            self.line.push_str("\"\"");
        } else {
            self.line.push(',');
        }
        self
    }

    fn separate(&mut self) {
        if !self.line.is_empty() {
            self.line.push(',');
        }
    }

    pub fn end(&mut self) -> Result<(), KindError> {
        self.line.push('\n');
        let written = self.file.write_all(self.line.as_bytes());
        self.line.clear();
        written.map_err(|error| KindError::io(Path::new(self.name), &error))
    }

    pub fn finish(self) -> Result<(), KindError> {
        self.file.finish()?;
        Ok(())
    }
}
