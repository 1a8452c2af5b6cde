//! How long sets and logs take, and how that grows: `cargo run --release -p privet-sets --example bench_sets`.
//!
//! k^2-anonymity (k = 5) of generated skewed baskets over 2,000 items, doubled up to 500,000; a generated query log, doubled up to ten
//! million rows, through Korolova's release. The floor beside each is a plain count of the same data.

use std::time::Instant;

use privet_data::Silent;
use privet_sets::anonymize::{Order, apriori};
use privet_sets::criteria::{Atoms, k_m};
use privet_sets::log::{Korolova, first_distinct};
use privet_sets::{generate, measure};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (_, tree) = generate::catalogue(2000, 10);
    println!("k^2-anonymity, k = 5, 2,000 items");
    println!(
        "{:>10} {:>12} {:>10} {:>10} {:>10} {:>8}",
        "baskets", "occurrences", "count", "search", "verify", "loss"
    );
    for count in [62_500, 125_000, 250_000, 500_000] {
        let baskets = generate::baskets(count, 2000, 10.0, 1);
        let start = Instant::now();
        let supports = baskets.supports(2000);
        let floor = start.elapsed();
        let start = Instant::now();
        let made = apriori(&baskets, &tree, 5, 2, Order::Rarest, &Silent)?;
        let search = start.elapsed();
        let start = Instant::now();
        let verdict = k_m(&Atoms::new(&made.sets, &tree)?.baskets, 5, 2, &Silent)?;
        let verify = start.elapsed();
        assert!(verdict.holds && supports.len() == 2000);
        let loss = measure::ncp(&made.sets, &baskets, &tree);
        println!(
            "{count:>10} {:>12} {:>8.1}ms {:>9.2}s {:>9.2}s {:>7.2}%",
            baskets.total(),
            floor.as_secs_f64() * 1e3,
            search.as_secs_f64(),
            verify.as_secs_f64(),
            100.0 * loss
        );
    }
    println!("\nKorolova, epsilon 1, delta 1e-9, 20 queries and 10 clicks per person");
    println!("{:>10} {:>10} {:>10} {:>10} {:>10}", "rows", "people", "count", "release", "queries");
    for people in [125_000, 250_000, 500_000, 1_000_000] {
        let log = generate::log(people, 10.0, 2_000_000, 1);
        let start = Instant::now();
        let counts = first_distinct(&log, u32::MAX, |row| Some(u64::from(log.queries()[row])));
        let floor = start.elapsed();
        let asked = Korolova {
            queries_per_person: 20,
            clicks_per_person: 10,
            people: 5,
            epsilon: "1".parse()?,
            delta: "1e-9".parse()?,
        };
        let start = Instant::now();
        let released = asked.plan()?.release(&log, &Silent)?;
        println!(
            "{:>10} {people:>10} {:>9.2}s {:>9.2}s {:>10}",
            log.rows(),
            floor.as_secs_f64(),
            start.elapsed().as_secs_f64(),
            released.queries.len()
        );
        assert!(!counts.keys.is_empty());
    }
    Ok(())
}
