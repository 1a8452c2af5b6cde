//! Forms the classes of a candidate from a finer snapshot.
//!
//! This is the inner loop of every search. A tuple's key is cut into chunks of a few fields; one table
//! per chunk gives what the chunk contributes to the tuple's place at the target, so a tuple costs a few
//! loads, whatever the number of columns. Where the target has few possible combinations, the place is
//! an index into an array; where only the first column is coarsened, neighbours are compared; otherwise it is a packed key
//! that is looked up by hash.

use super::columns::QuasiColumn;
use super::key::{Field, Key, Layout, hash};
use super::narrow::Narrow;
use super::snapshot::{Sensitive, Snapshot};

/// Buffers that are reused from candidate to candidate.
#[derive(Debug, Default)]
pub struct Scratch<const W: usize> {
    // Per place the class that lies there: `stamp + class`, or anything below `stamp` for none, so that
    // nothing has to be cleared between candidates.
    slots: Vec<u32>,
    stamp: u32,
    class_keys: Vec<Key<W>>,
    dense_table: Vec<u32>,
    key_table: Vec<Key<W>>,
    chunks: Vec<Chunk>,
    /// The classes found last.
    pub classes: Classes,
    #[cfg(test)]
    hash_mask: Option<u64>,
}

/// The classes of a candidate, as a grouping of the tuples of a snapshot.
#[derive(Debug, Default)]
pub struct Classes {
    /// Per tuple of the snapshot its class.
    class_of: Vec<u32>,
    rows: Vec<u32>,
    example: Vec<u32>,
    /// Per class the people of the population; empty without a population table.
    pub population: Vec<u32>,
    // Tuples by class: those of class c are members[starts[c]..starts[c + 1]].
    starts: Vec<u32>,
    members: Vec<u32>,
}

impl Classes {
    /// Per class its records.
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// Per class one tuple of the snapshot that belongs to it.
    pub fn example(&self) -> &[u32] {
        &self.example
    }

    /// Forgets all classes and makes room for a snapshot of so many tuples.
    fn open(&mut self, tuples: usize) {
        self.rows.clear();
        self.example.clear();
        self.class_of.resize(tuples, 0);
    }

    /// Lists the tuples of each class.
    pub fn list_members(&mut self) {
        let class_of = &self.class_of;
        self.starts.clear();
        self.starts.resize(self.rows.len() + 2, 0);
        // starts[c + 2] counts class c, then becomes its end while starts[c + 1] runs through it.
        for &class in class_of {
            self.starts[class as usize + 2] += 1;
        }
        for class in 0..self.rows.len() {
            self.starts[class + 2] += self.starts[class + 1];
        }
        self.members.resize(class_of.len(), 0);
        for (tuple, &class) in class_of.iter().enumerate() {
            let place = &mut self.starts[class as usize + 1];
            self.members[*place as usize] = tuple as u32;
            *place += 1;
        }
    }

    /// Makes one histogram per class, class after class: per tuple, `codes` tells where each of its sensitive values counts.
    pub fn count(&self, sensitive: &Sensitive, codes: &[u32], width: usize, counts: &mut Vec<u32>) {
        counts.clear();
        counts.resize(self.rows.len() * width, 0);
        let starts = &sensitive.starts[..];
        match (&sensitive.values, &sensitive.counts) {
            (Narrow::Byte(values), Narrow::Byte(own)) => self.add(starts, values, own, codes, width, counts),
            (Narrow::Byte(values), Narrow::Short(own)) => self.add(starts, values, own, codes, width, counts),
            (Narrow::Byte(values), Narrow::Full(own)) => self.add(starts, values, own, codes, width, counts),
            (Narrow::Short(values), Narrow::Byte(own)) => self.add(starts, values, own, codes, width, counts),
            (Narrow::Short(values), Narrow::Short(own)) => {
                self.add(starts, values, own, codes, width, counts);
            }
            (Narrow::Short(values), Narrow::Full(own)) => self.add(starts, values, own, codes, width, counts),
            (Narrow::Full(values), Narrow::Byte(own)) => self.add(starts, values, own, codes, width, counts),
            (Narrow::Full(values), Narrow::Short(own)) => self.add(starts, values, own, codes, width, counts),
            (Narrow::Full(values), Narrow::Full(own)) => self.add(starts, values, own, codes, width, counts),
        }
    }

