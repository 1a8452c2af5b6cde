//! All ways to share out values among cells, one after the other. People of one cell are not told apart, so that a way says how
//! often each cell gets each value.

/// The ways to share out values among cells.
pub(super) struct Ways {
    sizes: Vec<u32>,
    /// Per value how often it is not shared out yet. In all that is as much as there is room for, so that no step leads nowhere.
    left: Vec<u32>,
    /// Per cell and value how often the cell gets it: one step each.
    given: Vec<u32>,
    /// Per step how often at most, and how many of the cell have none yet.
    steps: Vec<(u32, u32)>,
    begun: bool,
}

impl Ways {
    /// Cells with so many people, and values that occur so often, in all as often as there are people.
    pub fn new(sizes: &[u32], values: &[u32]) -> Self {
        Self {
            sizes: sizes.to_vec(),
            left: values.to_vec(),
            given: Vec::new(),
            steps: Vec::new(),
            begun: false,
        }
    }

    /// The next way, cell by cell how often it gets each value. After the last there is none, and then the first again.
    pub fn advance(&mut self) -> Option<&[u32]> {
        if self.begun && !self.back() {
            self.begun = false;
            return None;
        }
        self.begun = true;
        let width = self.left.len();
        while self.given.len() < self.sizes.len() * width {
            let value = self.given.len() % width;
            let room = match (value, self.steps.last().zip(self.given.last())) {
                (1.., Some((&(_, room), &count))) => room - count,
                _ => self.sizes[self.given.len() / width],
            };
            let others: u32 = self.left[value + 1..].iter().sum();
            let (least, largest) = (room.saturating_sub(others), room.min(self.left[value]));
            self.left[value] -= least;
            self.given.push(least);
            self.steps.push((largest, room));
        }
        Some(&self.given)
    }

    /// Back to the last step that can be taken once more, and takes it.
    fn back(&mut self) -> bool {
        while let (Some(&(largest, _)), Some(count)) = (self.steps.last(), self.given.last_mut()) {
            let value = (self.steps.len() - 1) % self.left.len();
            if *count < largest {
                *count += 1;
                self.left[value] -= 1;
                return true;
            }
            self.left[value] += *count;
            self.given.pop();
            self.steps.pop();
        }
        false
    }

    /// The way that was last given.
    pub fn given(&self) -> &[u32] {
        &self.given
    }

    /// How often it comes about when people are told apart; `None` where that cannot be counted.
    pub fn weight(&self) -> Option<u128> {
        let steps = self.steps.iter().zip(&self.given);
        steps
            .into_iter()
            .try_fold(1u128, |weight, (&(_, room), &count)| weight.checked_mul(choose(room, count)?))
    }
}

/// How many ways there are to choose so many of these; `None` where that cannot be counted.
pub(super) fn choose(of: u32, count: u32) -> Option<u128> {
    let count = count.min(of - count);
    (0..u128::from(count)).try_fold(1u128, |ways, at| {
        // Every product of so many numbers in a row can be divided.
        Some(ways.checked_mul(u128::from(of) - at)? / (at + 1))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_once_and_then_again() {
        // Two of one value and two of another, among cells of three and one: the last person has the one or the other.
        let mut ways = Ways::new(&[3, 1], &[2, 2]);
        for _ in 0..2 {
            let mut all = Vec::new();
            while let Some(given) = ways.advance().map(<[u32]>::to_vec) {
                all.push((given, ways.weight()));
            }
            assert_eq!(all, [(vec![1, 2, 1, 0], Some(3)), (vec![2, 1, 0, 1], Some(3))]);
        }
        let mut nobody = Ways::new(&[], &[]);
        assert_eq!(nobody.advance(), Some(&[][..]));
        assert_eq!((nobody.weight(), nobody.advance()), (Some(1), None));
        assert_eq!((choose(5, 2), choose(4, 4), choose(300, 150)), (Some(10), Some(1), None));
    }
}
