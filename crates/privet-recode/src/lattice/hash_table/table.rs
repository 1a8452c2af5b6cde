//! The privacy hash table (spec 2.2; extended by sensitive values as in spec 2.5): per tuple of the
//! quasi-identifier its COUNT and its sensitive values.
//!
//! The key is the whole tuple, so tuples whose hashes collide stay apart. A table is formed from the records
//! once; the table of a more general node is formed from that of the node below it.

use foldhash::{HashMap, HashMapExt};

use crate::lattice::problem::Problem;

/// The hash equivalence classes of one node of the lattice.
#[derive(Debug, Clone, PartialEq)]
pub struct PrivacyHashTable {
    levels: Vec<usize>,
    classes: Vec<HashClass>,
}

/// A hash equivalence class: the records that share a tuple.
#[derive(Debug, Clone, PartialEq)]
pub struct HashClass {
    /// Per quasi column the node of the hierarchy's level that the records share.
    pub tuple: Box<[u32]>,
    /// COUNT: its records.
    pub count: u64,
    /// Per sensitive column the codes that occur, ascending, with how many records have each.
    pub sensitive: Vec<Vec<(u32, u32)>>,
}

impl PrivacyHashTable {
    /// Hashes the records of a table by the values as they are. Classes are in the order in which they first
    /// appear.
    pub fn new(problem: &Problem<'_>) -> Self {
        let columns: Vec<(&[u32], &[u32])> = problem
            .quasi
            .iter()
            .map(|quasi| (quasi.codes, &*quasi.generalization.levels[0].node_of_code))
            .collect();
        let mut table = Growing::new(problem.sensitive.len());
        let mut tuple = vec![0; columns.len()];
        for row in 0..problem.rows {
            for (node, (codes, node_of_code)) in tuple.iter_mut().zip(&columns) {
                *node = node_of_code[codes[row] as usize];
            }
            let class = table.class(&tuple);
            class.count += 1;
            for (list, column) in class.sensitive.iter_mut().zip(&problem.sensitive) {
                list.push((column.codes[row], 1));
            }
        }
        table.finish(vec![0; columns.len()])
    }

    /// The table with one column raised by one level, and per class of this table the class of that one. The
    /// table as it is when the column is at its top.
    pub fn generalize(&self, problem: &Problem<'_>, column: usize) -> (Self, Vec<u32>) {
        let mut levels = self.levels.clone();
        let all = &problem.quasi[column].generalization.levels;
        levels[column] = (levels[column] + 1).min(all.len() - 1);
        let (fine, coarse) = (&all[self.levels[column]], &all[levels[column]]);
        let mut up = vec![0; fine.labels.len()];
        for (&from, &to) in fine.node_of_code.iter().zip(&coarse.node_of_code) {
            up[from as usize] = to;
        }
        let mut table = Growing::new(problem.sensitive.len());
        let mut tuple = vec![0; levels.len()];
        let mut parents = Vec::with_capacity(self.classes.len());
        for member in &self.classes {
            tuple.copy_from_slice(&member.tuple);
            tuple[column] = up[tuple[column] as usize];
            let class = table.class(&tuple);
            class.count += member.count;
            for (list, more) in class.sensitive.iter_mut().zip(&member.sensitive) {
                list.extend_from_slice(more);
            }
            parents.push(table.last);
        }
        (table.finish(levels), parents)
    }

    /// The level of each quasi column.
    pub fn levels(&self) -> &[usize] {
        &self.levels
    }

    /// The classes, in the order in which they first appear.
    pub fn classes(&self) -> &[HashClass] {
        &self.classes
    }

    /// The largest k for which the table is k-anonymous: its least COUNT; `None` without records.
    pub fn least_count(&self) -> Option<u64> {
        self.classes.iter().map(|class| class.count).min()
    }
}

/// A table that classes are still added to.
struct Growing {
    numbers: HashMap<Box<[u32]>, u32>,
    classes: Vec<HashClass>,
    sensitive: usize,
    /// The class that was asked for last.
    last: u32,
}

impl Growing {
    fn new(sensitive: usize) -> Self {
        Self { numbers: HashMap::new(), classes: Vec::new(), sensitive, last: 0 }
    }

    fn class(&mut self, tuple: &[u32]) -> &mut HashClass {
        self.last = match self.numbers.get(tuple) {
            Some(&number) => number,
            None => {
                let number = self.classes.len() as u32;
                self.numbers.insert(tuple.into(), number);
                let sensitive = vec![Vec::new(); self.sensitive];
                self.classes.push(HashClass { tuple: tuple.into(), count: 0, sensitive });
                number
            }
        };
        &mut self.classes[self.last as usize]
    }

    fn finish(mut self, levels: Vec<usize>) -> PrivacyHashTable {
        for list in self.classes.iter_mut().flat_map(|class| &mut class.sensitive) {
            list.sort_unstable();
            list.dedup_by(|next, kept| {
                let same = next.0 == kept.0;
                if same {
                    kept.1 += next.1;
                }
                same
            });
        }
        PrivacyHashTable { levels, classes: self.classes }
    }
}
