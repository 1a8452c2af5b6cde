use super::*;
use proptest::prelude::*;

/// A table of rows and columns of which the sums are known, and some inner cells.
fn joint(cells: &[u64], width: usize, shown: &[bool]) -> Joint {
    let height = cells.len() / width;
    let mut sums = Vec::new();
    for row in 0..height {
        let own: Vec<usize> = (0..width).map(|column| row * width + column).collect();
        sums.push((own.clone(), own.iter().map(|&cell| cells[cell]).sum()));
    }
    for column in 0..width {
        let own: Vec<usize> = (0..height).map(|row| row * width + column).collect();
        sums.push((own.clone(), own.iter().map(|&cell| cells[cell]).sum()));
    }
    let known = cells
        .iter()
        .zip(shown)
        .map(|(&count, &shown)| if shown { Known::Count(count) } else { Known::Hidden })
        .collect();
    Joint { columns: vec![0], labels: (0..cells.len() as u32).collect(), known, sums, ..Joint::default() }
}

/// Every table of counts with the same sums and the same known cells.
fn tables(joint: &Joint, cell: usize, so_far: &mut Vec<u64>, all: &mut Vec<Vec<u64>>) {
    let left = |cells: &[usize], total: u64| {
        let used: u64 = cells.iter().filter_map(|&other| so_far.get(other)).sum();
        (cells.iter().all(|&other| other < so_far.len()), total.checked_sub(used))
    };
    for (cells, total) in &joint.sums {
        match left(cells, *total) {
            (_, None) => return,
            (true, Some(rest)) if rest > 0 => return,
            _ => {}
        }
    }
    if cell == joint.cells() {
        all.push(so_far.clone());
        return;
    }
    let most = joint.sums.iter().filter(|(cells, _)| cells.contains(&cell)).map(|own| own.1).min().unwrap();
    let choices = match joint.known[cell] {
        Known::Count(count) => count..=count,
        Known::Hidden => 0..=most,
    };
    for count in choices {
        so_far.push(count);
        tables(joint, cell + 1, so_far, all);
        so_far.pop();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]
    /// No table of counts with the published sums is outside, by as little as the last bit; and bounds are not idle: a
    /// transport problem has whole optima, so some table reaches them but for rounding.
    #[test]
    fn bounds_are_hard_and_reached(
        cells in prop::collection::vec(0u64..4, 6),
        shown in prop::collection::vec(prop::bool::weighted(0.25), 6),
        tenths in prop::collection::vec(-50i32..50, 6),
        whole in any::<bool>(),
        width in 2usize..4,
    ) {
        let joint = joint(&cells, width, &shown);
        let weights: Vec<f64> =
            tenths.iter().map(|&own| if whole { f64::from(own) } else { f64::from(own) * 0.1 }).collect();
        let (low, high) = joint.bounds(&weights, &weights, true).unwrap();
        let (low, high) = (low.unwrap(), high.unwrap());
        let mut all = Vec::new();
        tables(&joint, 0, &mut Vec::new(), &mut all);
        prop_assert!(all.contains(&cells));
        let sums: Vec<f64> =
            all.iter().map(|own| own.iter().zip(&weights).map(|(&count, weight)| count as f64 * weight).sum()).collect();
        let (least, most) = sums.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), &own| (a.min(own), b.max(own)));
        prop_assert!(low <= least && most <= high, "{low} {least} {most} {high}");
        prop_assert!(least - low < 1e-9 && high - most < 1e-9, "{low} {least} {most} {high}");
        if whole {
            prop_assert_eq!((low, high), (least, most));
        }
    }
}

/// Prices that are wrong still give a bound: with large counts and small weights the solver's tolerance would show.
#[test]
fn large_counts_and_small_weights() {
    let cells = [900_000_007, 3, 5, 800_000_011, 7, 600_000_001];
    let joint = joint(&cells, 3, &[false; 6]);
    let weights = [1e-7, 0.3, 1e3, 0.1, 1e-9, 7.0];
    let truth: f64 = cells.iter().zip(weights).map(|(&count, weight)| count as f64 * weight).sum();
    let (low, high) = joint.bounds(&weights, &weights, true).unwrap();
    assert!(low.unwrap() <= truth && truth <= high.unwrap(), "{low:?} {truth} {high:?}");
}

#[test]
fn nothing_hidden_and_weights_that_are_none() {
    let all = joint(&[1, 2, 3, 4], 2, &[true; 4]);
    assert_eq!(all.bounds(&[0.5; 4], &[1.0; 4], true).unwrap().1, Some(10.0));
    let low = all.bounds(&[0.5; 4], &[1.0; 4], true).unwrap().0.unwrap();
    assert!(low <= 5.0 && low > 5.0 - 1e-12);
    assert_eq!(all.bounds(&[f64::NAN; 4], &[f64::INFINITY; 4], true).unwrap(), (None, None));
    let none = Joint::default();
    assert_eq!(none.bounds(&[], &[], true).unwrap(), (Some(0.0), Some(0.0)));
}
