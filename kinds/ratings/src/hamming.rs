//! Maximal Hamming groups (thesis 1.11, 2.15): users who rated exactly the same issues.
//!
//! Below epsilon = r users of different Hamming groups are never proximate, so everything is decided group by group, on the
//! issues that the group rated and without a null. Users with equal rows are one point with a weight.

use foldhash::HashMap;

use crate::{Reach, Survey};

/// Users who rated the same issues.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HammingGroup {
    /// The users, ascending.
    pub users: Vec<u32>,
    /// How many issues they rated.
    pub issues: usize,
}

/// The maximal Hamming groups, in the order of their first users. Where epsilon reaches across nulls everything is
/// proximate, and there is one group in which no issue counts.
pub fn hamming_groups(survey: &Survey, reach: Reach) -> Vec<HammingGroup> {
    let users = 0..survey.users() as u32;
    if reach.everything {
        let users: Vec<u32> = users.collect();
        return if users.is_empty() { Vec::new() } else { vec![HammingGroup { users, issues: 0 }] };
    }
    let mut number: HashMap<&[u32], usize> = HashMap::default();
    let mut groups: Vec<HammingGroup> = Vec::new();
    for user in users {
        let flags = survey.row(user).0;
        let at = *number.entry(flags).or_insert_with(|| {
            groups.push(HammingGroup { users: Vec::new(), issues: flags.len() });
            groups.len() - 1
        });
        groups[at].users.push(user);
    }
    groups
}

/// The distinct rows of a Hamming group: points without nulls, ordered by their first users.
#[derive(Debug, Clone)]
pub struct Points {
    dims: usize,
    cells: Vec<u8>,
    starts: Vec<u32>,
    members: Vec<u32>,
}

impl Points {
    /// The points of a Hamming group.
    pub fn of(survey: &Survey, group: &HammingGroup) -> Self {
        let dims = group.issues;
        let row = |user: u32| if dims == 0 { &[][..] } else { survey.row(user).1 };
        let mut number: HashMap<&[u8], u32> = HashMap::default();
        let (mut cells, mut sizes, mut point_of) =
            (Vec::new(), Vec::new(), Vec::with_capacity(group.users.len()));
        for &user in &group.users {
            let own = row(user);
            let point = *number.entry(own).or_insert_with(|| {
                cells.extend_from_slice(own);
                sizes.push(0u32);
                sizes.len() as u32 - 1
            });
            sizes[point as usize] += 1;
            point_of.push(point);
        }
        let mut starts = vec![0u32];
        for size in &sizes {
            starts.push(starts[starts.len() - 1] + size);
        }
        let mut next = starts.clone();
        let mut members = vec![0; group.users.len()];
        for (&user, &point) in group.users.iter().zip(&point_of) {
            members[next[point as usize] as usize] = user;
            next[point as usize] += 1;
        }
        Self { dims, cells, starts, members }
    }

    /// The number of issues.
    pub fn dims(&self) -> usize {
        self.dims
    }

    /// The number of distinct rows.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The ticks of a point.
    #[inline]
    pub fn row(&self, point: u32) -> &[u8] {
        &self.cells[point as usize * self.dims..][..self.dims]
    }

    /// The users whose row it is, ascending.
    pub fn members(&self, point: u32) -> &[u32] {
        &self.members[self.starts[point as usize] as usize..self.starts[point as usize + 1] as usize]
    }

    /// How many users have this row.
    #[inline]
    pub fn weight(&self, point: u32) -> u64 {
        u64::from(self.starts[point as usize + 1] - self.starts[point as usize])
    }

    /// Whether two points are within `ticks` in every issue.
    #[inline]
    pub fn joined(&self, a: u32, b: u32, ticks: u8) -> bool {
        self.row(a).iter().zip(self.row(b)).all(|(a, b)| a.abs_diff(*b) <= ticks)
    }
}
