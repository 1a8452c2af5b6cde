//! Individual risk from sampling weights (Benedetti and Franconi): who is alone in the sample is rarely alone in the population.
//!
//! With f people of a class in the sample, whose weights sum up to F, p = f/F estimates the share of the class that was drawn, and the
//! risk of each of them is (p/f) 2F1(1, 1; f + 1; 1 - p), the mean of one over the number in the population.

use privet_data::Progress;
use privet_kind::{Attack, AttackInfo, Finding, Knowledge, Note, Share, Standing, Unmade, Views};

use super::{nothing, people};

/// The attack.
pub struct Population;

impl Attack for Population {
    fn info(&self) -> &'static AttackInfo {
        &AttackInfo {
            id: "population-match",
            title: "Match in the population",
            sentence: "The adversary looks for people of the sample in the population that sampling weights speak of, and guesses.",
            needs: &[],
            standing: Standing::Informs,
            source: "Benedetti and Franconi; sampling weights",
        }
    }

    fn run(
        &self,
        release: Views<'_>,
        _: Option<Views<'_>>,
        _: &Knowledge,
        _: &dyn Progress,
    ) -> Result<Vec<Finding>, Unmade> {
        let people = people(release)?;
        let weight = people.weight.as_ref().ok_or(nothing("sampling weight"))?;
        let mut population = vec![0.0; people.classes];
        people.class_of.iter().zip(weight).for_each(|(&class, weight)| population[class as usize] += weight);
        let sizes = people.sizes();
        let risk: f64 = (sizes.iter().zip(&population))
            .map(|(&size, &all)| size as f64 * individual_risk(size, all))
            .sum();
        let mut finding = Finding::new(self.info(), Share::new(risk.ceil() as u64, people.len() as u64));
        let of_sample = people.classes as u64;
        finding.notes.push(Note::of_release(format!(
            "Expected matches in the population; without weights, as if everybody were in the sample, {of_sample} would be expected."
        )));
        Ok(vec![finding])
    }
}

/// The risk of each of `f` people of a class of the sample whose weights sum up to `population`.
pub fn individual_risk(f: u64, population: f64) -> f64 {
    let of = f as f64;
    if f == 0 {
        return 0.0;
    }
    let p = of / population.max(of);
    if p >= 1.0 {
        return 1.0 / of;
    }
    let odds = p / (1.0 - p);
    match f {
        1 => odds * (1.0 / p).ln(),
        2 => odds - odds * odds * (1.0 / p).ln(),
        _ => {
            let (mut term, mut sum, mut n) = (1.0, 1.0, 0.0);
            while term > 1e-12 * sum {
                term *= (n + 1.0) / (of + 1.0 + n) * (1.0 - p);
                sum += term;
                n += 1.0;
            }
            p / of * sum
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The worked example of sdcMicro on its data set francdat.
    #[test]
    fn the_risks_of_francdat() {
        for (f, population, risk) in
            [(2, 110.0, 0.017_144), (2, 84.5, 0.022_042), (1, 17.0, 0.177_078), (1, 541.0, 0.011_654)]
        {
            assert!(
                (individual_risk(f, population) - risk).abs() < 1e-5,
                "{f} of {population}: {}",
                individual_risk(f, population)
            );
        }
    }

    #[test]
    fn the_series_goes_on_where_the_formulas_end() {
        assert_eq!(individual_risk(3, 3.0), 1.0 / 3.0);
        // (p/3) 2F1(1, 1; 4; 1/2) with p = 1/2, by Euler's integral 3 ∫ (1-t)^2 / (1 - t/2) dt from 0 to 1.
        let by_quadrature: f64 = (0..1_000_000)
            .map(|at| {
                let t = (f64::from(at) + 0.5) / 1e6;
                3.0 * (1.0 - t) * (1.0 - t) / (1.0 - t / 2.0) / 1e6
            })
            .sum();
        let expected = 0.5 / 3.0 * by_quadrature;
        assert!((individual_risk(3, 6.0) - expected).abs() < 1e-6);
    }
}
