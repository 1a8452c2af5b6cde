//! How good a candidate is to a search that also walks through unsafe ones.

use super::engine::Engine;
use super::judge::Judgement;

/// Makes one number of a judgement; less is better. A safe candidate counts with its share of what the most general
/// candidate costs, at most 1; an unsafe one with more than 1, by the share of the records that it suppresses beyond
/// the limit. So no unsafe candidate ever seems better than a safe one, and among unsafe ones the way to safety is
/// known.
#[derive(Debug, Clone, Copy)]
pub struct Fitness {
    scale: f64,
    limit: u64,
    rows: f64,
}

impl Fitness {
    /// For a problem whose most general candidate was judged.
    pub fn new<const W: usize>(engine: &Engine<'_, W>, top: &Judgement) -> Self {
        let scale = if top.value.is_finite() && top.value > 0.0 { top.value } else { 1.0 };
        let rows: u64 = engine.base.rows.iter().map(u64::from).sum();
        Self { scale, limit: engine.prepared.limit, rows: rows.max(1) as f64 }
    }

    /// The fitness of a candidate all of whose suppressed records were counted.
    pub fn of(&self, judgement: &Judgement) -> f64 {
        if judgement.safe {
            (judgement.value / self.scale).min(1.0)
        } else {
            let excess = judgement.suppressed.saturating_sub(self.limit).max(1) as f64;
            1.0 + (excess / self.rows).min(1.0)
        }
    }
}

/// The best safe candidate that was seen.
#[derive(Debug, Clone, Default)]
pub struct Best {
    found: Option<(f64, Vec<usize>)>,
}

impl Best {
    /// Remembers a candidate when it is safe and better; of equally good ones the one with the lower levels, so that
    /// the order in which they were seen does not matter.
    pub fn see(&mut self, levels: &[usize], judgement: &Judgement) {
        if judgement.safe {
            self.take(judgement.value, levels);
        }
    }

    /// The better of two.
    pub fn or(mut self, other: Self) -> Self {
        if let Some((value, levels)) = other.found {
            self.take(value, &levels);
        }
        self
    }

    /// Its levels.
    pub fn levels(self) -> Option<Vec<usize>> {
        self.found.map(|(_, levels)| levels)
    }

    fn take(&mut self, value: f64, levels: &[usize]) {
        let better = self
            .found
            .as_ref()
            .is_none_or(|(least, mine)| value.total_cmp(least).then_with(|| levels.cmp(mine)).is_lt());
        if better {
            self.found = Some((value, levels.to_vec()));
        }
    }
}
