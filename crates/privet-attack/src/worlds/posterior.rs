//! What the random-worlds adversary believes, given Boolean knowledge (survey PM-11, AT-04):
//! Pr(t has s | K) = worlds in which t has s and K holds / worlds in which K holds.
//!
//! What it guarantees: exact up to rounding, for everybody. A class that the knowledge does not mention is n(s)/n in
//! closed form. Statements that share no class are independent and looked at apart. Within a class only the people
//! that are mentioned are given values one by one; the rest are alike, and share what is left over. So a few
//! statements about a large table cost little, while counting is NP-hard for general knowledge: `limit` says how many
//! partial worlds may be looked at.

use foldhash::{HashMap, HashMapExt};
use privet_data::Progress;

use super::enumerate::count_worlds;
use super::knowledge::Statement;
use super::{Beliefs, Buckets, WorldsError};

/// What is believed, and how many worlds remain.
#[derive(Debug, Clone)]
pub struct Posterior {
    /// What is believed about everybody.
    pub beliefs: Beliefs,
    /// How many worlds of the classes that the knowledge mentions there are, and in how many of them it holds, when
    /// both fit 128 bits.
    pub worlds: Option<(u128, u128)>,
    /// The natural logarithm of the chance that the knowledge holds: how much it excludes.
    pub evidence: f64,
}

/// What is believed about everybody when all the statements hold. At most `limit` partial worlds are looked at for
/// each set of statements that belong together.
///
/// ```
/// use privet_attack::worlds::{Bucket, Buckets, Statement, posterior};
/// use privet_data::Silent;
/// // Cancer, flu, heart disease and flu again (survey FX-1.2).
/// let class = Bucket { people: vec![4, 5, 6, 7], values: vec![2, 3, 0, 3] };
/// let buckets = Buckets::new(vec![class], 4)?;
/// let no_heart_disease = Statement::Not(Box::new(Statement::Has { person: 4, value: 0 }));
/// let found = posterior(&buckets, &[no_heart_disease], 1000, &Silent)?;
/// assert!((found.beliefs.chance(4, 2) - 1.0 / 3.0).abs() < 1e-12);
/// assert_eq!(found.worlds, Some((12, 9)));
/// # Ok::<(), privet_attack::worlds::WorldsError>(())
/// ```
///
/// # Errors
/// When a statement speaks of somebody who is in no bucket, no world fits, there is more to look at than `limit`, or the person
/// stopped it.
pub fn posterior(
    buckets: &Buckets,
    knowledge: &[Statement],
    limit: u64,
    progress: &dyn Progress,
) -> Result<Posterior, WorldsError> {
    let parts = components(buckets, knowledge)?;
    progress.stage("Worlds that fit the knowledge", None);
    let mut beliefs = Beliefs::with_capacity(buckets.place.len());
    let (mut evidence, mut worlds) = (0.0, Some((1u128, 1u128)));
    let mut by_bucket: HashMap<usize, Solved> = HashMap::new();
    for part in parts {
        let mut search = Search::new(buckets, &part, limit)?;
        search.run(progress)?;
        if search.weight <= 0.0 {
            return Err(WorldsError::Conflict);
        }
        evidence += search.evidence + search.weight.ln();
        worlds = worlds.zip(search.worlds(buckets)).and_then(|((all, left), (own, fitting))| {
            Some((all.checked_mul(own)?, left.checked_mul(fitting)?))
        });
        by_bucket.extend(search.solve(buckets));
    }
    for (number, bucket) in buckets.list.iter().enumerate() {
        let total = bucket.values.len() as f64;
        match by_bucket.remove(&number) {
            None => {
                let shares =
                    bucket.counts().into_iter().map(|(value, count)| (value, f64::from(count) / total));
                let shared = beliefs.add(shares);
                bucket.people.iter().for_each(|&person| beliefs.about(person, shared));
            }
            Some(mut solved) => {
                let shared = beliefs.add(solved.rest);
                for &person in &bucket.people {
                    let own = solved.mentioned.remove(&person).map(|entries| beliefs.add(entries));
                    beliefs.about(person, own.unwrap_or(shared));
                }
            }
        }
    }
    Ok(Posterior { beliefs, worlds, evidence })
}

