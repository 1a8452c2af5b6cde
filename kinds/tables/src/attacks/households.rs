//! The hierarchical risk: a household is found through any of its members.

use privet_data::Progress;
use privet_kind::{Attack, AttackInfo, Finding, Knowledge, Note, Share, Standing, Unmade, Views};

use super::{nothing, people};

/// The attack.
pub struct Households;

impl Attack for Households {
    fn info(&self) -> &'static AttackInfo {
        &AttackInfo {
            id: "household-member",
            title: "Households through a member",
            sentence: "The adversary looks for each member of a household among those who look the same; one found member is the household.",
            needs: &[],
            standing: Standing::Informs,
            source: "the hierarchical risk of statistical disclosure control",
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
        let household_of = people.household_of.as_ref().ok_or(nothing("household"))?;
        let risks = hierarchical(household_of, &members_risk(&people.class_of, &people.sizes()));
        let expected: f64 = risks.iter().sum();
        let share = Share::new(expected.ceil() as u64, risks.len() as u64);
        let mut finding = Finding::new(self.info(), share);
        let worst = risks.iter().copied().fold(0.0, f64::max);
        finding.notes.push(Note::of_release(format!(
            "The share is that of households expected to be found; of the worst household the chance is {:.2} %.",
            100.0 * worst
        )));
        Ok(vec![finding])
    }
}

fn members_risk(class_of: &[u32], sizes: &[u64]) -> Vec<f64> {
    class_of.iter().map(|&class| 1.0 / sizes[class as usize] as f64).collect()
}

/// Per household the chance that at least one member is found.
pub fn hierarchical(household_of: &[u32], risk: &[f64]) -> Vec<f64> {
    let households = household_of.iter().max().map_or(0, |&most| most as usize + 1);
    let mut spared = vec![1.0; households];
    household_of.iter().zip(risk).for_each(|(&household, risk)| spared[household as usize] *= 1.0 - risk);
    spared.into_iter().map(|spared| 1.0 - spared).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_found_member_is_the_household() {
        let risks = hierarchical(&[0, 0, 1], &[0.5, 0.5, 0.1]);
        assert!((risks[0] - 0.75).abs() < 1e-12 && (risks[1] - 0.1).abs() < 1e-12);
    }
}
