//! 3D privacy as a criterion that searches and the last gate can ask.
//!
//! It is not bucket-independent (survey TH-09): a class that is safe by itself may be breached through a same-value
//! family in another. So [`holds`](Criterion::holds) tells only whether a class is safe when it is alone, which is
//! necessary; the classes of a release are judged together.

use std::collections::BTreeMap;

use super::{Skyline, ThreeD};
use crate::bound::{Bound, Grouping};
use crate::{Better, Class, Criterion, Merging, Summaries};

/// 3D privacy of a sensitive column.
pub(crate) struct ThreeDPrivacy {
    skyline: Skyline,
    position: usize,
    values: usize,
    column: String,
}

/// What a class tells of each of its values and points: the slot, both odds, and the family's chance.
const TOLD: usize = 4;

impl ThreeDPrivacy {
    pub fn new(
        points: Vec<ThreeD>,
        values: &BTreeMap<String, ThreeD>,
        bound: &Bound<'_>,
    ) -> Result<Self, String> {
        let names: Vec<String> = values.keys().cloned().collect();
        bound.listed("values", &names)?;
        let codes = bound.codes(names.iter().map(String::as_str));
        let mut named = codes.clone();
        named.sort_unstable();
        if named.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err("values names one value twice, written in two ways; name it once".to_owned());
        }
        let own = codes.into_iter().zip(values.values()).filter_map(|(code, &point)| Some((code?, point)));
        let skyline = Skyline::new(points, own.collect());
        if skyline.points().next().is_none() {
            return Err("c, points or values must be given; c alone is one point with l, k and m".to_owned());
        }
        if let Some((point, fault)) = skyline.points().find_map(|point| Some((point, point.fault()?))) {
            return Err(format!("c = {} {fault}", point.c));
        }
        let values = bound.column.domain.len();
        Ok(Self { skyline, position: bound.position, values, column: bound.name() })
    }

    fn facts(&self, class: &Class<'_>, say: impl FnMut(super::Facts)) {
        let histogram = &class.histograms[self.position];
        let counts = histogram.present.iter().map(|&code| (code, histogram.counts[code as usize]));
        self.skyline.facts(counts, say);
    }

    /// Per slot the two classes in which a family most surely has the value, so that one of them is another class.
    fn families(&self, classes: &Summaries) -> Vec<[(f64, usize); 2]> {
        let mut families = vec![[(f64::INFINITY, usize::MAX); 2]; self.values * self.skyline.width()];
        for (class, told) in classes.iter().enumerate() {
            for told in told.chunks_exact(TOLD) {
                let (slot, family) = (told[0] as usize, told[3]);
                let best = &mut families[slot];
                if family < best[0].0 {
                    *best = [(family, class), best[0]];
                } else if family < best[1].0 {
                    best[1] = (family, class);
                }
            }
        }
        families
    }

    /// What a class reaches among the others, and the other class whose family it takes for that, if any.
    fn worst(
        &self,
        classes: &Summaries,
        families: &[[(f64, usize); 2]],
        class: usize,
    ) -> (f64, Option<usize>) {
        let mut worst: (f64, Option<usize>) = (0.0, None);
        for told in classes.of(class).chunks_exact(TOLD) {
            let (slot, inside, alone) = (told[0] as usize, told[1], told[2]);
            let elsewhere = families[slot].iter().find(|(_, other)| *other != class);
            let (family, other) =
                elsewhere.map_or((1.0, usize::MAX), |&(family, other)| (family.min(1.0), other));
            let (odds, other) = match inside <= alone * family {
                true => (inside, None),
                false => (alone * family, Some(other).filter(|&other| other != usize::MAX)),
            };
            let reached = self.skyline.measure_at(slot, 1.0 / (1.0 + odds));
            if reached > worst.0 {
                worst = (reached, other);
            }
        }
        worst
    }
}

impl Criterion for ThreeDPrivacy {
    fn key(&self) -> &'static str {
        "three-d"
    }

    fn promise_of(&self, _: Grouping) -> String {
        format!("{} This is about {}.", self.skyline.promise(), self.column)
    }

    fn merging(&self) -> Merging {
        Merging::Closed
    }

    fn bucket_independent(&self) -> bool {
        false
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        self.skyline.accepts(self.reached(class))
    }

    fn reached(&self, class: &Class<'_>) -> f64 {
        let mut most: f64 = 0.0;
        self.facts(class, |facts| {
            let chance = 1.0 / (1.0 + facts.own.min(facts.alone));
            most = most.max(self.skyline.measure_at(facts.slot, chance));
        });
        most
    }

    fn better(&self) -> Better {
        Better::Lower
    }

    fn summarize(&self, class: &Class<'_>, numbers: &mut Vec<f64>) {
        self.facts(class, |facts| {
            numbers.extend([facts.slot as f64, facts.own.min(facts.alone), facts.alone, facts.family]);
        });
    }

    fn reached_together(&self, classes: &Summaries) -> Vec<f64> {
        let families = self.families(classes);
        (0..classes.len()).map(|class| self.worst(classes, &families, class).0).collect()
    }

    fn conflicts(&self, classes: &Summaries) -> Vec<Vec<u32>> {
        let families = self.families(classes);
        let exposed = (0..classes.len()).filter_map(|class| {
            let (reached, family) = self.worst(classes, &families, class);
            let conflict = [Some(class as u32), family.map(|other| other as u32)];
            (!self.accepts(reached)).then(|| conflict.into_iter().flatten().collect())
        });
        exposed.collect()
    }

    fn accepts(&self, reached: f64) -> bool {
        self.skyline.accepts(reached)
    }

    fn skyline(&self) -> Option<&Skyline> {
        Some(&self.skyline)
    }

    fn histograms(&self) -> Vec<usize> {
        vec![self.position]
    }
}