/// Statements that belong together, and everybody that they mention, by bucket.
struct Component<'a> {
    statements: Vec<&'a Statement>,
    people: Vec<u32>,
}

/// Puts statements that share a bucket together.
fn components<'a>(buckets: &Buckets, knowledge: &'a [Statement]) -> Result<Vec<Component<'a>>, WorldsError> {
    // A conjunction is as good as its parts, one by one.
    let mut single: Vec<(usize, &Statement)> = Vec::new();
    let mut open: Vec<(usize, &Statement)> = knowledge.iter().enumerate().rev().collect();
    while let Some((number, statement)) = open.pop() {
        match statement {
            Statement::And(parts) => open.extend(parts.iter().rev().map(|part| (number, part))),
            _ => single.push((number + 1, statement)),
        }
    }
    // Buckets point towards the root of their component.
    let mut parent: HashMap<usize, usize> = HashMap::new();
    fn root(parent: &mut HashMap<usize, usize>, mut bucket: usize) -> usize {
        while let Some(&next) = parent.get(&bucket).filter(|&&next| next != bucket) {
            let above = parent.get(&next).copied().unwrap_or(next);
            parent.insert(bucket, above);
            bucket = above;
        }
        bucket
    }
    let mut first_of = Vec::with_capacity(single.len());
    for (number, statement) in &single {
        let (mut first, mut stranger) = (None, false);
        statement.people(&mut |person| match buckets.bucket_of(person) {
            None => stranger = true,
            Some(bucket) => {
                parent.entry(bucket).or_insert(bucket);
                let (own, others) = (root(&mut parent, bucket), root(&mut parent, first.unwrap_or(bucket)));
                parent.insert(own, others);
                first.get_or_insert(bucket);
            }
        });
        if stranger {
            return Err(WorldsError::NotInRelease { statement: *number });
        }
        first_of.push(first);
    }
    let mut number_of: HashMap<usize, usize> = HashMap::new();
    let mut parts: Vec<Component<'a>> = Vec::new();
    for ((_, statement), first) in single.into_iter().zip(first_of) {
        let Some(first) = first else {
            // It speaks of nobody: true or false as it stands.
            if statement.holds(&|_| None) == Some(false) {
                return Err(WorldsError::Conflict);
            }
            continue;
        };
        let key = root(&mut parent, first);
        let number = *number_of.entry(key).or_insert_with(|| {
            parts.push(Component { statements: Vec::new(), people: Vec::new() });
            parts.len() - 1
        });
        parts[number].statements.push(statement);
        statement.people(&mut |person| parts[number].people.push(person));
    }
    for part in &mut parts {
        // By bucket and place: people of one bucket are given values one after the other.
        part.people.sort_unstable_by_key(|person| buckets.place.get(person).copied());
        part.people.dedup();
    }
    Ok(parts)
}

/// What is believed about the people of one bucket.
struct Solved {
    mentioned: HashMap<u32, Vec<(u32, f64)>>,
    rest: Vec<(u32, f64)>,
}

/// Goes through the ways to give values to the people of a component.
struct Search<'a> {
    statements: &'a [&'a Statement],
    /// Everybody mentioned whose value is not told outright, and per person the statements that speak of them.
    people: Vec<u32>,
    statements_of: Vec<Vec<u32>>,
    /// Everybody whose value is told.
    facts: Vec<(u32, u32)>,
    /// Per person the position of the bucket in `numbers`.
    bucket_at: Vec<usize>,
    /// The buckets of the component, ascending.
    numbers: Vec<usize>,
    /// Per bucket its values and how many of each are left, and how many people.
    left: Vec<Vec<(u32, u32)>>,
    people_left: Vec<u32>,
    value_of: HashMap<u32, u32>,
    limit: u64,
    /// The logarithm of the chance of the facts, and the ways to give people of the buckets such values with all
    /// values told apart.
    evidence: f64,
    fact_ways: Option<u128>,
    /// The chance of what fits, given the facts, as a sum over partial worlds; and the same as ways.
    weight: f64,
    ways: Option<u128>,
    /// Per person and value of the bucket the chance of what fits and gives it to them.
    own: Vec<Vec<f64>>,
    /// Per bucket and value the expected number left over for the people who are not mentioned.
    over: Vec<Vec<f64>>,
}

