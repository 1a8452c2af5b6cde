//! V-MDAV, microaggregation with groups of variable size (Solanas and Martínez-Ballesté; named in thesis 2.14).
//!
//! The record without a group that is farthest from the centroid of all records forms a group with the k-1 nearest
//! to it. Then the group grows: e is the record nearest to any of its members, at distance d_in, and d_out is how far
//! e is from the nearest other record without a group. If d_in < gamma · d_out, e belongs here more than
//! elsewhere and joins; otherwise the group is done. The last records, fewer than k, join the group with the nearest
//! centroid one by one.
//!
//! # Guarantee
//! Every group has k to 2k-1 records. For that, unlike in the paper, a group stops growing when fewer than k
//! records would be left for others, and the last records join the nearest group that has fewer than 2k-1: the last
//! group formed then has k and takes them all, if no nearer one does. Ties are broken as in
//! [`mdav`](super::mdav). With gamma = 0 no group grows.

use privet_data::{Cancelled, Progress};

use super::mdav::{Forming, Left};
use super::neighbours::{Geometry, Near, Unassigned};

/// V-MDAV.
pub(crate) struct VMdav {
    pub k: usize,
    pub gamma: f64,
}

impl Forming for VMdav {
    fn form<G: Geometry, U: Unassigned>(
        &self,
        geometry: &G,
        mut unassigned: U,
        progress: &dyn Progress,
    ) -> Result<Vec<Vec<u32>>, Cancelled> {
        let rows = geometry.rows();
        let k = self.k.max(1);
        progress.stage("grouping records", Some(rows as u64));
        let all: Vec<u32> = (0..rows as u32).collect();
        let center = geometry.center(&all);
        let mut from_center: Vec<Near> = all
            .iter()
            .map(|&record| Near { distance: geometry.to_center(&center, record), record })
            .collect();
        from_center.sort_unstable_by(|a, b| b.distance.total_cmp(&a.distance).then(a.record.cmp(&b.record)));
        let mut groups: Vec<Vec<u32>> = Vec::with_capacity(rows / k);
        let mut near = Vec::new();
        let mut left = Left::new(rows);
        let mut farthest = from_center.iter().map(|near| near.record);
        while unassigned.len() >= k {
            progress.check()?;
            let Some(record) = farthest.by_ref().find(|&record| left.has(record)) else { break };
            let mut group = left.group_around(record, k, &mut unassigned, &mut near);
            self.grow(&mut group, k, &mut left, &mut unassigned, &mut near);
            groups.push(group);
            progress.at((rows - unassigned.len()) as u64);
        }
        let rest = left.records();
        if groups.is_empty() {
            groups.extend((!rest.is_empty()).then_some(rest));
            return Ok(groups);
        }
        let centers: Vec<G::Center> = groups.iter().map(|group| geometry.center(group)).collect();
        for record in rest {
            let has_room = |&number: &usize| groups[number].len() < 2 * k - 1;
            let distance = |number: usize| (number, geometry.to_center(&centers[number], record));
            let open = (0..groups.len()).filter(has_room).map(distance);
            if let Some((nearest, _)) = open.min_by(|a, b| a.1.total_cmp(&b.1)) {
                groups[nearest].push(record);
            }
        }
        Ok(groups)
    }
}

impl VMdav {
    fn grow<U: Unassigned>(
        &self,
        group: &mut Vec<u32>,
        k: usize,
        left: &mut Left,
        unassigned: &mut U,
        near: &mut Vec<Near>,
    ) {
        let mut nearest_to = |record: u32, most: usize, but: u32, unassigned: &mut U| {
            unassigned.nearest(record, most, near);
            near.iter().copied().find(|near| near.record != but)
        };
        // Per member the nearest record without a group; looked for again once that one has a group.
        let mut nearest: Vec<Option<Near>> = Vec::new();
        while group.len() < 2 * k - 1 && unassigned.len() > k {
            nearest.resize(group.len(), None);
            for (known, &member) in nearest.iter_mut().zip(group.iter()) {
                if known.is_none_or(|near| !left.has(near.record)) {
                    *known = nearest_to(member, 1, member, unassigned);
                }
            }
            let Some(candidate) = nearest.iter().flatten().min().copied() else { return };
            // The nearest to a record that is itself without a group is that record, or one equal to it.
            let next = nearest_to(candidate.record, 2, candidate.record, unassigned);
            let d_out = next.map_or(0.0, |next| next.distance.sqrt());
            if candidate.distance.sqrt() >= self.gamma * d_out {
                return;
            }
            left.take(candidate.record, unassigned);
            group.push(candidate.record);
        }
    }
}
