//! How far the distribution that a reader rebuilds is from the original one (survey UM-09, UM-10, UM-13, UM-14).
//!
//! p1(t) is the share of records with tuple t; p2(t) is the sum, over all regions that cover t, of what each puts on one
//! of its tuples. Regions may overlap, as they do after local recoding.
//!
//! Divergence, L1, total variation and the Hellinger distance are exact without going through the domain, because both
//! distributions sum to one: the divergence and Σ√(p1·p2) look at tuples that occur only, and what p2 puts on all
//! others is the rest. The largest difference and other norms need to know how p2 lies on tuples that do *not* occur.
//! Where no regions overlap that is known in closed form, and the sum of squares also where they do (`squares.rs`), unless
//! there are too many of them. Otherwise the answer is a [`Bracket`] that holds the true value: the largest mass is searched
//! for with a limit on work, and Σ p2^p of the rest is between what it is when spread evenly and what it is when heaped up
//! at that largest mass.
//!
//! With no record at all there is nothing to compare, and every distance is 0.

use super::arrangement::Arrangement;
use super::peak::PeakSearch;
use super::spread::Spread;
use super::squares::{is_feasible, squares};
use super::{UtilityError, ln_add};

/// A number that is not known exactly, between two that are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bracket {
    /// It is at least this.
    pub least: f64,
    /// It is at most this.
    pub most: f64,
}

impl Bracket {
    /// The number, when the bracket leaves no doubt up to rounding.
    pub fn exact(self) -> Option<f64> {
        (self.most - self.least <= 1e-9 * self.most).then_some(self.most)
    }
}

/// Pairs of a region and a value that the search for the largest mass may look at: about a second's work.
const PEAK_WORK: u64 = 1 << 24;

/// The distribution of a release, ready to be compared with the original one.
#[derive(Debug)]
pub struct Reconstruction<'s> {
    spread: &'s Spread<'s>,
    arrangement: Arrangement,
    /// Per distinct tuple ln p1 and ln p2.
    ln_shares: Vec<(f64, f64)>,
}

impl<'s> Reconstruction<'s> {
    pub(super) fn new(spread: &'s Spread<'s>) -> Self {
        let arrangement = Arrangement::new(spread);
        let ln_rows = (spread.rows as f64).ln();
        let background = spread.ln_background();
        let masses = arrangement.ln_mass.iter().map(|&mass| ln_add(mass, background));
        // Both by the same steps, so that a release that changes nothing has distance 0 exactly.
        let ln_shares =
            spread.tuple_counts.iter().map(|&count| (count as f64).ln() - ln_rows).zip(masses).collect();
        Self { spread, arrangement, ln_shares }
    }

    /// Kullback-Leibler divergence of the original from the rebuilt distribution, in nats (UM-09): infinite when some
    /// record could not have become what is published.
    pub fn kullback_leibler(&self) -> f64 {
        // A divergence is never negative; a sum of differences may be, by its last digit.
        self.ln_shares.iter().map(|&(p1, p2)| p1.exp() * (p1 - p2)).sum::<f64>().max(0.0)
    }

    /// ln of how many times likelier the original records are under their own distribution than under the rebuilt one
    /// (UM-10): the divergence times the number of records.
    pub fn log_likelihood_ratio(&self) -> f64 {
        let each = self.ln_shares.iter().zip(&self.spread.tuple_counts);
        each.map(|(&(p1, p2), &count)| count as f64 * (p1 - p2)).sum::<f64>().max(0.0)
    }

    /// Σ|p1 − p2| (UM-13).
    pub fn l1(&self) -> f64 {
        self.differences().sum::<f64>() + self.rest_mass()
    }

    /// Half of [`l1`](Self::l1): the largest difference in the probability of any event (UM-13).
    pub fn total_variation(&self) -> f64 {
        self.l1() / 2.0
    }

