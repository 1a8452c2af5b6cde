//! Motion prediction and multi-target tracking against changing pseudonyms (survey AP-17, strawman 2, and AP-18): who ends
//! here probably goes on there.
//!
//! Ends of segments are linked to later beginnings that can be reached, by the cheapest global assignment: nobody has two
//! successors, and no beginning two predecessors. Groups of people that could be confused are assigned exactly up to
//! [`MOST_ASSIGNED`](super::MOST_ASSIGNED) people; larger ones from the cheapest link on.

use foldhash::HashMap;

use super::assignment::{MOST_ASSIGNED, cheapest_assignment};
use crate::Traces;
use crate::point::{LARGEST_COORDINATE, Point, Position};
use crate::unlink::{Link, Motion, successors};

/// What following segments came to.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Followed {
    /// Per segment the segment that seems to continue it.
    pub successor: Vec<Option<u32>>,
    /// Per segment how sure the adversary is: the posterior of that successor among all assignments.
    pub confidence: Vec<f64>,
}

/// Where a segment seems to be some time after its end.
fn predicted(points: &[Point], time: i64) -> Position {
    let Some(last) = points.last() else { return Position::default() };
    let Some(before) = points.len().checked_sub(2).map(|own| points[own]) else { return last.at };
    let share = (time - last.time) as f64 / (last.time - before.time).max(1) as f64;
    let lead = |a: i32, b: i32| {
        let most = f64::from(LARGEST_COORDINATE);
        (f64::from(b) + share * (f64::from(b) - f64::from(a))).clamp(-most, most) as i32
    };
    Position { x: lead(before.at.x, last.at.x), y: lead(before.at.y, last.at.y) }
}

/// Links segments to their continuations that begin within `gap` seconds. Takes time in proportion to the reachable pairs,
/// and to the cube of the sizes of groups.
pub fn follow(segments: &Traces, motion: &Motion, gap: i64) -> Followed {
    let count = segments.len();
    let mut begins: Vec<u32> =
        (0..count as u32).filter(|&own| !segments.points(own as usize).is_empty()).collect();
    let begin = |own: u32| segments.points(own as usize)[0];
    begins.sort_by_key(|&own| begin(own).time);
    let mut links = Vec::new();
    for from in 0..count as u32 {
        let points = segments.points(from as usize);
        let Some(last) = points.last() else { continue };
        let first = begins.partition_point(|&own| begin(own).time <= last.time);
        for &to in begins[first..].iter().take_while(|own| begin(**own).time <= last.time + gap) {
            let start = begin(to);
            let ahead = predicted(points, start.time);
            let weight = motion.weight(last.at, ahead, start.at, (start.time - last.time) as f64);
            if weight > 0.0 {
                links.push(Link { from, to, weight });
            }
        }
    }
    assign(&links, count)
}

/// The cheapest global assignment of links, where the cost of a link is −ln of its weight.
fn assign(links: &[Link], count: usize) -> Followed {
    let mut followed = Followed { successor: vec![None; count], confidence: vec![0.0; count] };
    let posterior = successors(links);
    let mut parent: Vec<u32> = (0..2 * count as u32).collect();
    fn root(parent: &mut [u32], mut own: u32) -> u32 {
        while parent[own as usize] != own {
            parent[own as usize] = parent[parent[own as usize] as usize];
            own = parent[own as usize];
        }
        own
    }
    for link in links {
        let (a, b) = (root(&mut parent, link.from), root(&mut parent, count as u32 + link.to));
        parent[a as usize] = b;
    }
    let mut keyed: Vec<(u32, u32)> =
        links.iter().zip(0u32..).map(|(link, place)| (root(&mut parent, link.from), place)).collect();
    keyed.sort_unstable();
    for group in keyed.chunk_by(|a, b| a.0 == b.0) {
        let group: Vec<Link> = group.iter().map(|own| links[own.1 as usize]).collect();
        for (from, to) in of_group(&group) {
            followed.successor[from as usize] = Some(to);
        }
    }
    for (link, &own) in links.iter().zip(&posterior.of) {
        if followed.successor[link.from as usize] == Some(link.to) {
            followed.confidence[link.from as usize] = own;
        }
    }
    followed
}

