//! Recovery of traces from counts (Xu, Tu, Li, Zhang, Fu and Jin 2017): people rarely jump, so counts at one time, assigned
//! to counts at the next at the least total distance, become traces again.
//!
//! Uses the counts alone. The score counts steps that follow the same person.

use super::assignment::{MOST_ASSIGNED, cheapest_assignment};
use crate::TraceError;
use crate::point::Position;

/// Traces that were recovered: per trace and time which of the positions of that time.
pub type Recovered = Vec<Vec<u32>>;

/// Recovers traces from counts: per time the positions (middles of cells) where somebody is, one for each person. Where the
/// number of people changes, the smallest number is followed.
///
/// # Errors
/// When there are more people than can be assigned.
pub fn recover_traces(times: &[Vec<Position>]) -> Result<Recovered, TraceError> {
    let people = times.iter().map(Vec::len).min().unwrap_or_default();
    let most = times.iter().map(Vec::len).max().unwrap_or_default();
    if most > MOST_ASSIGNED {
        return Err(TraceError::TooLarge {
            what: "the people of a span of time",
            most: MOST_ASSIGNED as u64,
            accepted: "a sample of people",
        });
    }
    let mut traces: Recovered = (0..people as u32).map(|own| vec![own]).collect();
    for pair in times.windows(2) {
        let (before, now) = (&pair[0], &pair[1]);
        let mut costs = Vec::with_capacity(people * now.len());
        for trace in &traces {
            // By night and at work people stay: they are expected where they are.
            let expected = trace.last().map_or(Position::default(), |&own| before[own as usize]);
            // Distances count less the longer they are: people who move, move in one go.
            costs.extend(now.iter().map(|at| (1.0 + expected.distance(*at)).ln()));
        }
        let assigned = cheapest_assignment(&costs, people, now.len());
        // cannot fail: all costs are finite, so every row is assigned
        traces.iter_mut().zip(assigned).for_each(|(trace, own)| trace.push(own.unwrap_or_default()));
    }
    Ok(traces)
}

/// Of all steps of recovered traces how many go from a person to the same person, and how many steps there are. `truth`
/// tells per time whose each position is.
pub fn score_recovery(recovered: &[Vec<u32>], truth: &[Vec<u32>]) -> (u64, u64) {
    let mut score = (0, 0);
    for trace in recovered {
        let persons: Vec<u32> = trace.iter().zip(truth).map(|(&own, now)| now[own as usize]).collect();
        score.0 += persons.windows(2).filter(|pair| pair[0] == pair[1]).count() as u64;
        score.1 += persons.len().saturating_sub(1) as u64;
    }
    score
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{City, city};
    use privet_data::Random;

    #[test]
    fn counts_become_traces_again() {
        let (traces, _) = city(&City { people: 40, step: 1800, ..City::default() }).unwrap();
        let cell = |at: Position| Position {
            x: at.x.div_euclid(50_000) * 50_000,
            y: at.y.div_euclid(50_000) * 50_000,
        };
        let mut random = Random::new(1);
        let (mut times, mut truth) = (Vec::new(), Vec::new());
        for time in 0..48 {
            // What is published: who is where at each time, in an order that tells nothing.
            let mut order: Vec<u32> = (0..40).collect();
            random.shuffle(&mut order);
            times.push(
                order.iter().map(|&own| cell(traces.points(own as usize)[time].at)).collect::<Vec<_>>(),
            );
            truth.push(order);
        }
        let (hits, steps) = score_recovery(&recover_traces(&times).unwrap(), &truth);
        // The control: rows as they stand, which is a random assignment.
        let at_random: Recovered = (0..40).map(|own| vec![own; 48]).collect();
        let (control, _) = score_recovery(&at_random, &truth);
        assert_eq!(steps, 40 * 47);
        assert!(hits > steps / 2 && control < steps / 10, "{hits} {control} {steps}");
        assert!(recover_traces(&[vec![Position::default(); 601]]).is_err());
        assert_eq!(recover_traces(&[]).unwrap(), Vec::<Vec<u32>>::new());
    }
}
