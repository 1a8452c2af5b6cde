//! MDAV, maximum distance to average vector (Domingo-Ferrer and Mateo-Sanz; thesis 2.14, steps 3 to 8 of 2.13).
//!
//! While at least 2k records have no group: r is the one farthest from their centroid and forms a group with the k-1
//! nearest to it; s is the one farthest from r and does the same with what is left. Then k to 2k-1 records form one
//! group (the thesis prints "k and k-1", defect 20); fewer join the group whose centroid is nearest to theirs.
//! The classic MDAV goes round only while 3k are left, and makes one group of k around r, and one of the rest, of
//! 2k to 3k-1; the groups differ in that last round alone.
//!
//! # Guarantee
//! Every group has k to 2k-1 records. Among records at the same distance the one with the lowest number is taken,
//! near or far, and s is looked for after r has its group (which only matters for such ties), so the result is
//! fully determined. [`fast`] gives exactly the groups of [`plain`]: points are looked up in a k-d tree that computes
//! the same distances, and both keep the same centroid by the same subtractions. On many records of few columns it
//! takes a small part of the n²/k steps that `plain` takes.

use privet_data::{Cancelled, Progress};

use super::kd_tree::Pruned;
use super::mixed::MixedScan;
use super::neighbours::{Geometry, Near, Unassigned};
use super::points::{Points, Scan};
use super::space::Space;
use super::v_mdav::VMdav;
use crate::groups::Groups;

/// Progress is told of after so many groups.
const REPORT: usize = 64;

/// Groups of k to 2k-1 points; one group when there are fewer than 2k.
///
/// # Errors
/// When the person asked to stop.
pub fn fast(points: &Points, k: usize, progress: &dyn Progress) -> Result<Groups, Cancelled> {
    Ok(numbered(points.rows(), &of_points(points, &Mdav { k }, progress)?))
}

/// As [`fast`], by V-MDAV: groups grow where points lie close, the more readily the larger gamma is.
///
/// # Errors
/// When the person asked to stop.
pub fn variable(points: &Points, k: usize, gamma: f64, progress: &dyn Progress) -> Result<Groups, Cancelled> {
    Ok(numbered(points.rows(), &of_points(points, &VMdav { k, gamma }, progress)?))
}

/// The groups of [`fast`], found by looking at every point that is left: for tests and benches.
///
/// # Errors
/// When the person asked to stop.
#[doc(hidden)]
pub fn plain(points: &Points, k: usize, progress: &dyn Progress) -> Result<Groups, Cancelled> {
    Ok(numbered(points.rows(), &Mdav { k }.form(points, Scan::new(points), progress)?))
}

/// A way to form groups that asks for neighbours among those who have no group yet.
pub(crate) trait Forming {
    /// The groups.
    fn form<G: Geometry, U: Unassigned>(
        &self,
        geometry: &G,
        unassigned: U,
        progress: &dyn Progress,
    ) -> Result<Vec<Vec<u32>>, Cancelled>;
}

/// Forms groups in any space.
pub(crate) fn of_space(
    space: &Space,
    forming: &impl Forming,
    progress: &dyn Progress,
) -> Result<Vec<Vec<u32>>, Cancelled> {
    match space {
        Space::Points(points) => of_points(points, forming, progress),
        Space::Mixed(mixed) => forming.form(mixed, MixedScan::new(mixed), progress),
    }
}

/// Forms groups of points by the smallest tree that they fit in. In spaces of many dimensions boxes rule out next to
/// nothing, and a scan is faster.
fn of_points(
    points: &Points,
    forming: &impl Forming,
    progress: &dyn Progress,
) -> Result<Vec<Vec<u32>>, Cancelled> {
    match points.width() {
        0..=1 => forming.form(points, Pruned::<1>::new(points), progress),
        2 => forming.form(points, Pruned::<2>::new(points), progress),
        3 => forming.form(points, Pruned::<3>::new(points), progress),
        4 => forming.form(points, Pruned::<4>::new(points), progress),
        5..=6 => forming.form(points, Pruned::<6>::new(points), progress),
        7..=8 => forming.form(points, Pruned::<8>::new(points), progress),
        9..=12 => forming.form(points, Pruned::<12>::new(points), progress),
        13..=16 => forming.form(points, Pruned::<16>::new(points), progress),
        _ => forming.form(points, Scan::new(points), progress),
    }
}

pub(crate) fn numbered(rows: usize, groups: &[Vec<u32>]) -> Groups {
    let mut names = vec![0; rows];
    for (name, group) in groups.iter().enumerate() {
        group.iter().for_each(|&record| names[record as usize] = name as u32);
    }
    Groups::numbered(&names)
}

/// MDAV.
pub(crate) struct Mdav {
    pub k: usize,
}

impl Forming for Mdav {
    fn form<G: Geometry, U: Unassigned>(
        &self,
        geometry: &G,
        mut unassigned: U,
        progress: &dyn Progress,
    ) -> Result<Vec<Vec<u32>>, Cancelled> {
        let rows = geometry.rows();
        let k = self.k.max(1);
        progress.stage("grouping records", Some(rows as u64));
        let mut groups: Vec<Vec<u32>> = Vec::with_capacity(rows / k);
        let mut near = Vec::new();
        let mut left = Left::new(rows);
        while unassigned.len() >= k.saturating_mul(2) {
            let Some(r) = unassigned.farthest_from_centroid() else { break };
            groups.push(left.group_around(r, k, &mut unassigned, &mut near));
            let Some(s) = unassigned.farthest_from(r) else { break };
            groups.push(left.group_around(s, k, &mut unassigned, &mut near));
            if groups.len().is_multiple_of(REPORT) {
                progress.check()?;
                progress.at((rows - unassigned.len()) as u64);
            }
        }
        progress.check()?;
        let rest = left.records();
        if rest.len() >= k || (groups.is_empty() && !rest.is_empty()) {
            groups.push(rest);
        } else if !rest.is_empty() {
            let center = geometry.center(&rest);
            let distance = |group: &Vec<u32>| geometry.between(&geometry.center(group), &center);
            let nearest = groups.iter().map(distance).enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
            if let Some((nearest, _)) = nearest {
                groups[nearest].extend(rest);
            }
        }
        progress.at(rows as u64);
        Ok(groups)
    }
}

/// Which records have no group yet.
pub(crate) struct Left(Vec<bool>);

impl Left {
    pub fn new(rows: usize) -> Self {
        Self(vec![true; rows])
    }

    /// Those without a group, in their order.
    pub fn records(&self) -> Vec<u32> {
        (0..self.0.len() as u32).filter(|&record| self.has(record)).collect()
    }

    pub fn has(&self, record: u32) -> bool {
        self.0[record as usize]
    }

    /// Takes a record out.
    pub fn take<U: Unassigned>(&mut self, record: u32, unassigned: &mut U) {
        self.0[record as usize] = false;
        unassigned.remove(record);
    }

    /// A record and the k-1 nearest to it.
    pub fn group_around<U: Unassigned>(
        &mut self,
        record: u32,
        k: usize,
        unassigned: &mut U,
        near: &mut Vec<Near>,
    ) -> Vec<u32> {
        self.take(record, unassigned);
        unassigned.nearest(record, k - 1, near);
        let mut group = Vec::with_capacity(k);
        group.push(record);
        for found in near.iter() {
            self.take(found.record, unassigned);
            group.push(found.record);
        }
        group
    }
}
