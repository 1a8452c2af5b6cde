//! The dimension wall: a table of 14 quasi columns, whose lattice has tens of millions of nodes; and one of 10 columns, whose
//! lattice of 116,640 nodes can be listed.
//!
//! The table is made here, the same in every run: people of some forty kinds, each kind with its usual value in
//! every column, and deviations from it. So the columns depend on each other, as those of real tables do.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Result;

const RECORDS: usize = 30_000;
/// Per column how many values it has, and how wide the intervals of its levels are.
pub const COLUMNS: [(u64, &[u64]); 14] = [
    (90, &[5, 10, 30]),
    (200, &[10, 50, 100]),
    (60, &[3, 6, 30]),
    (40, &[4, 20]),
    (32, &[4, 16]),
    (27, &[3, 9]),
    (16, &[2, 8]),
    (14, &[7]),
    (12, &[4]),
    (9, &[3]),
    (8, &[2]),
    (6, &[2]),
    (5, &[]),
    (2, &[]),
];
/// The same of 10 columns, with 116,640 nodes.
pub const TEN: [(u64, &[u64]); 10] = [
    (90, &[5, 10, 30]),
    (200, &[5, 10, 50, 100]),
    (120, &[2, 6, 30, 60]),
    (27, &[9]),
    (16, &[4]),
    (12, &[4]),
    (9, &[3]),
    (5, &[]),
    (4, &[]),
    (2, &[]),
];
/// Its people.
const OF_TEN: usize = 73_000;
const KINDS: u64 = 40;

/// Writes a table of such columns, `c0` and so on, and so many people.
pub fn people(file: &Path, columns: &[(u64, &[u64])], records: usize) -> Result<()> {
    let mut random = Random(20_101);
    let usual: Vec<Vec<u64>> =
        (0..KINDS).map(|_| columns.iter().map(|(values, _)| random.below(*values)).collect()).collect();
    let head: Vec<String> = (0..columns.len()).map(|column| format!("c{column}")).collect();
    let mut table = head.join(";") + "\n";
    for _ in 0..records {
        // Few kinds are common.
        let kind = random.below(KINDS).min(random.below(KINDS)).min(random.below(KINDS)) as usize;
        for (column, (values, _)) in columns.iter().enumerate() {
            let value = match random.below(10) {
                0..7 => usual[kind][column],
                7 | 8 => (usual[kind][column] + random.below(values / 8 + 2)) % values,
                _ => random.below(*values).min(random.below(*values)),
            };
            let end = if column + 1 == columns.len() { '\n' } else { ';' };
            write!(table, "{value}{end}")?;
        }
    }
    std::fs::write(file, table)?;
    Ok(())
}

/// Writes the table and a job for it; returns the job file.
pub fn write(folder: &Path, release: &Path) -> Result<PathBuf> {
    job(folder, "wall", &COLUMNS, RECORDS, release)
}

/// The same of the table of 10 columns.
pub fn write_ten(folder: &Path, release: &Path) -> Result<PathBuf> {
    job(folder, "ten", &TEN, OF_TEN, release)
}

fn job(
    folder: &Path,
    name: &str,
    columns: &[(u64, &[u64])],
    records: usize,
    release: &Path,
) -> Result<PathBuf> {
    people(&folder.join(format!("{name}.csv")), columns, records)?;
    let mut job = format!("[input]\npath = \"{name}.csv\"\n");
    for (column, (_, widths)) in columns.iter().enumerate() {
        writeln!(job, "[columns.c{column}]\nrole = \"quasi\"")?;
        if !widths.is_empty() {
            writeln!(job, "hierarchy = {{ intervals = {widths:?}, min = 0 }}")?;
        }
    }
    let release = serde_json::Value::from(release.to_string_lossy());
    write!(
        job,
        "[privacy]\nk-anonymity = 5\n[search]\nsuppress-at-most = 0.02\n[output]\nfolder = {release}\n"
    )?;
    let file = folder.join(format!("{name}.toml"));
    std::fs::write(&file, job)?;
    Ok(file)
}

/// A small generator (splitmix64): the same numbers everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((u128::from(mixed ^ (mixed >> 31)) * u128::from(end)) >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lattice_has_tens_of_millions_of_nodes() {
        let nodes: u64 = COLUMNS.iter().map(|(_, widths)| widths.len() as u64 + 2).product();
        assert!((20_000_000..60_000_000).contains(&nodes), "{nodes}");
        assert_eq!(TEN.iter().map(|(_, widths)| widths.len() as u64 + 2).product::<u64>(), 116_640);
    }
}
