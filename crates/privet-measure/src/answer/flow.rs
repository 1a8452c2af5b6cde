//! How many records can be given a value they accept, when each value is there so often (maximum flow between kinds of
//! records and kinds of values, by augmenting paths).

/// The largest number of records that get a value they accept. `records` and `values` hold how many there are of each
/// kind, `accepts` whether a kind of records accepts a kind of values.
pub(super) fn most_served(records: &[u64], values: &[u64], accepts: impl Fn(usize, usize) -> bool) -> u64 {
    let (mut waiting, mut left) = (records.to_vec(), values.to_vec());
    let width = values.len();
    let mut given = vec![0u64; records.len() * width];
    let mut served = 0;
    // Whoever can be served at once is.
    for (record, waiting) in waiting.iter_mut().enumerate() {
        for (value, left) in left.iter_mut().enumerate() {
            let more = (*waiting).min(*left);
            if more > 0 && accepts(record, value) {
                *waiting -= more;
                *left -= more;
                given[record * width + value] += more;
                served += more;
            }
        }
    }
    // The others, by others giving way.
    for (start, waiting) in waiting.iter_mut().enumerate() {
        while *waiting > 0 {
            let Some(path) = path(start, records.len(), &left, &given, &accepts) else { break };
            // The path takes values at even steps and gives them up at odd ones.
            let mut more = (*waiting).min(path.last().map_or(0, |&(_, value)| left[value]));
            for step in path.windows(2) {
                more = more.min(given[step[1].0 * width + step[0].1]);
            }
            for (at, &(record, value)) in path.iter().enumerate() {
                given[record * width + value] += more;
                if let Some(&(next, _)) = path.get(at + 1) {
                    given[next * width + value] -= more;
                } else {
                    left[value] -= more;
                }
            }
            *waiting -= more;
            served += more;
        }
    }
    served
}

/// A chain of kinds of records, each taking a kind of values from the next, the last one taking what is left.
fn path(
    start: usize,
    records: usize,
    left: &[u64],
    given: &[u64],
    accepts: &impl Fn(usize, usize) -> bool,
) -> Option<Vec<(usize, usize)>> {
    let width = left.len();
    let mut before: Vec<Option<(usize, usize)>> = vec![None; records];
    let mut seen = vec![false; width];
    let mut queue = std::collections::VecDeque::from([start]);
    while let Some(record) = queue.pop_front() {
        for value in 0..width {
            if seen[value] || !accepts(record, value) {
                continue;
            }
            seen[value] = true;
            if left[value] > 0 {
                let mut path = vec![(record, value)];
                let mut own = record;
                while own != start {
                    let step = before[own]?;
                    path.push(step);
                    own = step.0;
                }
                path.reverse();
                return Some(path);
            }
            for other in 0..records {
                if other != start && before[other].is_none() && given[other * width + value] > 0 {
                    before[other] = Some((record, value));
                    queue.push_back(other);
                }
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::most_served;
    use proptest::prelude::*;

    /// By Hall's theorem in its defect form: records minus the worst shortage over all sets of kinds of records.
    fn by_hall(records: &[u64], values: &[u64], accepts: impl Fn(usize, usize) -> bool) -> u64 {
        let total: u64 = records.iter().sum();
        let shortage = |set: u32| {
            let inside = |record: &usize| set >> record & 1 == 1;
            let wanted: u64 = (0..records.len()).filter(inside).map(|r| records[r]).sum();
            let near = |value: &usize| (0..records.len()).any(|r| inside(&r) && accepts(r, *value));
            let there: u64 = (0..values.len()).filter(near).map(|v| values[v]).sum();
            wanted.saturating_sub(there)
        };
        total - (0..1u32 << records.len()).map(shortage).max().unwrap_or(0)
    }

    proptest! {
        #[test]
        fn as_many_as_can_be_are_served(
            records in prop::collection::vec(0..6u64, 0..6),
            values in prop::collection::vec(0..6u64, 0..6),
            edges in any::<u64>(),
        ) {
            let accepts = |r: usize, v: usize| edges >> (r * 6 + v) & 1 == 1;
            prop_assert_eq!(most_served(&records, &values, accepts), by_hall(&records, &values, accepts));
        }
    }
}