    fn add<V: Copy + Into<u32>, C: Copy + Into<u32>>(
        &self,
        starts: &[u32],
        values: &[V],
        own: &[C],
        codes: &[u32],
        width: usize,
        counts: &mut [u32],
    ) {
        for (&class, bounds) in self.class_of.iter().zip(starts.windows(2)) {
            let counts = &mut counts[class as usize * width..(class as usize + 1) * width];
            let list = bounds[0] as usize..bounds[1] as usize;
            for (&value, &count) in values[list.clone()].iter().zip(&own[list]) {
                let value: u32 = value.into();
                counts[codes[value as usize] as usize] += count.into();
            }
        }
    }

    /// The tuples of a class; [`list_members`](Self::list_members) comes first.
    pub fn members(&self, class: usize) -> &[u32] {
        &self.members[self.starts[class] as usize..self.starts[class + 1] as usize]
    }
}

/// Neighbouring fields of one word, looked up together.
#[derive(Debug, Clone, Copy)]
struct Chunk {
    word: usize,
    shift: u32,
    mask: u64,
    // Where its table begins.
    table: usize,
}

// Above so many combinations an array would not stay in the cache.
const MOST_PLACES: u64 = 1 << 22;
// Up to so many it takes little room, whatever the number of classes.
const FEW_PLACES: u64 = 1 << 19;

impl<const W: usize> Scratch<W> {
    /// Groups the tuples of a snapshot at coarser levels. Gives up, and returns false, as soon as there are
    /// more than `most` classes.
    pub fn group(
        &mut self,
        columns: &[QuasiColumn],
        source: &Snapshot<W>,
        levels: &[usize],
        most: usize,
    ) -> bool {
        let places = columns
            .iter()
            .zip(levels)
            .try_fold(1u64, |product, (column, &level)| product.checked_mul(column.size(level) as u64))
            .filter(|&places| places <= MOST_PLACES && places <= 64 * 1024 + 2 * source.len() as u64)
            // Every thread has such an array: it should not be much larger than what is kept in it.
            .filter(|&places| places <= FEW_PLACES || places / 2 <= most as u64);
        self.classes.open(source.len());
        if self.stamp > u32::MAX / 2 || self.stamp == 0 {
            self.slots.fill(0);
            self.stamp = 1;
        }
        let rest_stays = source.sorted && !levels.is_empty() && levels.get(1..) == source.levels.get(1..);
        let whole = match places {
            _ if rest_stays => self.group_by_run(columns, source, levels, most),
            Some(places) => self.group_by_place(columns, source, levels, places as usize, most),
            None => self.group_by_key(columns, source, levels, most),
        };
        let classes = &mut self.classes;
        self.stamp += classes.rows.len() as u32 + 1;
        classes.population.clear();
        if whole && !source.population.is_empty() {
            classes.population.resize(classes.rows.len(), 0);
            for (&class, &people) in classes.class_of.iter().zip(&source.population) {
                classes.population[class as usize] += people;
            }
        }
        whole
    }

