//! How long the methods take, and how that grows: `cargo run --release -p privet-traces --example bench_traces`.
//!
//! Never Walk Alone on 5,000 traces with 1,000,000 points and on halves and doubles of it; cloaking of 100,000 positions and
//! more by each method, each beside sorting the same positions, which is the floor; and a cloaking service under load.

use std::time::{Duration, Instant};

use privet_data::{Random, Silent};
use privet_traces::generate::{City, city};
use privet_traces::{
    Cloaked, Crowd, Descent, NeverWalkAlone, PlanarLaplace, Position, Pyramid, PyramidProfile, Threat,
    TraceError, WaitForMe, hilbert_buckets, judge_k_delta, never_walk_alone, quadtree, wait_for_me,
};

fn timed<T>(run: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let made = run();
    (made, start.elapsed())
}

fn walking() -> Result<(), TraceError> {
    println!("Never Walk Alone, k = 5, delta = 500 m, 200 points for each trace");
    println!(
        "{:>8} {:>10} {:>9} {:>9} {:>11} {:>10}",
        "traces", "points", "seconds", "growth", "suppressed", "mean move"
    );
    let mut before: Option<f64> = None;
    for people in [1250, 2500, 5000, 10_000] {
        let step = 432;
        let (traces, _) = city(&City { people, step, side: 20_000.0, ..City::default() })?;
        let options = NeverWalkAlone { k: 5, delta: 500.0, step, period: step, ..NeverWalkAlone::default() };
        let (done, time) = timed(|| never_walk_alone(&traces, &options, &Silent));
        let done = done?;
        assert!(judge_k_delta(&done.traces, &done.groups, 50_000)?.holds(5), "the result is checked");
        let seconds = time.as_secs_f64();
        let growth = before.map_or("-".to_owned(), |own| format!("{:.2}", seconds / own));
        before = Some(seconds);
        println!(
            "{people:>8} {:>10} {seconds:>9.2} {growth:>9} {:>11} {:>8.0} m",
            traces.all_points().len(),
            done.changes.suppressed,
            done.changes.mean_move
        );
    }
    println!("\nWait-for-Me, k = 5, delta = 500 m, 96 points for each trace");
    let mut before: Option<f64> = None;
    for people in [250, 500, 1000] {
        let (traces, _) = city(&City { people, step: 900, side: 20_000.0, ..City::default() })?;
        let options = WaitForMe { time: 1800, space: 1000.0, ..WaitForMe::default() };
        let (done, time) = timed(|| wait_for_me(&traces, &options, &Silent));
        let (done, seconds) = (done?, time.as_secs_f64());
        let growth = before.map_or("-".to_owned(), |own| format!("{:.2}", seconds / own));
        before = Some(seconds);
        println!(
            "{people:>8} traces {seconds:>9.2} s, growth {growth}, mean move {:.0} m",
            done.changes.mean_move
        );
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

fn cloaking() -> Result<(), TraceError> {
    println!("\nCloaking, k = 20 (positions per second; the floor sorts the same positions)");
    for people in [100_000, 200_000, 400_000] {
        let (positions, values) = crowd(people);
        let crowd = Crowd { positions: &positions, values: &values };
        let (_, floor) = timed(|| {
            let mut sorted = positions.clone();
            sorted.sort_unstable();
            sorted
        });
        let identity = Threat::Identity { k: 20 };
        let linked = Threat::QueryLink { k: 20, l: 5 };
        let location = Threat::Location { k: 20, area: 1e5 };
        type Method<'a> = Box<dyn Fn() -> Result<Cloaked, TraceError> + 'a>;
        let methods: [(&str, Method<'_>); 5] = [
            ("quadtree, identity", Box::new(|| quadtree(crowd, &identity, Descent::Reciprocal))),
            ("quadtree as published", Box::new(|| quadtree(crowd, &identity, Descent::Nearest))),
            ("quadtree, l-diverse", Box::new(|| quadtree(crowd, &linked, Descent::Reciprocal))),
            ("quadtree, least area", Box::new(|| quadtree(crowd, &location, Descent::Reciprocal))),
            ("Hilbert runs", Box::new(|| hilbert_buckets(crowd, &identity))),
        ];
        for (name, method) in methods {
            let (done, time) = timed(method);
            let rate = people as f64 / time.as_secs_f64();
            let ratio = time.as_secs_f64() / floor.as_secs_f64();
            println!(
                "{people:>8} {name:<24} {rate:>12.0}/s {ratio:>6.1} x floor, {} regions",
                done?.regions.len()
            );
        }
    }
    let (positions, values) = crowd(100_000);
    let mut service = Pyramid::new(Position { x: -2_000_000, y: -2_000_000 }, 80_000.0, 10)?;
    let (placed, time) = timed(|| {
        (0u64..)
            .zip(positions.iter().zip(&values))
            .try_for_each(|(own, (&at, &value))| service.place(own, at, value))
    });
    placed?;
    println!("{:>8} service, registering      {:>12.0}/s", 100_000, 1e5 / time.as_secs_f64());
    let profile = PyramidProfile { k: 20, l: 5, area: 1e4 };
    let (moved, time) = timed(|| {
        let mut random = Random::new(1);
        let mut answered = 0u32;
        for _ in 0..100_000 {
            let person = random.below(100_000);
            let to = positions[random.below(100_000)];
            service.place(person as u64, to, values[person])?;
            answered += u32::from(service.cloak(person as u64, &profile).is_some());
        }
        Ok::<_, TraceError>(answered)
    });
    println!("{:>8} service, move and ask     {:>12.0}/s", moved?, 1e5 / time.as_secs_f64());
    Ok(())
}

fn main() -> Result<(), TraceError> {
    walking()?;
    cloaking()?;
    let noise = PlanarLaplace::new("1".parse()?, 200, 100)?;
    let (positions, _) = crowd(20_000);
    let (noisy, time) = timed(|| noise.add_to_all(&positions, &Silent));
    let count = noisy?.len();
    println!(
        "\n{count:>8} positions with exact planar Laplace noise: {:.0}/s",
        count as f64 / time.as_secs_f64()
    );
    Ok(())
}
