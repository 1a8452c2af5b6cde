//! A generated matrix: written to a file, read, decided for (k, epsilon), attacked by the scoreboard. Prints one line of JSON per size.
//!
//! ```sh
//! cargo xtask bench ratings                                               # doubling up to Netflix
//! cargo run --release -p privet-ratings --example bench_ratings -- 8      # an eighth of it
//! ```
//!
//! Arguments are denominators: `8` is an eighth of the users and of the ratings, with all items; `1` is the size of Netflix, 480,000 users,
//! 17,770 items and 100 million ratings. Beside the times stands that of a floor measured in the same run: copying the file.

use std::io::{BufWriter, Write};
use std::time::Instant;

use privet_data::Silent;
use privet_ratings::attack::{Knowledge, Released, scoreboard};
use privet_ratings::generate::{Size, ratings};
use privet_ratings::{
    DenseItems, Model, NullRule, Outcome, RatingsOptions, Scale, Semantics, judge, read, survey,
};
use serde_json::json;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let asked: Result<Vec<u32>, _> = std::env::args().skip(1).map(|own| own.parse()).collect();
    let asked = match asked? {
        none if none.is_empty() => vec![64, 32, 16, 8],
        some => some,
    };
    for part in asked {
        run(part)?;
    }
    Ok(())
}

fn run(part: u32) -> Result<(), Box<dyn std::error::Error>> {
    let size =
        Size { users: 480_000 / part, items: 17_770, ratings: 100_000_000 / u64::from(part), days: 2_200 };
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("ratings.csv");
    write(size, &path)?;
    let bytes = std::fs::metadata(&path)?.len();
    // What making the file took is not measured: the largest resident set begins anew, where the system can do that.
    let _ = std::fs::write("/proc/self/clear_refs", "5");

    let options = RatingsOptions {
        user: Some("user".into()),
        item: Some("item".into()),
        rating: Some("rating".into()),
        time: Some("day".into()),
        scale: Some(Scale::whole(1, 5)?),
        ..RatingsOptions::default()
    };
    let copy = folder.path().join("copy.csv");
    let (copied, floor) = timed(|| std::fs::copy(&path, &copy));
    copied?;
    std::fs::remove_file(&copy)?;
    let (input, reading) = timed(|| read(&path, &options, &Silent));
    let ratings = input?.ratings;
    drop(folder);

    let (verdict, deciding) = timed(|| {
        let survey = survey(&ratings, NullRule::DenseItems(DenseItems::Most(10)))?;
        judge(&survey, &Model::new(10, 1.0).with(Semantics::Neighbourhood), &Silent)
    });
    let verdict = verdict?;
    let (literal, deciding_literally) = timed(|| {
        let survey = survey(&ratings, NullRule::Literal)?;
        judge(&survey, &Model::new(2, 1.0).with(Semantics::Neighbourhood), &Silent)
    });
    let literal = literal?;
    let rows: Vec<u32> = (0..ratings.users().len() as u32).collect();
    let on = Released::in_order(&ratings, &ratings, &rows)?;
    let (found, attacking) = timed(|| scoreboard(&on, &Knowledge::default(), 1_000, 1, &Silent));
    let found = found?;
    let row = json!({
        "users": ratings.users().len(), "items": ratings.items().len(), "ratings": ratings.len(), "megabytes": bytes / 1_000_000,
        "read": reading, "copy": floor,
        "decide": deciding, "holds": verdict.outcome == Outcome::Holds, "failing": verdict.failing,
        "decide-literally": deciding_literally, "failing-literally": literal.failing,
        "attack": attacking, "targets": 1_000, "found": found.rate(), "peak": peak(),
    });
    println!("{row}");
    Ok(())
}

fn timed<T>(run: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = run();
    (result, start.elapsed().as_secs_f64())
}

/// The ratings as a file; those in memory are given back before anything is measured.
fn write(size: Size, path: &std::path::Path) -> Result<(), Box<dyn std::error::Error>> {
    let made = ratings(size, 1)?;
    let mut file = BufWriter::with_capacity(1 << 20, std::fs::File::create(path)?);
    writeln!(file, "user,item,rating,day")?;
    let dates: Vec<String> = (12_000..12_000 + size.days as i64).map(privet_data::date_of).collect();
    for (name, user) in made.users().iter().zip(0..) {
        let row = made.row(user);
        let days = row.days.unwrap_or_default();
        for ((&item, &tick), &day) in row.of.iter().zip(row.ticks).zip(days) {
            let date = &dates[(day - 12_000) as usize];
            writeln!(file, "{name},{},{},{date}", made.items()[item as usize], tick + 1)?;
        }
    }
    file.flush()?;
    Ok(())
}

/// The largest resident set of this process so far, in megabytes.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? / 1000)
}
