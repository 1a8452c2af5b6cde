//! Who is looked for, and where in the release each may stand.
//!
//! The adversary has people, and for each what is known of them; linking (survey AT-01) has turned that into the groups
//! of the release (classes or buckets) that may hold each. Most people are told apart by little, so those who look
//! alike share one *profile*, and what an attack concludes is worked out once for each profile.
//!
//! [`Truth`] is the owner's: it is used to score what was concluded, never to conclude it.

use privet_release::Published;
use privet_release::published::SensitiveColumn;

/// A release, the people who are looked for, and where each may stand.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// The release.
    pub release: &'a Published,
    /// Which of its sensitive columns is to be learned; none for attacks that look for records alone.
    pub sensitive: Option<usize>,
    /// The people.
    pub people: &'a Suspects,
    /// What is true of them, where it is known.
    pub truth: Option<&'a Truth>,
}

impl<'a> Target<'a> {
    /// The sensitive column.
    pub fn column(&self) -> Option<&'a SensitiveColumn> {
        self.release.sensitive.get(self.sensitive?)
    }

    /// The true value of a person in the sensitive column, where it is known.
    pub fn value_of(&self, person: u32) -> Option<u32> {
        let values = self.truth?.values.get(self.sensitive?)?;
        values.get(person as usize).copied().flatten()
    }

    /// Whether a person is known not to be in the data: an adversary who is sure of something about them is wrong.
    pub fn is_outside(&self, person: u32) -> bool {
        let member = self.truth.and_then(|truth| truth.member.get(person as usize).copied().flatten());
        member == Some(false)
    }

    /// The group in which a person's record truly stands, where it is known and published.
    pub fn group_of(&self, person: u32) -> Option<u32> {
        let record = self.truth?.record_of.get(person as usize).copied().flatten()?;
        self.release.group_of.get(record as usize).copied()
    }
}

/// People, each with a profile, and per profile the groups that may hold them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Suspects {
    /// Per person the profile.
    pub profile_of: Vec<u32>,
    /// Where the groups of each profile begin, and at last where they end.
    pub starts: Vec<usize>,
    /// The groups, profile by profile.
    pub groups: Vec<Place>,
    /// So many of the last are no people of the adversary's: they are attacked beside them, for a control.
    pub strangers: usize,
}

/// A group that may hold a person. In a class all records may be theirs; in a bucket, whose records show their quasi
/// columns as they are, only those that fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The group.
    pub group: u32,
    /// Its records that may be the person's.
    pub records: u64,
}

impl Suspects {
    /// People of whom it is known in which group each stands; `None` for those who are nowhere.
    pub fn in_groups(group_of: impl Iterator<Item = Option<u32>>, sizes: &[u64]) -> Self {
        // Profile g is group g; the last one is nowhere.
        let profile_of = group_of.map(|group| group.unwrap_or(sizes.len() as u32)).collect();
        let mut starts: Vec<usize> = (0..=sizes.len()).collect();
        starts.push(sizes.len());
        let groups = sizes.iter().zip(0..).map(|(&records, group)| Place { group, records }).collect();
        Self { profile_of, starts, groups, strangers: 0 }
    }

    /// The same with some of them nowhere.
    #[must_use]
    pub fn without(&self, is_nowhere: impl Fn(u32) -> bool) -> Self {
        let mut left = self.clone();
        let nowhere = self.profiles() as u32;
        for (person, profile) in (0..).zip(&mut left.profile_of) {
            if is_nowhere(person) {
                *profile = nowhere;
            }
        }
        left.starts.push(self.groups.len());
        left
    }

    /// How many people.
    pub fn people(&self) -> usize {
        self.profile_of.len()
    }

    /// How many of them the adversary knows of.
    pub fn own_people(&self) -> usize {
        self.people().saturating_sub(self.strangers)
    }

    /// How many profiles.
    pub fn profiles(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The groups that may hold people of a profile.
    pub fn places(&self, profile: u32) -> &[Place] {
        match (self.starts.get(profile as usize), self.starts.get(profile as usize + 1)) {
            (Some(&from), Some(&to)) => &self.groups[from..to],
            _ => &[],
        }
    }

    /// Per profile how many records may be theirs.
    pub fn candidates(&self) -> Vec<u64> {
        let records = |profile| self.places(profile).iter().map(|place| place.records).sum();
        (0..self.profiles() as u32).map(records).collect()
    }

    /// The groups that may hold a person.
    pub fn places_of(&self, person: u32) -> &[Place] {
        self.profile_of.get(person as usize).map_or(&[], |&profile| self.places(profile))
    }
}

/// What is true of the people, known to the owner of the original alone.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Truth {
    /// Per person the published record that is theirs, if any.
    pub record_of: Vec<Option<u32>>,
    /// Per sensitive column and person the true value, as a code of the published column.
    pub values: Vec<Vec<Option<u32>>>,
    /// Per person whether they are in the data that the release was made from; `None` where that cannot be told.
    pub member: Vec<Option<bool>>,
}
