//! (c,k)-safety (survey PM-12): every way to ask people about values, one after the other.

use super::{Judged, Reach, TOLERANCE, Worst};
use crate::verify::table::{Histogram, Released};

/// More implications would take too long to go through.
const MOST: u64 = 20;

/// No value of any person is as likely as c, whatever k implications "if this person has this value, then that one has
/// that" an adversary knows. The worst have one consequent C, so the chance is Pr(C) / (Pr(C) + Pr(none)), where
/// `none` is that neither C nor any of the k antecedents holds.
pub(super) fn judge(c: f64, k: u64, column: usize, released: &Released) -> Result<Judged, String> {
    if !(c > 0.0 && c <= 1.0) {
        return Err("c must be above 0 and at most 1".to_owned());
    }
    if k > MOST {
        return Err(format!("k must be at most {MOST}"));
    }
    let atoms = k as usize + 1;
    let histograms = released.histograms(column);
    // Per class, and for each number of atoms about its people, the least chance that none of them holds.
    let none: Vec<Vec<f64>> = histograms.iter().map(|histogram| by_atoms(histogram, atoms)).collect();
    // The same over all classes before a class, and over it and all after it.
    let mut before = vec![unknown(atoms)];
    for own in &none {
        before.push(both(&before[before.len() - 1], own));
    }
    let mut from = vec![unknown(atoms)];
    for own in none.iter().rev() {
        from.push(both(&from[from.len() - 1], own));
    }
    from.reverse();
    let classes = histograms.iter().enumerate().map(|(class, histogram)| {
        let elsewhere = both(&before[class], &from[class + 1]);
        // C itself is about somebody of this class.
        let least = (1..=atoms).map(|here| none[class][here] * elsewhere[atoms - here]).fold(1.0, f64::min);
        let most = histogram.values().copied().max().unwrap_or(0) as f64;
        let frequent = most / histogram.values().sum::<u64>() as f64;
        let breach = frequent / (frequent + least);
        Reach::exactly(breach, breach < c - TOLERANCE)
    });
    Ok(Judged::new(Worst::Largest, classes.collect()))
}

/// The chances where nobody is asked about: that none holds is certain.
fn unknown(atoms: usize) -> Vec<f64> {
    vec![1.0; atoms + 1]
}

/// The chances over the people of two sets of classes, however the atoms are divided.
fn both(some: &[f64], others: &[f64]) -> Vec<f64> {
    let least = |atoms: usize| (0..=atoms).map(|a| some[a] * others[atoms - a]).fold(1.0, f64::min);
    (0..some.len()).map(least).collect()
}

/// The least chances in one class, for 0, 1, … atoms.
fn by_atoms(histogram: &Histogram, atoms: usize) -> Vec<f64> {
    let mut counts: Vec<u64> = histogram.values().copied().collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    (0..=atoms).map(|atoms| ask(&counts, 0, atoms, atoms)).collect()
}

/// The least chance that none holds of so many more atoms, when the next person is number `person` and may be asked
/// about the `most` most frequent values. Whoever was asked before was asked about no fewer, and had none of them.
fn ask(counts: &[u64], person: u64, atoms: usize, most: usize) -> f64 {
    if atoms == 0 {
        return 1.0;
    }
    let people: u64 = counts.iter().sum();
    if person >= people {
        return 1.0;
    }
    let left = people - person;
    let next = (1..=atoms.min(most)).map(|values| {
        let having: u64 = counts.iter().take(values).sum();
        match left.saturating_sub(having) {
            0 => 0.0,
            others => others as f64 / left as f64 * ask(counts, person + 1, atoms - values, values),
        }
    });
    next.fold(1.0, f64::min)
}
