//! What published regions reach, from the regions alone: how many published positions lie in each, and how many have it.

use foldhash::HashMap;

use super::Region;

/// What regions reach.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cloaks {
    /// The fewest published positions whose region lies in a region: the k of AP-15.
    pub inside: u64,
    /// The fewest published positions with the very same region: the k against whoever knows the method.
    pub same: u64,
    /// The fewest different values among positions with the same region.
    pub values: u64,
    /// The smallest area in square metres.
    pub area: f64,
}

/// Judges the regions of one crowd, with one value for each position where values matter. Takes time in proportion to the
/// squared number of different regions.
pub fn judge_cloaks(regions: &[Region], values: &[u32]) -> Cloaks {
    let mut groups: HashMap<Region, (u64, Vec<u32>)> = HashMap::default();
    for (place, region) in regions.iter().enumerate() {
        let own = groups.entry(*region).or_default();
        own.0 += 1;
        if let Some(&value) = values.get(place) {
            own.1.push(value);
        }
    }
    let mut reached = Cloaks { inside: u64::MAX, same: u64::MAX, values: u64::MAX, area: f64::INFINITY };
    for (region, (count, values)) in &mut groups {
        values.sort_unstable();
        values.dedup();
        reached.same = reached.same.min(*count);
        reached.values = reached.values.min(values.len() as u64);
        reached.area = reached.area.min(region.area());
    }
    for region in groups.keys() {
        let inside = groups.iter().filter(|own| region.includes(own.0)).map(|own| own.1.0).sum();
        reached.inside = reached.inside.min(inside);
    }
    if regions.is_empty() {
        return Cloaks { inside: 0, same: 0, values: 0, area: 0.0 };
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::point::Position;

    #[test]
    fn nested_regions_count_for_the_outer() {
        let region = |side| Region { low: Position { x: 0, y: 0 }, high: Position { x: side, y: side } };
        let regions = [region(9), region(9), region(9), region(99)];
        let reached = judge_cloaks(&regions, &[1, 2, 1, 1]);
        assert_eq!((reached.inside, reached.same, reached.values), (3, 1, 1));
        assert!((reached.area - 0.01).abs() < 1e-12);
        assert_eq!(judge_cloaks(&[], &[]).inside, 0);
    }
}
