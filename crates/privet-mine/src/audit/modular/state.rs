//! The row space as numbers that can be kept, so that whoever comes later need not eliminate everything again.
//!
//! Reading checks that the numbers have the form of a row space, not that they are that of the questions: whoever keeps them must
//! see to it that nobody changes them.

use super::{Modular, NONE, P, PutOff, Step, UnderWay};

impl Modular {
    /// Whether no question was added.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Does everything that was put off.
    fn settle(&mut self) {
        loop {
            self.catch_up(self.under_way.rows);
            if self.put_off.is_empty() {
                return;
            }
            let block: Vec<PutOff> = std::mem::take(&mut self.put_off);
            self.under_way = UnderWay { block, done: 0, rows: self.rows.len() };
        }
    }

    /// All of it as numbers.
    pub fn frozen(&mut self) -> Vec<u32> {
        self.settle();
        let sizes = [self.people, self.rows.len(), self.steps.len()];
        let mut words: Vec<u32> = sizes.iter().map(|&own| own as u32).collect();
        words.extend(&self.pivots);
        words.extend(&self.free);
        self.nulls.iter().chain(&self.rows).for_each(|own| words.extend(own));
        for (step, query) in self.steps.iter().zip(&self.queries) {
            words.push(step.inverse);
            words.extend(&step.factors);
            words.push(query.len() as u32);
            words.extend(query);
        }
        words
    }

    /// What was frozen; nothing when the numbers are no row space of so many people.
    pub fn thawed(people: usize, words: &[u32]) -> Option<Self> {
        let mut rest = Reader { words };
        let (of_people, rows, steps) = (rest.one()? as usize, rest.one()? as usize, rest.one()? as usize);
        if of_people != people || rows > people || steps > rows {
            return None;
        }
        let (pivots, free) = (rest.people(rows, people)?, rest.people(people - rows, people)?);
        let (mut row_of, mut position) = (vec![NONE; people], vec![NONE; people]);
        (0..).zip(&pivots).for_each(|(row, &person)| row_of[person as usize] = row);
        (0..).zip(&free).for_each(|(at, &person)| position[person as usize] = at);
        // As many as there are people, so none is missing when none is in both or twice.
        if (0..people).any(|person| (row_of[person] == NONE) == (position[person] == NONE)) {
            return None;
        }
        let nulls = [rest.values(people)?, rest.values(people)?];
        let mut own = Self::new(people, 0);
        for _ in 0..rows {
            own.rows.push(rest.values(people - rows)?);
        }
        for row in 0..steps {
            own.steps.push(Step { inverse: rest.values(1)?[0], factors: rest.values(row)? });
            let asked = rest.one()? as usize;
            own.queries.push(rest.people(asked, people)?);
        }
        rest.words.is_empty().then_some(Self { row_of, position, free, pivots, nulls, ..own })
    }
}

struct Reader<'a> {
    words: &'a [u32],
}

impl Reader<'_> {
    fn take(&mut self, count: usize) -> Option<Vec<u32>> {
        let (own, rest) = self.words.split_at_checked(count)?;
        self.words = rest;
        Some(own.to_vec())
    }

    fn one(&mut self) -> Option<u32> {
        self.take(1).map(|own| own[0])
    }

    /// Numbers modulo p.
    fn values(&mut self, count: usize) -> Option<Vec<u32>> {
        self.take(count).filter(|own| own.iter().all(|&value| value < P))
    }

    fn people(&mut self, count: usize, all: usize) -> Option<Vec<u32>> {
        self.take(count).filter(|own| own.iter().all(|&person| (person as usize) < all))
    }
}

#[cfg(test)]
mod tests {
    use privet_data::Random;

    use super::super::super::exact::Effect;
    use super::*;

    /// Frozen at any moment, in the middle of what was put off too: the same decisions follow.
    #[test]
    fn what_was_frozen_decides_the_same() {
        let people = 90;
        let mut random = Random::new(3);
        let (mut whole, mut resumed) = (Modular::new(people, 1), Modular::new(people, 1));
        for asked in 0..120 {
            let mut query: Vec<u32> = (0..9).map(|_| random.below(people) as u32).collect();
            query.sort_unstable();
            query.dedup();
            let (found, again) = (whole.effect(&query), resumed.effect(&query));
            assert_eq!(found.effect, again.effect);
            if let (Effect::Extends, Some(found), Some(again)) =
                (found.effect, found.independent, again.independent)
            {
                whole.add(&query, found);
                resumed.add(&query, again);
            }
            if asked % 7 == 0 {
                resumed = Modular::thawed(people, &resumed.frozen()).unwrap();
            }
        }
        assert!(whole.rows.len() > 50 && whole.rows.len() == resumed.rows.len());
    }

    #[test]
    fn other_numbers_are_refused() {
        let mut own = Modular::new(70, 1);
        let found = own.effect(&[1, 5]).independent.unwrap();
        own.add(&[1, 5], found);
        let words = own.frozen();
        assert!(Modular::thawed(70, &words).is_some() && Modular::thawed(71, &words).is_none());
        assert!(
            Modular::thawed(70, &words[..words.len() - 1]).is_none() && Modular::thawed(70, &[]).is_none()
        );
        for (at, value) in [(0, 71), (1, 71), (2, 2), (3, 70), (4, words[3]), (100, u32::MAX)] {
            let mut wrong = words.clone();
            wrong[at] = value;
            assert!(Modular::thawed(70, &wrong).is_none(), "{at}");
        }
    }
}
