//! (c,k)-safety (survey PM-12, Def 2.3; Martin, Kifer, Machanavajjhala, Gehrke and Halpern's worst-case background
//! knowledge), for every table exactly.
//!
//! The adversary knows k implications "if these people have these values, then those have those" and takes all worlds
//! that fit the classes and the implications for equally likely. The table is safe when no person has any value with a
//! chance of c or more, whatever the implications.
//!
//! # The worst knowledge
//! It is k implications A ⇒ C of one atom each ("this person has this value") with C the atom in question. For let K
//! be any k implications, and A_i one atom of each antecedent. Where C holds, all A_i ⇒ C do; where it does not, and
//! they do, every A_i is false, so every antecedent of K is, so K holds. Hence K with its implications replaced by
//! A_i ⇒ C keeps every world with C and loses none but worlds without it. Nothing was said of consequents: it does
//! not matter whether they are joined with "and" (as the survey prints, ERR-6) or "or" (as Martin et al. have it).
//! So the chance is Pr(C) / (Pr(C) + Pr(no atom of C, A_1, …, A_k holds)), at its largest over sets of k + 1 atoms.
//!
//! # One class
//! With m of the atoms in a class of n records, the chance that none holds is least when person i is asked about the k_i
//! most frequent values, for some k_0 ≥ k_1 ≥ … that sum to m: Π_i max(0, n - i - S(k_i)) / (n - i), where S(j) sums
//! the j largest counts. So n and the k + 1 largest counts are all that matters of a class; it tells the least chance
//! for each m ≤ k + 1, and how frequent its most frequent value is. That value is asked for first, so it is C.
//!
//! # All classes
//! Classes are independent, so chances multiply. C lies in one class; the other atoms go to it or to at most k others.
//! Of the classes that are given m atoms only the k + 1 in which none is least likely to hold matter: were another
//! used, one of these would be free to take its place, and be no worse. What remains is a knapsack of at most k(k + 1)
//! classes. One look at each class: O(classes · k) and O(k⁴) once.
//!
//! # What it guarantees
//! - What a class reaches is the exact maximum for its own people; tests compare it with all worlds and all knowledge.
//!   A chance within 1e-12 of c counts as reaching it.
//! - It is not bucket-independent (survey TH-09), so classes are judged together.
//! - Merging classes never makes anything likelier, so it is *closed* for tables. For give the people that the
//!   knowledge K is about records of the merged class at random. Each then has one that came from the first part or
//!   one that came from the second, and given which, all is as if those people were in those parts. So the chances of C ∧ K
//!   and of K are means over such placements, with the same weights, and their quotient is at most the largest
//!   quotient of a placement: somebody in the parts is at least as exposed.
//! - For classes that are judged *alone* that is not so from k = 3 on: two may be safe and their union not (a test has
//!   such a pair; the survey's Def 4.3 is about tables).

mod criterion;
#[cfg(test)]
mod tests;

pub(crate) use criterion::CKSafety;

use crate::Summaries;

/// Per class, given as how often each of its values occurs, the largest chance with which whoever knows `k` implications about anybody
/// can believe any value of one of its people; 0 for a class without records.
///
/// ```
/// // A class in which everybody has one value gives others away: "if they have it, then so has this person" (survey PM-12).
/// let classes = [vec![4], vec![2, 1, 1]];
/// let classes = classes.iter().map(|counts| counts.iter().copied());
/// assert_eq!(privet_criteria::ck_chances(classes, 1), [1.0, 1.0]);
/// ```
pub fn ck_chances(classes: impl Iterator<Item = impl Iterator<Item = u32>>, k: u32) -> Vec<f64> {
    let knowledge = Knowledge { atoms: k as usize + 1 };
    let mut room = vec![0.0; knowledge.room()];
    let mut told = Summaries::default();
    for counts in classes {
        knowledge.summarize(counts, &mut room);
        told.push(&room[..knowledge.told()]);
    }
    knowledge.together(&told)
}

/// The arithmetic for one k.
#[derive(Debug, Clone, Copy)]
struct Knowledge {
    /// The atoms that are asked about: k, and the one in question.
    atoms: usize,
}

impl Knowledge {
    /// How many numbers a class tells.
    fn told(&self) -> usize {
        self.atoms + 1
    }

    /// How much room [`summarize`](Self::summarize) needs.
    fn room(&self) -> usize {
        self.told() * (self.told() + 2)
    }

    /// Writes to the beginning of the room what a class tells: the chance of its most frequent value, then for 1, 2, …,
    /// k + 1 atoms the least chance that none of them holds, which never grows. A class without records tells that
    /// nothing can be known.
    fn summarize(&self, counts: impl Iterator<Item = u32>, room: &mut [f64]) {
        let (atoms, width) = (self.atoms, self.told());
        room.fill(0.0);
        // The answer, the sums S(0), S(1), … and the chances by people and atoms.
        let (answer, room) = room.split_at_mut(width);
        let (sums, chances) = room.split_at_mut(width);
        let mut rows = 0.0;
        for count in counts.map(f64::from) {
            rows += count;
            let mut place = atoms;
            while place > 0 && sums[place] < count {
                if place < atoms {
                    sums[place + 1] = sums[place];
                }
                place -= 1;
            }
            if place < atoms {
                sums[place + 1] = count;
            }
        }
        answer[1..].fill(1.0);
        if rows == 0.0 {
            return;
        }
        answer[0] = sums[1] / rows;
        for j in 1..=atoms {
            sums[j] += sums[j - 1];
        }
        // People in the order of how many values they are asked about, from the most. Per number of people so far and
        // atoms used: the least chance that none of these atoms holds; infinite where there is no such choice.
        chances.fill(f64::INFINITY);
        chances[0] = 1.0;
        for values in (1..=atoms).rev() {
            for person in 0..atoms / values {
                let left = rows - person as f64;
                if left <= 0.0 {
                    break;
                }
                let none = (left - sums[values]).max(0.0) / left;
                for used in person * values..=atoms - values {
                    // Infinity times 0 is NaN, which is less than nothing.
                    let chance = chances[person * width + used] * none;
                    let next = &mut chances[(person + 1) * width + used + values];
                    if chance < *next {
                        *next = chance;
                    }
                }
            }
        }
        for (used, least) in answer.iter_mut().enumerate().skip(1) {
            *least = (1..width).map(|people| chances[people * width + used]).fold(1.0, f64::min);
        }
    }

