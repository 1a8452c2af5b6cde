//! Values that (nearly) everybody of a class holds (survey AT-02, homogeneity, where people hold several values).

use foldhash::HashMap;
use privet_data::Progress;
use privet_kind::{Attack, AttackInfo, Finding, Knowledge, Share, Standing, Unmade, Views};

use super::{nothing, people};
use crate::people::{People, Sensitive};

/// The attack.
pub struct CommonValue;

impl Attack for CommonValue {
    fn info(&self) -> &'static AttackInfo {
        &AttackInfo {
            id: "common-value",
            title: "Common value",
            sentence: "The adversary finds the class of a person and concludes a value that at least the share `confidence` of the class holds.",
            needs: &[],
            standing: Standing::Gate,
            source: "survey AT-02",
        }
    }

    fn run(
        &self,
        release: Views<'_>,
        _: Option<Views<'_>>,
        known: &Knowledge,
        _: &dyn Progress,
    ) -> Result<Vec<Finding>, Unmade> {
        let people = people(release)?;
        if people.sensitive.is_empty() {
            return Err(nothing("sensitive column").into());
        }
        let find = |column: &Sensitive| {
            let everybody = vec![0; people.len()];
            let all = people.len() as u64;
            let of_classes = exposed(people, column, &people.class_of, known.confidence);
            let of_all = exposed(people, column, &everybody, known.confidence);
            let mut finding = Finding::new(self.info(), Share::new(of_classes, all));
            finding.variant = column.name.clone();
            finding.control = Some(Share::new(of_all, all));
            finding
        };
        Ok(people.sensitive.iter().map(find).collect())
    }
}

/// People of groups in which a value is held by at least this share.
fn exposed(people: &People, column: &Sensitive, group_of: &[u32], share: f64) -> u64 {
    let groups = group_of.iter().max().map_or(0, |&most| most as usize + 1);
    let mut size = vec![0_u64; groups];
    let mut holders: HashMap<(u32, u32), u64> = HashMap::default();
    for person in 0..people.len() {
        size[group_of[person] as usize] += 1;
        let mut own = column.held[person].clone();
        own.sort_unstable();
        own.dedup();
        own.into_iter().for_each(|value| *holders.entry((group_of[person], value)).or_default() += 1);
    }
    let mut is_exposed = vec![false; groups];
    for ((group, _), holders) in holders {
        is_exposed[group as usize] |= holders as f64 >= share * size[group as usize] as f64;
    }
    size.iter().zip(is_exposed).filter(|own| own.1).map(|own| own.0).sum()
}