fn of_group(group: &[Link]) -> Vec<(u32, u32)> {
    let side = |end: &dyn Fn(&Link) -> u32| {
        let mut all: Vec<u32> = group.iter().map(end).collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    let (rows, columns) = (side(&|own| own.from), side(&|own| own.to));
    if rows.len().max(columns.len()) > MOST_ASSIGNED {
        return greedily(group);
    }
    let is_wide = rows.len() <= columns.len();
    let (few, many) = if is_wide { (&rows, &columns) } else { (&columns, &rows) };
    let mut costs = vec![f64::INFINITY; few.len() * many.len()];
    let number = |list: &[u32]| -> HashMap<u32, usize> { list.iter().copied().zip(0..).collect() };
    let (of_few, of_many) = (number(few), number(many));
    for link in group {
        let (a, b) = if is_wide { (link.from, link.to) } else { (link.to, link.from) };
        costs[of_few[&a] * many.len() + of_many[&b]] = -link.weight.ln();
    }
    let assigned = cheapest_assignment(&costs, few.len(), many.len());
    let pairs = assigned.into_iter().enumerate().filter_map(|(row, column)| {
        let (a, b) = (few[row], many[column? as usize]);
        Some(if is_wide { (a, b) } else { (b, a) })
    });
    pairs.collect()
}

fn greedily(group: &[Link]) -> Vec<(u32, u32)> {
    let mut order: Vec<&Link> = group.iter().collect();
    order.sort_by(|a, b| b.weight.total_cmp(&a.weight).then((a.from, a.to).cmp(&(b.from, b.to))));
    let (mut done, mut taken) = (foldhash::HashSet::default(), foldhash::HashSet::default());
    let mut pairs = Vec::new();
    for link in order {
        if !done.contains(&link.from) && !taken.contains(&link.to) {
            done.insert(link.from);
            taken.insert(link.to);
            pairs.push((link.from, link.to));
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Plane;

    /// FX-7.F5: at 08:30 three people are at 1, 2 and 3, at 08:35 at 4, 5 and 6 under new pseudonyms; from 1, where Alice
    /// is, only 4 can be reached in five minutes. So Alice is at 4, although 2 could have come to 4 as well.
    #[test]
    fn alice_is_at_4() {
        let at = |time: i64, x: i32, y: i32| Point::new(time, x * 100, y * 100);
        let before = [at(30_600, 0, 0), at(30_600, 3000, 0), at(30_600, 6000, 0)];
        let after = [at(30_900, 1000, 500), at(30_900, 4000, 500), at(30_900, 5500, -500)];
        let lists: Vec<Vec<Point>> = before.iter().chain(&after).map(|own| vec![*own]).collect();
        let numbered = lists.iter().enumerate().map(|(own, list)| (own as u32, list.as_slice()));
        let segments = Traces::from_lists(Plane::Metres, numbered).unwrap();
        // Ten metres per second: 3,000 metres in five minutes.
        let motion = Motion { top_speed: 10.0, spread: 5.0 };
        let reaches = |from: usize| {
            (3..6).filter(|&to| before[from].at.distance(lists[to][0].at) <= 3000.0).collect::<Vec<_>>()
        };
        assert_eq!(reaches(0), [3], "only 4 can be reached from 1");
        assert!(reaches(1).contains(&3));
        let followed = follow(&segments, &motion, 600);
        assert_eq!(followed.successor[0], Some(3));
        assert_eq!(followed.confidence[0], 1.0);
        let mut others = [followed.successor[1], followed.successor[2]];
        others.sort_unstable();
        assert_eq!(others, [Some(4), Some(5)]);
        assert_eq!(followed.successor[3], None);
    }

    /// The global assignment finds what everybody's nearest would not: two who move in a line.
    #[test]
    fn assignments_are_global() {
        let link = |from, to, weight| Link { from, to, weight };
        let links = [link(0, 2, 0.9), link(0, 3, 0.8), link(1, 2, 0.85), link(1, 3, 0.1)];
        let followed = assign(&links, 4);
        assert_eq!(followed.successor[..2], [Some(3), Some(2)]);
        assert!(followed.confidence[0] > 0.8);
    }
}
