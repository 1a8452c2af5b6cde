//! What a column with noise that is not normal, or of categories, says of who may be behind a record.
//!
//! The distance of `linkage.rs` takes all noise for normal with a constant variance. Even noise tells nothing but who is
//! within its bounds, and noise that is multiplied is the wider the larger the value. [`Densities`] puts the true density
//! of such columns in the place of the normal one, and adds the probabilities of categories, which have no distance.
//!
//! # Guarantee
//! [`Densities::instead`] plus −d²/2 is, up to a constant that is the same for everybody, the logarithm of the probability
//! that the person's values become the published ones, rounding of even noise to a step included.

use privet_perturb::{Law, Noise};

use super::categories::PerturbedCategories;
use super::records::{NoiseAttackError, Records, check_length};

/// A column whose noise is not normal.
struct Other {
    law: Law,
    /// Published values are rounded to multiples of this; 0 where they are not.
    step: f64,
    /// The variance that the distance counts it with.
    variance: f64,
    published: Vec<f64>,
    people: Vec<f64>,
    /// Where noise is multiplied: per person 1/x and ln|x|, which every record asks for. 0 has no inverse, and 0 stands for it.
    inverse: Vec<(f64, f64)>,
}

/// The columns whose noise is not normal, and those of categories.
pub(super) struct Densities {
    columns: Vec<Other>,
    categories: Vec<PerturbedCategories>,
}

/// 0 multiplied by anything is 0: whoever has it is certain, as far as numbers can tell.
const CERTAIN: f64 = 600.0;

impl Densities {
    /// Those of columns with these laws and steps of rounding, and the variances that the distance counts them with. Columns whose noise has no
    /// variance have no noise.
    pub fn new(
        laws: &[(Law, f64)],
        variances: &[f64],
        published: Records<'_>,
        people: Records<'_>,
        categories: &[PerturbedCategories],
    ) -> Result<Self, NoiseAttackError> {
        check_length("laws of columns", laws.len(), published.width())?;
        check_length("variances of noise", variances.len(), published.width())?;
        for own in categories {
            check_length("records in a column of categories", own.published.len(), published.len())?;
            check_length("people in a column of categories", own.original.len(), people.len())?;
        }
        let is_other = |own: &(Law, f64)| matches!(own.0, Law::Add(Noise::Uniform { .. }) | Law::Multiply(_));
        let of = |records: Records<'_>, at: usize| {
            records.values().iter().skip(at).step_by(records.width()).copied().collect()
        };
        let columns = laws.iter().zip(variances).enumerate();
        let columns = columns.filter(|(_, (law, variance))| is_other(law) && **variance > 0.0);
        let columns = columns.map(|(at, (&(law, step), &variance))| {
            let people: Vec<f64> = of(people, at);
            let inverse = |&x: &f64| if x == 0.0 { (0.0, 0.0) } else { (1.0 / x, x.abs().ln()) };
            let inverse = match law {
                Law::Multiply(_) => people.iter().map(inverse).collect(),
                _ => Vec::new(),
            };
            Other { law, step, variance, published: of(published, at), people, inverse }
        });
        Ok(Self { columns: columns.collect(), categories: categories.to_vec() })
    }

    /// Puts people in another order, that in which they will be asked for.
    pub fn order(&mut self, people: &[u32]) {
        for own in &mut self.columns {
            let at = |person: &u32| own.people.get(*person as usize).copied().unwrap_or(f64::NAN);
            let ordered = people.iter().map(at).collect();
            let at = |person: &u32| own.inverse.get(*person as usize).copied();
            own.inverse = people.iter().filter_map(at).collect();
            own.people = ordered;
        }
        self.categories.iter_mut().for_each(|own| own.order(people));
    }

    /// Whether all noise is normal.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty() && self.categories.is_empty()
    }

    /// By how much a squared distance may be too large: even noise counts its square, and somebody who is near may have
    /// improbable categories. Infinite where noise is multiplied, of
    /// which no distance tells anything.
    pub fn slack(&self) -> f64 {
        let of = |own: &Other| match own.law {
            Law::Add(Noise::Uniform { half_width }) => {
                1.01 * (half_width + own.step / 2.0).powi(2) / own.variance
            }
            _ => f64::INFINITY,
        };
        let improbable = self.categories.iter().map(|own| -2.0 * own.least());
        self.columns.iter().map(of).chain(improbable).sum()
    }

    /// What to add to −d²/2 for a record and a person; minus infinity where the person cannot be behind the record.
    pub fn instead(&self, record: usize, person: u32) -> f64 {
        let (numbers, person) = (self.columns.iter(), person as usize);
        let categories = self.categories.iter().map(|own| own.chance(record, person));
        numbers.map(|own| own.instead(record, person)).chain(categories).sum()
    }

    /// What to add to d² for a squared distance in deviations of the noise as it is; even noise counts nothing.
    pub fn squares(&self, record: usize, person: u32) -> f64 {
        self.columns.iter().map(|own| own.squares(record, person as usize)).sum()
    }
}

impl Other {
    fn pair(&self, record: usize, person: usize) -> (f64, f64) {
        let of = |values: &[f64], at: usize| values.get(at).copied().unwrap_or(f64::NAN);
        (of(&self.published, record), of(&self.people, person))
    }

    fn instead(&self, record: usize, person: usize) -> f64 {
        let (y, x) = self.pair(record, person);
        let counted = (y - x) * (y - x) / (2.0 * self.variance);
        counted + self.logarithm(y, x, self.inverse.get(person).copied().unwrap_or_default())
    }

    fn squares(&self, record: usize, person: usize) -> f64 {
        let (y, x) = self.pair(record, person);
        let own = match self.law {
            Law::Multiply(Noise::Gaussian { deviation }) if x != 0.0 => ((y / x - 1.0) / deviation).powi(2),
            _ => 0.0,
        };
        own - (y - x) * (y - x) / self.variance
    }

    /// The logarithm of the density.
    fn logarithm(&self, y: f64, x: f64, (inverse, logarithm): (f64, f64)) -> f64 {
        // What of the step around the published value the noise can reach.
        let within = |moved: f64, half_width: f64, step: f64| {
            let half = step / 2.0;
            let reached = (moved + half).min(half_width) - (moved - half).max(-half_width);
            // Sums are rounded, steps or not.
            match (step > 0.0, reached + 1e-9 * half_width > 0.0) {
                (_, false) => f64::NEG_INFINITY,
                (true, true) => (reached / step).clamp(1e-9, 1.0).ln(),
                (false, true) => 0.0,
            }
        };
        match self.law {
            Law::Add(Noise::Uniform { half_width }) => within(y - x, half_width, self.step),
            Law::Multiply(_) if x == 0.0 => {
                if y == 0.0 {
                    CERTAIN
                } else {
                    f64::NEG_INFINITY
                }
            }
            Law::Multiply(Noise::Uniform { half_width }) => {
                within(y * inverse - 1.0, half_width, 0.0) - logarithm
            }
            Law::Multiply(Noise::Gaussian { deviation }) => {
                -((y * inverse - 1.0) / deviation).powi(2) / 2.0 - logarithm
            }
            _ => 0.0,
        }
    }
}
