//! Centroids of very few records: the centroid of one record is that record, private attributes included. The source does not look
//! at what the model itself tells.

use privet_data::Progress;
use privet_kind::{Attack, AttackInfo, Finding, Knowledge, Reason, Share, Standing, Unmade, Views};

use super::published;
use crate::PublishedModel;

pub(super) struct Centroids;

const INFO: AttackInfo = AttackInfo {
    id: "centroids",
    title: "Centroids that are a person",
    sentence: "The adversary takes the centroid of a cluster of one record for that record.",
    needs: &[],
    standing: Standing::Gate,
    source: "papers F-AL4, DEF-14",
};

impl Attack for Centroids {
    fn info(&self) -> &'static AttackInfo {
        &INFO
    }

    fn run(
        &self,
        release: Views<'_>,
        _: Option<Views<'_>>,
        _: &Knowledge,
        _: &dyn Progress,
    ) -> Result<Vec<Finding>, Unmade> {
        let PublishedModel::Clusters(own) = published(&release)? else {
            return Err(Reason::Nothing { what: "clustering".to_owned() }.into());
        };
        let mut members = vec![0u64; own.centroids.len()];
        for span in &own.spans {
            for (&cluster, &count) in span.clusters.iter().zip(&span.populations) {
                members[cluster as usize] += count;
            }
        }
        let alone = members.iter().filter(|&&count| count == 1).count() as u64;
        Ok(vec![Finding::new(&INFO, Share::new(alone, own.records))])
    }
}