    /// √(Σ(√p1 − √p2)²/2) (UM-14).
    pub fn hellinger(&self) -> f64 {
        // As a sum of squares, not as 1 − Σ√(p1·p2), which would round small distances away.
        let own: f64 = self
            .ln_shares
            .iter()
            .map(|&(p1, p2)| {
                let gap = (p1 / 2.0).exp() - (p2 / 2.0).exp();
                gap * gap
            })
            .sum();
        ((own + self.rest_mass()) / 2.0).clamp(0.0, 1.0).sqrt()
    }

    /// max|p1 − p2| (UM-13).
    pub fn largest_difference(&self) -> Bracket {
        let own = self.differences().fold(0.0, f64::max);
        let mut known = self.lone_regions().map(|(_, density)| density.exp()).fold(own, f64::max);
        if self.spread.domain.ln_without(self.spread.tuples() as f64) > f64::NEG_INFINITY {
            // Some tuple does not occur, and has at least what suppressed records put there.
            known = known.max(self.spread.ln_background().exp());
        }
        self.peak(known)
    }

    /// The largest p2 of a tuple that does not occur and lies in regions that meet others, if it is above `floor`;
    /// `floor` otherwise.
    fn peak(&self, floor: f64) -> Bracket {
        let background = self.spread.ln_background().exp();
        let mut search = PeakSearch::new(self.spread, PEAK_WORK);
        let mut peak = Bracket { least: floor, most: floor };
        for (regions, tuples) in self.tangles() {
            let own = search.peak(regions, tuples, peak.least - background);
            if own.least > peak.least - background {
                peak.least = own.least + background;
            }
            if own.most > peak.most - background {
                peak.most = own.most + background;
            }
        }
        peak
    }

    /// (Σ|p1 − p2|^p)^(1/p) (UM-13).
    ///
    /// # Errors
    /// When the order is below 1 or not a number.
    pub fn norm(&self, order: f64) -> Result<Bracket, UtilityError> {
        if order.is_nan() || order < 1.0 {
            return Err(UtilityError::Parameter { what: "the order of a norm", accepted: "at least 1" });
        }
        if order.is_infinite() {
            return Ok(self.largest_difference());
        }
        let known = self.differences().map(|gap| gap.powf(order)).sum::<f64>()
            + self.lone_regions().map(|(count, density)| (count + order * density).exp()).sum::<f64>();
        let pool = match (order == 2.0).then(|| self.pooled_squares()).flatten() {
            Some(sum) => Bracket { least: sum, most: sum },
            None => self.pool(order),
        };
        let root = |sum: f64| sum.powf(1.0 / order);
        Ok(Bracket { least: root(known + pool.least), most: root(known + pool.most) })
    }