impl<'a> Search<'a> {
    fn new(buckets: &Buckets, part: &'a Component<'a>, limit: u64) -> Result<Self, WorldsError> {
        let of = |person: u32| buckets.bucket_of(person).unwrap_or(0); // why: checked by `components`
        let mut numbers: Vec<usize> = part.people.iter().map(|&person| of(person)).collect();
        numbers.dedup();
        let position = |person: u32| {
            let bucket = of(person);
            numbers.partition_point(|&number| number < bucket)
        };
        let mut left: Vec<Vec<(u32, u32)>> =
            numbers.iter().map(|&number| buckets.list[number].counts()).collect();
        let mut people_left: Vec<u32> =
            numbers.iter().map(|&number| buckets.list[number].people.len() as u32).collect();
        let (mut evidence, mut fact_ways) = (0.0, Some(1u128));
        let mut value_of = HashMap::with_capacity(part.people.len());
        let mut facts = Vec::new();
        for statement in &part.statements {
            let &&Statement::Has { person, value } = statement else { continue };
            match value_of.insert(person, value) {
                Some(before) if before != value => return Err(WorldsError::Conflict),
                Some(_) => continue,
                None => {}
            }
            let at = position(person);
            let found = left[at].binary_search_by_key(&value, |&(value, _)| value);
            let count = found.ok().and_then(|which| left[at].get_mut(which)).filter(|(_, count)| *count > 0);
            let (_, count) = count.ok_or(WorldsError::Conflict)?;
            evidence += (f64::from(*count) / f64::from(people_left[at])).ln();
            fact_ways = fact_ways.and_then(|ways| ways.checked_mul((*count).into()));
            *count -= 1;
            people_left[at] -= 1;
            facts.push((person, value));
        }
        let told = |statement: &&&Statement| {
            statement.holds(&|person| value_of.get(&person).copied()) != Some(false)
        };
        if !part.statements.iter().all(|statement| told(&statement)) {
            return Err(WorldsError::Conflict);
        }
        let people: Vec<u32> =
            part.people.iter().copied().filter(|person| !value_of.contains_key(person)).collect();
        let place: HashMap<u32, usize> = people.iter().copied().zip(0..).collect();
        let mut statements_of = vec![Vec::new(); people.len()];
        for (number, statement) in (0u32..).zip(&part.statements) {
            statement.people(&mut |person| {
                if let Some(list) = place.get(&person).and_then(|&at| statements_of.get_mut(at)) {
                    list.push(number);
                }
            });
        }
        statements_of.iter_mut().for_each(|list: &mut Vec<u32>| list.dedup());
        let bucket_at: Vec<usize> = people.iter().map(|&person| position(person)).collect();
        Ok(Self {
            statements: &part.statements,
            own: bucket_at.iter().map(|&at| vec![0.0; left[at].len()]).collect(),
            over: left.iter().map(|values| vec![0.0; values.len()]).collect(),
            people,
            statements_of,
            facts,
            bucket_at,
            numbers,
            left,
            people_left,
            value_of,
            limit,
            evidence,
            fact_ways,
            weight: 0.0,
            ways: Some(0),
        })
    }

