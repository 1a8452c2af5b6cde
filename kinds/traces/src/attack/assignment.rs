//! The cheapest assignment of rows to different columns (Kuhn 1955, Munkres 1957, in the form of Jonker and Volgenant 1987).

/// The most rows and columns of an assignment: it takes time in proportion to their cube.
pub const MOST_ASSIGNED: usize = 600;

/// Per row its column, so that the sum of costs is least; costs are row by row and may be infinite where a row cannot have a
/// column, then `None` for rows that would have to. There must be at least as many columns as rows.
pub fn cheapest_assignment(costs: &[f64], rows: usize, columns: usize) -> Vec<Option<u32>> {
    debug_assert!(rows <= columns && costs.len() == rows * columns);
    let finite = costs.iter().copied().filter(|own| own.is_finite());
    // More than any finite assignment costs, so that as few rows as possible get what they cannot have.
    let (low, high) = finite.fold((0.0f64, 0.0f64), |(low, high), own| (low.min(own), high.max(own)));
    let never = (high - low + 1.0) * (rows as f64 + 1.0);
    let cost = |row: usize, column: usize| {
        let own = costs[row * columns + column];
        if own.is_finite() { own } else { never }
    };
    // Potentials of rows and columns, and per column its row; position 0 stands for none.
    let (mut u, mut v) = (vec![0.0; rows + 1], vec![0.0; columns + 1]);
    let (mut row_of, mut way) = (vec![0usize; columns + 1], vec![0usize; columns + 1]);
    for row in 1..=rows {
        row_of[0] = row;
        let mut column = 0;
        let mut least = vec![f64::INFINITY; columns + 1];
        let mut used = vec![false; columns + 1];
        loop {
            used[column] = true;
            let own = row_of[column];
            let (mut delta, mut next) = (f64::INFINITY, 0);
            for j in 1..=columns {
                if used[j] {
                    continue;
                }
                let reduced = cost(own - 1, j - 1) - u[own] - v[j];
                if reduced < least[j] {
                    least[j] = reduced;
                    way[j] = column;
                }
                if least[j] < delta {
                    delta = least[j];
                    next = j;
                }
            }
            for j in 0..=columns {
                if used[j] {
                    u[row_of[j]] += delta;
                    v[j] -= delta;
                } else {
                    least[j] -= delta;
                }
            }
            column = next;
            if row_of[column] == 0 {
                break;
            }
        }
        while column != 0 {
            row_of[column] = row_of[way[column]];
            column = way[column];
        }
    }
    let mut assigned = vec![None; rows];
    for column in 1..=columns {
        let row = row_of[column];
        if row > 0 && costs[(row - 1) * columns + column - 1].is_finite() {
            assigned[row - 1] = Some(column as u32 - 1);
        }
    }
    assigned
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn brute(costs: &[f64], row: usize, rows: usize, columns: usize, used: u32) -> f64 {
        if row == rows {
            return 0.0;
        }
        (0..columns)
            .filter(|column| used >> column & 1 == 0)
            .map(|column| {
                costs[row * columns + column] + brute(costs, row + 1, rows, columns, used | 1 << column)
            })
            .fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn what_cannot_be_stays_open() {
        let never = f64::INFINITY;
        assert_eq!(cheapest_assignment(&[1.0, never, 2.0, never], 2, 2), [Some(0), None]);
        assert_eq!(cheapest_assignment(&[1.0, never, 1.0, 100.0], 2, 2), [Some(0), Some(1)]);
        assert!(cheapest_assignment(&[], 0, 0).is_empty());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn is_the_cheapest(costs in prop::collection::vec(-20i32..50, 20), rows in 1usize..5) {
            let columns = 5 - (rows == 4) as usize + (rows == 4) as usize;
            let costs: Vec<f64> = costs[..rows * columns.min(20 / rows)].iter().map(|&own| f64::from(own)).collect();
            let columns = columns.min(20 / rows);
            let assigned = cheapest_assignment(&costs, rows, columns);
            let mut used: Vec<u32> = assigned.iter().flatten().copied().collect();
            used.sort_unstable();
            used.dedup();
            prop_assert_eq!(used.len(), rows);
            let sum: f64 =
                assigned.iter().enumerate().map(|(row, column)| costs[row * columns + column.unwrap() as usize]).sum();
            prop_assert_eq!(sum, brute(&costs, 0, rows, columns, 0));
        }
    }
}