    fn differences(&self) -> impl Iterator<Item = f64> + '_ {
        self.ln_shares.iter().map(|&(p1, p2)| (p1.exp() - p2.exp()).abs())
    }

    /// For each region that meets no other: ln of how many of its tuples do not occur, where there are any, and ln of
    /// the mass on each.
    fn lone_regions(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        let background = self.spread.ln_background();
        self.arrangement.clusters.iter().filter_map(move |cluster| {
            let &[region] = self.arrangement.regions(cluster) else { return None };
            let volume = self.spread.volumes[region as usize];
            let count = volume.ln_without(self.arrangement.tuples(cluster).len() as f64);
            let density = ln_add(self.spread.ln_density(region as usize), background);
            (count > f64::NEG_INFINITY).then_some((count, density))
        })
    }

    /// Regions that meet others.
    fn tangles(&self) -> impl Iterator<Item = (&[u32], &[u32])> {
        let all = self.arrangement.clusters.iter();
        all.map(|own| (self.arrangement.regions(own), self.arrangement.tuples(own)))
            .filter(|own| own.0.len() > 1)
    }

    /// What the regions that meet others put on tuples that do not occur.
    fn tangled_mass(&self) -> f64 {
        let rows = self.spread.rows as f64;
        let rest = self.tangles().map(|(regions, tuples)| {
            let whole: f64 =
                regions.iter().map(|&r| self.spread.region_counts[r as usize] as f64 / rows).sum();
            let own: f64 = tuples.iter().map(|&tuple| self.arrangement.ln_mass[tuple as usize].exp()).sum();
            (whole - own).max(0.0)
        });
        rest.sum()
    }

    /// What p2 puts on tuples that do not occur.
    fn rest_mass(&self) -> f64 {
        if self.spread.rows == 0 {
            return 0.0;
        }
        let regions = self.arrangement.clusters.iter().filter_map(|cluster| {
            let &[region] = self.arrangement.regions(cluster) else { return None };
            let count = self.spread.volumes[region as usize]
                .ln_without(self.arrangement.tuples(cluster).len() as f64);
            Some((count + self.spread.ln_density(region as usize)).exp())
        });
        let background =
            self.spread.domain.ln_without(self.spread.tuples() as f64) + self.spread.ln_background();
        regions.sum::<f64>() + self.tangled_mass() + background.exp()
    }

    /// ln of how many tuples do not occur and lie in no region that is alone.
    fn ln_pooled(&self) -> f64 {
        let lone: f64 = self.lone_regions().map(|(count, _)| count.exp()).sum();
        self.spread.domain.ln_without(self.spread.tuples() as f64 + lone)
    }

    /// Σ p2² over the tuples that do not occur and lie in no region that is alone; `None` when regions that meet others are
    /// too many to go through all pairs of them.
    fn pooled_squares(&self) -> Option<f64> {
        if self.spread.rows == 0 {
            return Some(0.0);
        }
        let (mut sum, mut looked_at) = (0.0, 0);
        for (regions, tuples) in self.tangles() {
            if !is_feasible(self.spread, regions.len(), &mut looked_at) {
                return None;
            }
            let own: f64 =
                tuples.iter().map(|&tuple| (2.0 * self.arrangement.ln_mass[tuple as usize]).exp()).sum();
            // Where every tuple occurs, only rounding is left.
            let all = squares(self.spread, regions);
            let rest = all - own;
            sum += if rest > all * 1e-12 { rest } else { 0.0 };
        }
        if self.spread.suppressed > 0 {
            // (mass + background)², summed.
            let background = self.spread.ln_background();
            sum += 2.0 * background.exp() * self.tangled_mass() + (2.0 * background + self.ln_pooled()).exp();
        }
        Some(sum)
    }

    /// Σ p2^p over the tuples that do not occur and lie in no region that is alone.
    fn pool(&self, order: f64) -> Bracket {
        let background = self.spread.ln_background();
        let is_tangled = self.tangles().next().is_some();
        if self.spread.rows == 0 || (!is_tangled && self.spread.suppressed == 0) {
            return Bracket { least: 0.0, most: 0.0 };
        }
        // How many such tuples there are; without suppressed records, at most how many p2 is not zero on.
        let ln_count = if self.spread.suppressed > 0 {
            self.ln_pooled()
        } else {
            let volume: f64 = self
                .tangles()
                .flat_map(|(regions, _)| regions)
                .map(|&region| self.spread.volumes[region as usize].tuples)
                .sum();
            volume.ln()
        };
        if ln_count == f64::NEG_INFINITY {
            return Bracket { least: 0.0, most: 0.0 };
        }
        let ln_mass = ln_add(self.tangled_mass().ln(), ln_count.min(self.spread.domain.ln) + background);
        if ln_mass == f64::NEG_INFINITY {
            return Bracket { least: 0.0, most: 0.0 };
        }
        if order == 1.0 {
            return Bracket { least: ln_mass.exp(), most: ln_mass.exp() };
        }
        let even = order * ln_mass - (order - 1.0) * ln_count;
        let highest = match is_tangled {
            // Either may be the one that came to its end.
            true => self.peak(background.exp()).most.min(self.largest_difference().most).ln(),
            false => background,
        };
        let heaped = ln_mass + (order - 1.0) * highest;
        Bracket { least: even.min(heaped).exp(), most: even.max(heaped).exp() }
    }
}