    fn group_by_place(
        &mut self,
        columns: &[QuasiColumn],
        source: &Snapshot<W>,
        levels: &[usize],
        places: usize,
        most: usize,
    ) -> bool {
        let mut strides = vec![0u32; columns.len()];
        let mut stride = 1u32;
        // Keys are sorted with the first column in their lowest bits, so neighbours differ there: the first
        // column gets the smallest stride, and neighbours fall near each other.
        for (i, column) in columns.iter().enumerate() {
            strides[i] = stride;
            stride *= column.size(levels[i]) as u32;
        }
        chunk(&mut self.chunks, &mut self.dense_table, columns, source, levels, 0u32, |sum, column, node| {
            *sum += node * strides[column];
        });
        if self.slots.len() < places {
            self.slots.resize(places, 0);
        }
        // The number of chunks is fixed per loop, so that the compiler unrolls the sum.
        match self.chunks[..] {
            [a] => self.place([a], source),
            [a, b] => self.place([a, b], source),
            [a, b, c] => self.place([a, b, c], source),
            [a, b, c, d] => self.place([a, b, c, d], source),
            [a, b, c, d, e] => self.place([a, b, c, d, e], source),
            _ => {
                let chunks = std::mem::take(&mut self.chunks);
                self.place(&chunks, source);
                self.chunks = chunks;
            }
        }
        match &source.rows {
            Narrow::Byte(rows) => self.assign(rows, most),
            Narrow::Short(rows) => self.assign(rows, most),
            Narrow::Full(rows) => self.assign(rows, most),
        }
    }

    /// Puts the place of each tuple where its class will stand. A loop of its own, as [`assign`](Self::assign) is: each
    /// keeps all it needs in registers.
    fn place(&mut self, chunks: impl AsRef<[Chunk]>, source: &Snapshot<W>) {
        let (chunks, table) = (chunks.as_ref(), &self.dense_table[..]);
        for (key, place) in source.keys.iter().zip(&mut self.classes.class_of) {
            let parts = chunks.iter().map(|c| table[c.table + ((key[c.word] >> c.shift) & c.mask) as usize]);
            *place = parts.sum();
        }
    }

    /// Turns places into classes.
    fn assign<R: Copy + Into<u32>>(&mut self, rows: &[R], most: usize) -> bool {
        let Classes { class_of, rows: class_rows, example, .. } = &mut self.classes;
        let (slots, stamp) = (&mut self.slots[..], self.stamp);
        for (tuple, (place, &rows)) in class_of.iter_mut().zip(rows).enumerate() {
            let slot = &mut slots[*place as usize];
            if *slot < stamp {
                if class_rows.len() == most {
                    return false;
                }
                *slot = stamp + class_rows.len() as u32;
                class_rows.push(0);
                example.push(tuple as u32);
            }
            let class = *slot - stamp;
            *place = class;
            class_rows[class as usize] += rows.into();
        }
        true
    }

    /// Groups where only the first column is coarsened: tuples that are alike in all others stand together, and within
    /// such a run a node of the first column is a class.
    fn group_by_run(
        &mut self,
        columns: &[QuasiColumn],
        source: &Snapshot<W>,
        levels: &[usize],
        most: usize,
    ) -> bool {
        let (Some(column), Some(&field)) = (columns.first(), source.layout.fields.first()) else {
            return true;
        };
        let step = column.step(source.levels[0], levels[0]);
        if self.slots.len() < column.size(levels[0]) {
            self.slots.resize(column.size(levels[0]), 0);
        }
        let classes = &mut self.classes;
        let mut run: Option<Key<W>> = None;
        // Classes of earlier runs lie below it.
        let mut begin = self.stamp;
        for (tuple, key) in source.keys.iter().enumerate() {
            let mut others = *key;
            others[field.word] &= !field.mask_in_place();
            if run != Some(others) {
                run = Some(others);
                begin = self.stamp + classes.rows.len() as u32;
            }
            let slot = &mut self.slots[step[field.get(key)] as usize];
            if *slot < begin {
                if classes.rows.len() == most {
                    return false;
                }
                *slot = self.stamp + classes.rows.len() as u32;
                classes.rows.push(0);
                classes.example.push(tuple as u32);
            }
            let class = *slot - self.stamp;
            classes.class_of[tuple] = class;
            classes.rows[class as usize] += source.rows.get(tuple);
        }
        true
    }

