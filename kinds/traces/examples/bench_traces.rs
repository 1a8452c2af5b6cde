//! How long the methods take, and how that grows: `cargo run --release -p privet-traces --example bench_traces`.
//!
//! Never Walk Alone on 5,000 traces with 1,000,000 points and on halves and doubles of it; cloaking of 100,000 positions and
//! more by each method, each beside sorting the same positions, which is the floor; and a cloaking service under load. One JSON object
//! per line; `limit` is what the seconds may be.

use std::io::Write;
use std::time::Instant;

use privet_data::{Random, Silent};
use privet_traces::generate::{City, city};
use privet_traces::{
    Cloaked, Crowd, Descent, NeverWalkAlone, PlanarLaplace, Position, Pyramid, PyramidProfile, Threat,
    TraceError, WaitForMe, hilbert_buckets, judge_k_delta, never_walk_alone, quadtree, wait_for_me,
};

/// Seconds for 5,000 traces with a million points.
const WALKING_LIMIT: f64 = 60.0;
/// Positions per second.
const LEAST_RATE: f64 = 100_000.0;
/// People in a region.
const K: u32 = 20;

fn timed<T>(run: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let made = run();
    (made, start.elapsed().as_secs_f64())
}

fn row(
    what: &str,
    size: usize,
    seconds: f64,
    limit: Option<f64>,
    floor: Option<f64>,
    right: bool,
    note: &str,
) {
    let row = serde_json::json!({
        "what": what, "size": size, "seconds": seconds, "limit": limit, "floor": floor, "right": right, "note": note,
    });
    // A reader that is gone wants no more rows.
    let _ = writeln!(std::io::stdout(), "{row}");
}

fn walking() -> Result<(), TraceError> {
    for people in [1250, 2500, 5000, 10_000] {
        let step = 432;
        let (traces, _) = city(&City { people, step, side: 20_000.0, ..City::default() })?;
        let options = NeverWalkAlone { k: 5, delta: 500.0, step, period: step, ..NeverWalkAlone::default() };
        let (done, seconds) = timed(|| never_walk_alone(&traces, &options, &Silent));
        let done = done?;
        let is_large = people == 5000;
        let right = judge_k_delta(&done.traces, &done.groups, 50_000)?.holds(5)
            && (!is_large || traces.all_points().len() >= 1_000_000);
        let note = format!(
            "{} points, {} traces suppressed, mean move {:.0} m",
            traces.all_points().len(),
            done.changes.suppressed,
            done.changes.mean_move
        );
        let limit = is_large.then_some(WALKING_LIMIT);
        row("Never Walk Alone, traces", people, seconds, limit, None, right, &note);
    }
    for people in [250, 500, 1000] {
        let (traces, _) = city(&City { people, step: 900, side: 20_000.0, ..City::default() })?;
        let options = WaitForMe { time: 1800, space: 1000.0, ..WaitForMe::default() };
        let (done, seconds) = timed(|| wait_for_me(&traces, &options, &Silent));
        let note = format!("mean move {:.0} m", done?.changes.mean_move);
        row("Wait-for-Me, traces", people, seconds, None, None, true, &note);
    }
    Ok(())
}

fn crowd(people: usize) -> (Vec<Position>, Vec<u32>) {
    let mut random = Random::new(people as u64);
    let centres: Vec<(f64, f64)> = (0..20).map(|_| (random.unit() * 4e6, random.unit() * 4e6)).collect();
    let positions = (0..people)
        .map(|_| {
            let centre = centres[random.below(20)];
            let mut off = || (0..4).map(|_| random.unit() - 0.5).sum::<f64>() * 5e5;
            Position { x: (centre.0 + off()) as i32, y: (centre.1 + off()) as i32 }
        })
        .collect();
    (positions, (0..people).map(|_| random.below(50) as u32).collect())
}