    /// What a class reaches by itself.
    fn alone(&self, told: &[f64]) -> f64 {
        breach(told[0], told[self.atoms])
    }

    /// What each class reaches among the others.
    fn together(&self, classes: &Summaries) -> Vec<f64> {
        let atoms = self.atoms;
        let chosen = self.choose(classes);
        // Per place in the list the least chance over the classes before it, and over those from it on, by atoms.
        let mut before = vec![vec![1.0; atoms]];
        for &class in &chosen {
            let next = combine(before.last().map_or(&[][..], |all| all), classes.of(class as usize));
            before.push(next);
        }
        let mut after = vec![vec![1.0; atoms]; chosen.len() + 1];
        for place in (0..chosen.len()).rev() {
            after[place] = combine(&after[place + 1], classes.of(chosen[place] as usize));
        }
        let reached = |(class, told): (usize, &[f64])| {
            // C is one atom of the class itself; up to k go elsewhere.
            let least = match chosen.binary_search(&(class as u32)) {
                Err(_) => (0..atoms)
                    .map(|elsewhere| after[0][elsewhere] * told[atoms - elsewhere])
                    .fold(1.0, f64::min),
                Ok(place) => {
                    let (before, after) = (&before[place], &after[place + 1]);
                    let others = |elsewhere: usize| {
                        (0..=elsewhere).map(|a| before[a] * after[elsewhere - a]).fold(1.0, f64::min)
                    };
                    (0..atoms)
                        .map(|elsewhere| others(elsewhere) * told[atoms - elsewhere])
                        .fold(1.0, f64::min)
                }
            };
            breach(told[0], least)
        };
        classes.iter().enumerate().map(reached).collect()
    }

    /// Per class the classes that the worst knowledge about its people asks about, itself among them.
    fn exposing(&self, classes: &Summaries, exposed: impl Iterator<Item = usize>) -> Vec<Vec<u32>> {
        let chosen = self.choose(classes);
        exposed.map(|class| self.exposing_one(classes, &chosen, class as u32)).collect()
    }

    fn exposing_one(&self, classes: &Summaries, chosen: &[u32], class: u32) -> Vec<u32> {
        let atoms = self.atoms;
        let others: Vec<u32> = chosen.iter().copied().filter(|&other| other != class).collect();
        // By atoms, the least chance over the classes so far, and per class how many atoms go to it for that.
        let mut least = vec![1.0; atoms];
        let mut taken = Vec::with_capacity(others.len());
        for &other in &others {
            let told = classes.of(other as usize);
            let best =
                |all: usize| {
                    let with =
                        |here: usize| if here == 0 { least[all] } else { least[all - here] * told[here] };
                    (1..=all).fold((least[all], 0), |best, here| {
                        if with(here) < best.0 { (with(here), here) } else { best }
                    })
                };
            let next: Vec<(f64, usize)> = (0..atoms).map(best).collect();
            least = next.iter().map(|(chance, _)| *chance).collect();
            taken.push(next);
        }
        let told = classes.of(class as usize);
        let mut elsewhere = 0;
        for more in 1..atoms {
            if least[more] * told[atoms - more] < least[elsewhere] * told[atoms - elsewhere] {
                elsewhere = more;
            }
        }
        let mut all = vec![class];
        for (&other, taken) in others.iter().zip(&taken).rev() {
            let here = taken[elsewhere].1;
            if here > 0 {
                all.push(other);
                elsewhere -= here;
            }
        }
        all
    }

    /// The classes that atoms of others may go to, ascending: for each number of atoms up to k the k + 1 classes in
    /// which none is least likely to hold.
    fn choose(&self, classes: &Summaries) -> Vec<u32> {
        let mut best: Vec<Vec<(f64, u32)>> = vec![Vec::with_capacity(self.atoms + 1); self.atoms - 1];
        for (class, told) in (0u32..).zip(classes.iter()) {
            for (best, &least) in best.iter_mut().zip(&told[1..]) {
                if best.len() < self.atoms || best.last().is_some_and(|&(last, _)| least < last) {
                    let place = best.partition_point(|&(other, _)| other <= least);
                    best.insert(place, (least, class));
                    best.truncate(self.atoms);
                }
            }
        }
        let mut chosen: Vec<u32> = best.into_iter().flatten().map(|(_, class)| class).collect();
        chosen.sort_unstable();
        chosen.dedup();
        chosen
    }
}

/// The chance of C where it has this chance by itself, and none of the atoms holds with that one.
fn breach(chance: f64, none: f64) -> f64 {
    if chance > 0.0 { chance / (chance + none) } else { 0.0 }
}

/// One more class to which atoms may go: by atoms, the least chance over all classes so far.
fn combine(so_far: &[f64], told: &[f64]) -> Vec<f64> {
    let here = |atoms: usize| if atoms == 0 { 1.0 } else { told[atoms] };
    let least = |all: usize| (0..=all).map(|a| so_far[all - a] * here(a)).fold(1.0, f64::min);
    (0..so_far.len()).map(least).collect()
}
