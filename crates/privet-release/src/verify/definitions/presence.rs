//! delta-presence (survey PM-23) and k-map: the records of a class against the people of the population
//! who look like them.

use super::{Judged, Reach, TOLERANCE, Worst};
use crate::verify::population::People;
use crate::verify::table::Released;

/// The chance that a person is in the table, records of the class per person of the class, is from `min` to
/// `max` for every person of the population. Reached is the largest chance.
pub(super) fn delta_presence(min: f64, max: f64, people: &People, released: &Released) -> Judged {
    let classes = released.classes.iter().zip(&people.per_class).map(|(class, &people)| {
        let chance = class.rows as f64 / people as f64;
        Reach::exactly(chance, min - TOLERANCE <= chance && chance <= max + TOLERANCE)
    });
    let mut judged = Judged::new(Worst::Largest, classes.collect());
    if min > TOLERANCE && people.elsewhere > 0 {
        judged.problem = Some(format!(
            "broken: {} people of the population look like no published record, so their chance is 0",
            people.elsewhere
        ));
    }
    judged
}

/// Every class matches at least k people. Reached is the smallest number of people.
pub(super) fn k_map(k: u64, people: &People) -> Judged {
    let classes = people.per_class.iter().map(|&people| Reach::exactly(people as f64, people >= k));
    Judged::new(Worst::Smallest, classes.collect())
}
