//! Two values change places in all groups that have both: the step from one island of worlds to another.
//!
//! In every group those who have the rarer of the two get the other, and as many who have that, drawn at random, get the rarer
//! one. The way back is drawn with the same chance, so by Metropolis' rule the step is taken with the chance that the new world
//! has against the present one, and the walk stays unbiased.

use super::Walk;

/// Somebody gets another value.
struct Change {
    row: u32,
    /// The present value and the next, numbered among all.
    values: (u32, u32),
    /// The same, by their positions in the group.
    positions: (u32, u32),
}

impl Walk<'_> {
    /// Tries to let two values, drawn at random, change places everywhere.
    pub(super) fn flip(&mut self) {
        let board = self.board;
        let values = board.group_values.iter().max().map_or(0, |&most| most as usize + 1);
        if values < 2 {
            return;
        }
        let s = self.random.below(values);
        let t = self.random.below(values - 1);
        let (s, t) = (s as u32, (t + usize::from(t >= s)) as u32);
        let mut changes: Vec<Change> = Vec::new();
        for (group, range) in board.group_begin.windows(2).enumerate() {
            let own = &board.group_values[board.values_begin[group]..board.values_begin[group + 1]];
            let (Ok(at_s), Ok(at_t)) = (own.binary_search(&s), own.binary_search(&t)) else { continue };
            let with = |at: usize| -> Vec<u32> {
                let rows = (range[0]..range[1]).filter(|&row| self.present[row] as usize == at);
                rows.map(|row| row as u32).collect()
            };
            let mut have = [with(at_s), with(at_t)];
            let both = have[0].len().min(have[1].len());
            for more in have.iter_mut().filter(|own| own.len() > both) {
                self.random.shuffle(more);
                more.truncate(both);
            }
            let (at_s, at_t) = (at_s as u32, at_t as u32);
            let [have_s, have_t] = have;
            let to_t = |row| Change { row, values: (s, t), positions: (at_s, at_t) };
            let to_s = |row| Change { row, values: (t, s), positions: (at_t, at_s) };
            changes.extend(have_s.into_iter().map(to_t));
            changes.extend(have_t.into_iter().map(to_s));
        }
        let gain: f64 =
            changes.iter().map(|change| self.give(change.row, change.values, change.positions.1)).sum();
        if gain < 0.0 && self.random.unit() >= gain.exp() {
            for Change { row, values: (own, next), positions } in &changes {
                self.give(*row, (*next, *own), positions.0);
            }
        }
    }

    /// Gives somebody another value; the logarithm of what the world gains by it.
    fn give(&mut self, row: u32, (own, next): (u32, u32), position: u32) -> f64 {
        let board = self.board;
        let (row, mut gain) = (row as usize, 0.0);
        for &offset in &board.offsets[row * board.columns..(row + 1) * board.columns] {
            let lost = &mut self.counts[(offset + own) as usize];
            *lost -= 1;
            gain -= (f64::from(*lost) + self.prior).ln();
            let got = &mut self.counts[(offset + next) as usize];
            gain += (f64::from(*got) + self.prior).ln();
            *got += 1;
        }
        self.present[row] = position;
        gain
    }
}