    fn group_by_key(
        &mut self,
        columns: &[QuasiColumn],
        source: &Snapshot<W>,
        levels: &[usize],
        most: usize,
    ) -> bool {
        self.chunk_keys(columns, source, levels, &layout_at(columns, levels));
        // Never more classes than tuples, nor one more than allowed.
        let size = (source.len().min(most.saturating_add(1)).max(8) * 2).next_power_of_two();
        if self.slots.len() < size {
            self.slots.resize(size, 0);
        }
        let mask = size - 1;
        self.class_keys.clear();
        #[cfg(test)]
        let hash_mask = self.hash_mask.unwrap_or(u64::MAX);
        #[cfg(not(test))]
        let hash_mask = u64::MAX;
        let classes = &mut self.classes;
        let mut last: Option<(Key<W>, u32)> = None;
        for (tuple, source_key) in source.keys.iter().enumerate() {
            let key = target_key(&self.chunks, &self.key_table, source_key);
            // Keys are sorted: neighbours often fall together.
            if let Some((last_key, class)) = last
                && last_key == key
            {
                classes.class_of[tuple] = class;
                classes.rows[class as usize] += source.rows.get(tuple);
                continue;
            }
            let mut place = (hash(&key) & hash_mask) as usize & mask;
            let class = loop {
                let slot = self.slots[place];
                if slot < self.stamp {
                    if classes.rows.len() == most {
                        return false;
                    }
                    let class = classes.rows.len() as u32;
                    classes.rows.push(0);
                    classes.example.push(tuple as u32);
                    self.slots[place] = self.stamp + class;
                    self.class_keys.push(key);
                    break class;
                }
                if self.class_keys[(slot - self.stamp) as usize] == key {
                    break slot - self.stamp;
                }
                place = (place + 1) & mask;
            };
            classes.class_of[tuple] = class;
            classes.rows[class as usize] += source.rows.get(tuple);
            last = Some((key, class));
        }
        true
    }

    /// About how many classes there would be, without forming them: every key sets one bit of a map, and the
    /// bits left unset tell how many different keys there were (linear counting).
    pub fn estimate(&mut self, columns: &[QuasiColumn], source: &Snapshot<W>, levels: &[usize]) -> usize {
        self.chunk_keys(columns, source, levels, &layout_at(columns, levels));
        let bits = source.len().next_power_of_two().max(64);
        let mut map = vec![0u64; bits / 64];
        for key in &source.keys {
            let bit = hash(&target_key(&self.chunks, &self.key_table, key)) as usize & (bits - 1);
            map[bit / 64] |= 1 << (bit % 64);
        }
        let unset = map.iter().map(|word| word.count_zeros() as usize).sum::<usize>().max(1);
        (bits as f64 * (bits as f64 / unset as f64).ln()) as usize
    }

    /// Makes the tables that turn keys of the source into keys at the target.
    fn chunk_keys(
        &mut self,
        columns: &[QuasiColumn],
        source: &Snapshot<W>,
        levels: &[usize],
        layout: &Layout,
    ) {
        chunk(&mut self.chunks, &mut self.key_table, columns, source, levels, [0; W], |key, column, node| {
            let field = layout.fields[column];
            key[field.word] |= field.put(node);
        });
    }

    /// The snapshot of the classes found last, from the same source and levels.
    pub fn snapshot(
        &mut self,
        columns: &[QuasiColumn],
        source: &Snapshot<W>,
        levels: &[usize],
    ) -> Snapshot<W> {
        let layout = layout_at(columns, levels);
        self.chunk_keys(columns, source, levels, &layout);
        let keys = self
            .classes
            .example()
            .iter()
            .map(|&tuple| target_key(&self.chunks, &self.key_table, &source.keys[tuple as usize]))
            .collect();
        let sensitive = if source.sensitive.is_empty() { Sensitive::default() } else { self.merge(source) };
        Snapshot {
            levels: levels.to_vec(),
            sorted: false,
            layout,
            keys,
            rows: self.classes.rows().into(),
            population: self.classes.population.clone(),
            sensitive,
        }
    }

