//! Outliers of cloaking: a region that one record alone has is that of the one person whom the method could not put into a
//! smaller one (Kalnis et al. 2007; survey AP-15).

use foldhash::HashMap;
use privet_data::Progress;
use privet_kind::{Attack, AttackInfo, Finding, Knowledge, Note, Reason, Share, Standing, Unmade, Views};

use super::super::view::{Form, published};

pub(super) struct Outliers;

static INFO: AttackInfo = AttackInfo {
    id: "outliers",
    title: "Outliers of regions",
    sentence: "The adversary knows the method and everybody's position, and excludes people who would have got another region.",
    needs: &[],
    standing: Standing::Gate,
    source: "survey AP-15, Kalnis et al. 2007",
};

impl Attack for Outliers {
    fn info(&self) -> &'static AttackInfo {
        &INFO
    }

    fn run(
        &self,
        release: Views<'_>,
        _: Option<Views<'_>>,
        known: &Knowledge,
        _: &dyn Progress,
    ) -> Result<Vec<Finding>, Unmade> {
        let Form::Regions { records, .. } = &published(release)?.form else {
            return Err(Reason::Nothing { what: "region".to_owned() }.into());
        };
        let mut same: HashMap<_, u64> = HashMap::default();
        records.iter().for_each(|own| *same.entry((own.window, own.region)).or_default() += 1);
        // Of n people with a region, each is the right one with probability 1/n.
        let exposed: u64 = same.values().filter(|&&own| 1.0 / own as f64 >= known.confidence).sum();
        let mut finding = Finding::new(&INFO, Share::new(exposed, records.len() as u64));
        let smallest = same.values().copied().min().unwrap_or_default();
        finding.notes.push(Note::of_release(format!("The rarest region is that of {smallest} records.")));
        Ok(vec![finding])
    }
}
