//! Bucketization with a given partition (survey ME-13): somebody knows already who belongs together, such as the people
//! of a ward or of a batch, and the sensitive values are published per such bucket.
//!
//! **Guarantee.** Every criterion holds in every bucket. In a sensitive column that no criterion is about, no value is in
//! all records of a bucket, which would tell it of everybody there, unless it is in all of the table. Buckets that
//! fail are refused with their number; or merged with others (`merging.rs`), which succeeds whenever all records in one
//! bucket keep all that. Nothing is drawn: the result depends on the partition alone.
//!
//! **What it is not.** Nobody's value is bounded by 1/l beyond what the criteria say, as it is with Anatomy; and whoever
//! knows how the partition was made knows what it was made by. The survey leaves open where a partition comes from, so
//! [`bucketize`](super::bucketize) alone judges the criteria and nothing else.

use privet_data::Progress;

use super::buckets::{self, Buckets, SensitiveTable};
use super::judge::Judge;
use super::merging::Merging;
use crate::groups::Groups;
use crate::lattice::{Problem, SearchError};

/// Publishes sensitive values by buckets that are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GivenBuckets {
    /// Merge buckets that fail with others, instead of refusing them.
    pub merge: bool,
}

impl GivenBuckets {
    /// The buckets as they are given, or merged.
    ///
    /// # Errors
    /// When there is no sensitive column, a criterion promises look-alikes, the groups are not those of the table, a
    /// bucket fails and is not to be merged, all records in one bucket fail, or the person stopped it.
    pub fn search(
        &self,
        problem: &Problem<'_>,
        groups: &Groups,
        progress: &dyn Progress,
    ) -> Result<Buckets, SearchError> {
        buckets::require(problem, "anatomy")?;
        buckets::require_all_records(problem, groups)?;
        progress.stage("judging the given buckets", None);
        let groups = Groups::numbered(&groups.of);
        let unspoken = buckets::unspoken(problem);
        let bounded = unspoken.iter().map(|&column| (column, 1)).collect();
        let mut merging = Merging::new(problem, &groups, Judge::new(problem, bounded));
        let failing = merging.failing();
        if failing.is_empty() {
            return buckets::judged(problem, &groups, None);
        }
        progress.check()?;
        let is_mergeable = merging.whole_holds();
        if !(self.merge && is_mergeable) {
            // What is told is what cannot be helped.
            let told = if self.merge { &Groups { of: vec![0; problem.rows], count: 1 } } else { &groups };
            let mut records = vec![0u64; groups.count];
            groups.of.iter().for_each(|&bucket| records[bucket as usize] += 1);
            return Err(SearchError::GivenBucketsFail {
                buckets: failing.len() as u64,
                of: groups.count as u64,
                records: failing.iter().map(|&bucket| records[bucket as usize]).sum(),
                criteria: what_fails(problem, told, &unspoken),
                is_mergeable,
            });
        }
        match merging.merge(groups, progress)? {
            Some(found) => buckets::judged(problem, &Groups::numbered(&found.groups.of), None),
            None => Err(SearchError::Unsafe { algorithm: "anatomy" }),
        }
    }
}

/// What does not hold in some bucket, as `key: promise`.
fn what_fails(problem: &Problem<'_>, groups: &Groups, unspoken: &[usize]) -> Vec<String> {
    let mut fails = match buckets::judged(problem, groups, None) {
        Err(SearchError::BucketsFail { criteria, .. }) => criteria,
        _ => Vec::new(),
    };
    let tells = |&&column: &&usize| {
        let table = SensitiveTable::new(groups, &problem.sensitive[column]);
        buckets::varies(&problem.sensitive[column])
            && (0..groups.count).any(|bucket| table.of(bucket).len() == 1)
    };
    match unspoken.iter().filter(tells).count() {
        0 => {}
        columns => fails.push(format!(
            "anatomy: a bucket tells nobody's value in a sensitive column that no promise is about (columns that fail: \
             {columns})"
        )),
    }
    fails
}