/// Whether each region holds its person, and those with one region are enough where they count.
fn is_right(done: &Cloaked, positions: &[Position], is_reciprocal: bool) -> bool {
    let mut alike = vec![0u32; done.regions.len()];
    done.of.iter().for_each(|&own| alike[own as usize] += 1);
    let holds = |(person, at): (usize, &Position)| done.region(person).contains(*at);
    positions.iter().enumerate().all(holds)
        && (!is_reciprocal || alike.iter().all(|&own| own == 0 || own >= K))
}

fn cloaking() -> Result<(), TraceError> {
    for people in [100_000, 200_000, 400_000] {
        let (positions, values) = crowd(people);
        let crowd = Crowd { positions: &positions, values: &values };
        let (_, floor) = timed(|| {
            let mut sorted = positions.clone();
            sorted.sort_unstable();
            sorted
        });
        let identity = Threat::Identity { k: K };
        let linked = Threat::QueryLink { k: K, l: 5 };
        let location = Threat::Location { k: K, area: 1e5 };
        type Method<'a> = Box<dyn Fn() -> Result<Cloaked, TraceError> + 'a>;
        let methods: [(&str, bool, Method<'_>); 5] = [
            ("quadtree, identity", true, Box::new(|| quadtree(crowd, &identity, Descent::Reciprocal))),
            ("quadtree as published", false, Box::new(|| quadtree(crowd, &identity, Descent::Nearest))),
            ("quadtree, l-diverse", true, Box::new(|| quadtree(crowd, &linked, Descent::Reciprocal))),
            ("quadtree, least area", true, Box::new(|| quadtree(crowd, &location, Descent::Reciprocal))),
            ("Hilbert runs", true, Box::new(|| hilbert_buckets(crowd, &identity))),
        ];
        for (name, is_reciprocal, method) in methods {
            let (done, seconds) = timed(method);
            let done = done?;
            let right = is_right(&done, &positions, is_reciprocal);
            let note = format!("{:.0}/s, {} regions", people as f64 / seconds, done.regions.len());
            let limit = Some(people as f64 / LEAST_RATE);
            row(&format!("cloaking, {name}"), people, seconds, limit, Some(floor), right, &note);
        }
    }
    Ok(())
}

fn service() -> Result<(), TraceError> {
    const PEOPLE: usize = 100_000;
    let (positions, values) = crowd(PEOPLE);
    let mut service = Pyramid::new(Position { x: -2_000_000, y: -2_000_000 }, 80_000.0, 10)?;
    let limit = Some(PEOPLE as f64 / LEAST_RATE);
    let (placed, seconds) = timed(|| {
        (0u64..)
            .zip(positions.iter().zip(&values))
            .try_for_each(|(own, (&at, &value))| service.place(own, at, value))
    });
    placed?;
    row("cloaking service, register", PEOPLE, seconds, limit, None, service.len() == PEOPLE, "");
    let profile = PyramidProfile { k: K, l: 5, area: 1e4 };
    let (moved, seconds) = timed(|| {
        let mut random = Random::new(1);
        let (mut answered, mut right) = (0usize, true);
        for _ in 0..PEOPLE {
            let person = random.below(PEOPLE);
            let to = positions[random.below(PEOPLE)];
            service.place(person as u64, to, values[person])?;
            if let Some(region) = service.cloak(person as u64, &profile) {
                answered += 1;
                right &= region.contains(to) && region.area() >= profile.area;
            }
        }
        Ok::<_, TraceError>((answered, right))
    });
    let (answered, right) = moved?;
    let note = format!("{answered} answered");
    row("cloaking service, move and ask", PEOPLE, seconds, limit, None, right && answered > 0, &note);
    Ok(())
}

fn main() -> Result<(), TraceError> {
    walking()?;
    cloaking()?;
    service()?;
    let noise = PlanarLaplace::new("1".parse()?, 200, 100)?;
    let (positions, _) = crowd(20_000);
    let (noisy, seconds) = timed(|| noise.add_to_all(&positions, &Silent));
    let right = noisy?.len() == positions.len();
    row("exact planar Laplace noise, positions", positions.len(), seconds, None, None, right, "");
    Ok(())
}