    /// Merges the sensitive values of the tuples of each class.
    fn merge(&mut self, source: &Snapshot<W>) -> Sensitive {
        self.classes.list_members();
        let domain = source.sensitive.values.iter().max().map_or(0, |v| v as usize + 1);
        let mut counts = vec![0u32; domain];
        let (mut starts, mut merged, mut merged_counts) = (vec![0], Vec::new(), Vec::new());
        for class in 0..self.classes.rows.len() {
            let begin = merged.len();
            for &tuple in self.classes.members(class) {
                for i in source.sensitive.of(tuple as usize) {
                    let value = source.sensitive.values.get(i);
                    if counts[value as usize] == 0 {
                        merged.push(value);
                    }
                    counts[value as usize] += source.sensitive.counts.get(i);
                }
            }
            for &value in &merged[begin..] {
                merged_counts.push(std::mem::take(&mut counts[value as usize]));
            }
            starts.push(merged.len() as u32);
        }
        Sensitive { starts, values: merged[..].into(), counts: merged_counts[..].into() }
    }
}

/// The key at the target of a key of the source.
fn target_key<const W: usize>(chunks: &[Chunk], table: &[Key<W>], source: &Key<W>) -> Key<W> {
    let mut key = [0; W];
    for chunk in chunks {
        let part = &table[chunk.table + ((source[chunk.word] >> chunk.shift) & chunk.mask) as usize];
        for (word, part) in key.iter_mut().zip(part) {
            *word |= part;
        }
    }
    key
}

/// The layout of keys at a node of the lattice.
fn layout_at(columns: &[QuasiColumn], levels: &[usize]) -> Layout {
    Layout::new(columns.iter().zip(levels).map(|(column, &level)| column.size(level)))
}

/// Cuts the fields of a snapshot into chunks and fills a table for each: what every combination of its
/// fields contributes at the target.
fn chunk<const W: usize, T: Copy>(
    chunks: &mut Vec<Chunk>,
    table: &mut Vec<T>,
    columns: &[QuasiColumn],
    source: &Snapshot<W>,
    levels: &[usize],
    zero: T,
    add: impl Fn(&mut T, usize, u32),
) {
    chunks.clear();
    table.clear();
    // A table should cost less to fill than the lookups it saves.
    let most_bits = (source.len() / 8).max(16).ilog2().min(11);
    let fields: Vec<(usize, Field)> =
        source.layout.fields.iter().copied().enumerate().filter(|(_, field)| field.bits > 0).collect();
    let mut rest = &fields[..];
    while let [(_, first), ..] = rest {
        let mut bits = 0;
        let mut count = 0;
        while let Some((_, field)) = rest.get(count) {
            if field.word != first.word || (count > 0 && bits + field.bits > most_bits) {
                break;
            }
            bits += field.bits;
            count += 1;
        }
        let begin = table.len();
        chunks.push(Chunk { word: first.word, shift: first.shift, mask: (1 << bits) - 1, table: begin });
        table.push(zero);
        for (nth, &(column, field)) in rest[..count].iter().enumerate() {
            let step = columns[column].step(source.levels[column], levels[column]);
            let filled = table.len() - begin;
            // The last field of a chunk needs no room for numbers beyond its last node.
            let nodes = if nth + 1 == count { step.len() } else { 1 << field.bits };
            table.resize(begin + filled * nodes, zero);
            // Node 0 comes last: until then the first block still holds the chunk without this field.
            for node in (0..nodes).rev() {
                for i in 0..filled {
                    let mut value = table[begin + i];
                    if let Some(&target) = step.get(node) {
                        add(&mut value, column, target);
                    }
                    table[begin + node * filled + i] = value;
                }
            }
        }
        rest = &rest[count..];
    }
    if chunks.is_empty() {
        // No column has more than one node: every tuple is alike, up to what its nodes contribute.
        table.push(zero);
        chunks.push(Chunk { word: 0, shift: 0, mask: 0, table: 0 });
    }
}