    /// Gives values to one person after the other, and takes them back, as long as no statement is contradicted.
    fn run(&mut self, progress: &dyn Progress) -> Result<(), WorldsError> {
        // Per person so far: which value, and the chance and the ways before it was given.
        let mut given: Vec<(usize, f64, Option<u128>)> = Vec::with_capacity(self.people.len());
        let (mut chance, mut ways) = (1.0, Some(1u128));
        let mut next = 0;
        let mut visited = 0u64;
        loop {
            let at = given.len();
            let mut deeper = false;
            if at == self.people.len() {
                self.take(&given, chance, ways);
            } else {
                let (person, bucket) = (self.people[at], self.bucket_at[at]);
                let left = &mut self.left[bucket];
                if let Some(which) = (next..left.len()).find(|&which| left[which].1 > 0) {
                    visited += 1;
                    if visited > self.limit {
                        return Err(WorldsError::TooMany { limit: self.limit });
                    }
                    if visited.is_multiple_of(1 << 14) {
                        progress.check()?;
                        progress.at(visited);
                    }
                    let (value, count) = left[which];
                    self.value_of.insert(person, value);
                    if self.fits(at) {
                        self.left[bucket][which].1 -= 1;
                        given.push((which, chance, ways));
                        chance *= f64::from(count) / f64::from(self.people_left[bucket]);
                        ways = ways.and_then(|ways| ways.checked_mul(count.into()));
                        self.people_left[bucket] -= 1;
                        next = 0;
                    } else {
                        next = which + 1;
                    }
                    deeper = true;
                } else {
                    self.value_of.remove(&person);
                }
            }
            if !deeper {
                let Some((which, chance_before, ways_before)) = given.pop() else { return Ok(()) };
                let bucket = self.bucket_at[given.len()];
                self.left[bucket][which].1 += 1;
                self.people_left[bucket] += 1;
                (chance, ways) = (chance_before, ways_before);
                next = which + 1;
            }
        }
    }

    /// Whether the statements that speak of this person are not contradicted.
    fn fits(&self, at: usize) -> bool {
        let known = |person: u32| self.value_of.get(&person).copied();
        let mut own = self.statements_of[at].iter().map(|&number| self.statements[number as usize]);
        own.all(|statement| statement.holds(&known) != Some(false))
    }

    /// Notes a way to give everybody of the component a value.
    fn take(&mut self, given: &[(usize, f64, Option<u128>)], chance: f64, ways: Option<u128>) {
        self.weight += chance;
        self.ways = self.ways.zip(ways).and_then(|(sum, ways)| sum.checked_add(ways));
        for (own, &(which, ..)) in self.own.iter_mut().zip(given) {
            own[which] += chance;
        }
        for (over, left) in self.over.iter_mut().zip(&self.left) {
            for (over, &(_, count)) in over.iter_mut().zip(left) {
                *over += chance * f64::from(count);
            }
        }
    }

    /// All worlds of the component's buckets, and those that fit: these are to all as the ways that fit are to all
    /// ways to give the mentioned people values with all values told apart.
    fn worlds(&self, buckets: &Buckets) -> Option<(u128, u128)> {
        let (mut all, mut ways) = (1u128, 1u128);
        for (position, &number) in self.numbers.iter().enumerate() {
            let bucket = &buckets.list[number];
            all = all.checked_mul(count_worlds(std::slice::from_ref(bucket)).0?)?;
            let open = self.bucket_at.iter().filter(|&&at| at == position).count();
            let unmentioned = self.people_left[position] as usize - open;
            for people in unmentioned + 1..=bucket.people.len() {
                ways = ways.checked_mul(people as u128)?;
            }
        }
        Some((all, all.checked_mul(self.fact_ways?)?.checked_mul(self.ways?)? / ways))
    }

    fn solve(self, buckets: &Buckets) -> Vec<(usize, Solved)> {
        let Self { people, facts, bucket_at, numbers, left, own, over, weight, .. } = self;
        let mut mentioned: Vec<HashMap<u32, Vec<(u32, f64)>>> = vec![HashMap::new(); numbers.len()];
        for ((&person, &at), own) in people.iter().zip(&bucket_at).zip(&own) {
            let values = left[at].iter().map(|&(value, _)| value);
            mentioned[at].insert(person, values.zip(own.iter().map(|chance| chance / weight)).collect());
        }
        for (person, value) in facts {
            let bucket = buckets.bucket_of(person);
            if let Some(at) = numbers.iter().position(|&number| Some(number) == bucket) {
                mentioned[at].insert(person, vec![(value, 1.0)]);
            }
        }
        let solved = numbers.iter().enumerate().zip(mentioned).map(|((position, &number), mentioned)| {
            let others = (buckets.list[number].people.len() - mentioned.len()).max(1) as f64;
            let values = left[position].iter().map(|&(value, _)| value);
            let rest = values.zip(over[position].iter().map(|over| over / weight / others)).collect();
            (number, Solved { mentioned, rest })
        });
        solved.collect()
    }
}

#[cfg(test)]
mod tests;
