//! One partner for each: pairs of records and people chosen by weight so that nobody has two.
//!
//! Greedy takes the pair with the largest weight first, then the largest that is left; its sum of weights is at least
//! half of the best possible. Optimal finds the largest sum (the Hungarian method, cubic), for small tables. Only pairs
//! with a weight above 0, those likelier among matches than among others, are taken.
//!
//! Among equal weights it is the order of records and people that decides. Where that order may itself tell who is who,
//! as in a release, take [`untied`](super::untied).

use serde::{Deserialize, Serialize};

use super::one_to_one::OneToOne;
use super::{Estimation, LinkageError, Pairs};

/// More records or people than this are not assigned optimally.
pub const MOST_OPTIMAL: usize = 1000;

/// How partners are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Assignment {
    /// The largest weight first; of equal ones that of the first record, then of the first person.
    #[default]
    Greedy,
    /// The largest sum of weights.
    Optimal,
}

/// A record and the person whose it is taken for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Link {
    /// The record.
    pub record: u32,
    /// The person.
    pub person: u32,
    /// The weight of the pair.
    pub weight: f64,
    /// The probability that it is a match, by the model, when nobody has two records and no record is two people's.
    pub probability: f64,
}

/// Assigns partners, by ascending record.
///
/// # Errors
/// When it is to be optimal and there are too many records or people.
pub fn assign(pairs: &Pairs, estimation: &Estimation, how: Assignment) -> Result<Vec<Link>, LinkageError> {
    let weight = |pattern: u32| estimation.weights.get(pattern as usize).copied().unwrap_or(0.0);
    let chances = OneToOne::new(pairs, estimation);
    let within =
        |record: u32, person: u32| (record as usize) < pairs.rows.0 && (person as usize) < pairs.rows.1;
    let mut likely: Vec<Link> = pairs
        .pairs
        .iter()
        .filter(|&&(record, person, pattern)| within(record, person) && weight(pattern) > 0.0)
        .map(|pair| Link {
            record: pair.0,
            person: pair.1,
            weight: weight(pair.2),
            probability: chances.of(pair),
        })
        .collect();
    let mut links = match how {
        Assignment::Greedy => {
            // Stable: pairs are in ascending order.
            likely.sort_by(|a, b| b.weight.total_cmp(&a.weight));
            let (mut records, mut people) = (vec![false; pairs.rows.0], vec![false; pairs.rows.1]);
            likely.retain(|link| {
                let (record, person) =
                    (&mut records[link.record as usize], &mut people[link.person as usize]);
                let free = !*record && !*person;
                (*record, *person) = (*record || free, *person || free);
                free
            });
            likely
        }
        Assignment::Optimal => {
            let larger = pairs.rows.0.max(pairs.rows.1);
            if larger > MOST_OPTIMAL {
                let pairs = pairs.rows.0 as u128 * pairs.rows.1 as u128;
                return Err(LinkageError::TooManyPairs { pairs, most: MOST_OPTIMAL * MOST_OPTIMAL });
            }
            let mut weights = vec![0.0; larger * larger];
            for link in &likely {
                weights[link.record as usize * larger + link.person as usize] = link.weight;
            }
            let partner = largest_sum(&weights, larger);
            likely.retain(|link| partner[link.record as usize] == link.person as usize);
            likely
        }
    };
    links.sort_by_key(|link| link.record);
    Ok(links)
}

/// Per row a column of a square matrix, no column twice, with the largest sum: shortest augmenting paths with
/// potentials. Rows and columns are counted from 1; 0 stands for none.
fn largest_sum(weights: &[f64], size: usize) -> Vec<usize> {
    let cost = |row: usize, column: usize| -weights[(row - 1) * size + column - 1];
    let (mut of_row, mut of_column) = (vec![0.0; size + 1], vec![0.0; size + 1]);
    let mut row_of = vec![0usize; size + 1];
    let mut before = vec![0usize; size + 1];
    for row in 1..=size {
        row_of[0] = row;
        let mut column = 0;
        let mut least = vec![f64::INFINITY; size + 1];
        let mut used = vec![false; size + 1];
        while row_of[column] != 0 {
            used[column] = true;
            let (at, mut delta, mut next) = (row_of[column], f64::INFINITY, 0);
            for other in 1..=size {
                if !used[other] {
                    let reduced = cost(at, other) - of_row[at] - of_column[other];
                    if reduced < least[other] {
                        (least[other], before[other]) = (reduced, column);
                    }
                    if least[other] < delta {
                        (delta, next) = (least[other], other);
                    }
                }
            }
            for other in 0..=size {
                if used[other] {
                    of_row[row_of[other]] += delta;
                    of_column[other] -= delta;
                } else {
                    least[other] -= delta;
                }
            }
            column = next;
        }
        while column != 0 {
            row_of[column] = row_of[before[column]];
            column = before[column];
        }
    }
    let mut partner = vec![0; size];
    (1..=size)
        .filter(|&column| row_of[column] > 0)
        .for_each(|column| partner[row_of[column] - 1] = column - 1);
    partner
}