#[cfg(test)]
mod tests {
    use privet_data::{Domain, Hierarchy};
    use proptest::prelude::*;

    use super::super::snapshot::{Records, base_layout};
    use super::*;

    fn column(values: u32, group: u32) -> QuasiColumn {
        let leaves: Vec<Box<str>> = (0..values).map(|v| format!("{v}").into()).collect();
        let level = |width: u32| (0..values).map(|v| format!("{}", v / width).into()).collect();
        let (domain, _) = Domain::canonical(leaves.clone(), |_| false);
        let hierarchy = Hierarchy::new(leaves, vec![level(group), level(values)]).unwrap();
        QuasiColumn::new(&hierarchy.bind(&domain).unwrap(), &vec![true; values as usize])
    }

    proptest! {
        /// Classes by array, by hash, and by a hash of which nearly every key collides are the same, from
        /// the base and from a snapshot between.
        #[test]
        fn every_way_of_grouping_agrees(
            rows in prop::collection::vec((0u32..40, 0u32..9, 0u32..3), 1..200),
            levels in prop_oneof![
                prop::collection::vec(0usize..3, 3),
                // By runs: only the first column is coarsened.
                (0usize..3).prop_map(|level| vec![level, 0, 0]),
            ],
            between in prop::collection::vec(0usize..3, 3),
            bits in 0u32..3,
        ) {
            let columns = [column(40, 7), column(9, 2), column(3, 2)];
            let codes: Vec<Vec<u32>> = vec![
                rows.iter().map(|r| r.0).collect(),
                rows.iter().map(|r| r.1).collect(),
                rows.iter().map(|r| r.2).collect(),
            ];
            let quasi: Vec<&[u32]> = codes.iter().map(|c| &**c).collect();
            let records = Records {
                quasi: &quasi,
                population: &[],
                sensitive: Some(&codes[2]),
                rows: rows.len(),
                weights: None,
            };
            let base: Snapshot<1> = Snapshot::reduce(&columns, &records, &base_layout(&columns, 3));
            let mut scratch = Scratch::<1>::default();
            scratch.group(&columns, &base, &levels, usize::MAX);
            let by_place = (scratch.classes.class_of[..base.len()].to_vec(), scratch.classes.rows().to_vec());

            let mut colliding =
                Scratch::<1> { hash_mask: Some((1 << bits) - 1), stamp: 1, ..Scratch::default() };
            colliding.classes.open(base.len());
            colliding.group_by_key(&columns, &base, &levels, usize::MAX);
            let most = by_place.1.len();
            prop_assert!(scratch.group(&columns, &base, &levels, most));
            prop_assert!(!scratch.group(&columns, &base, &levels, most - 1));
            prop_assert_eq!(&by_place.0[..], &colliding.classes.class_of[..base.len()]);
            prop_assert_eq!(&by_place.1[..], colliding.classes.rows());

            let finer: Vec<usize> = between.iter().zip(&levels).map(|(b, l)| *b.min(l)).collect();
            scratch.group(&columns, &base, &finer, usize::MAX);
            let snapshot = scratch.snapshot(&columns, &base, &finer);
            scratch.group(&columns, &snapshot, &levels, usize::MAX);
            let mut sizes = scratch.classes.rows().to_vec();
            let mut expected = by_place.1;
            sizes.sort_unstable();
            expected.sort_unstable();
            prop_assert_eq!(sizes, expected);
            prop_assert_eq!(snapshot.sensitive.counts.iter().sum::<u32>() as usize, rows.len());
        }
    }
}
