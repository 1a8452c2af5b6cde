//! Randomized response: everybody's answer is changed by chance, the law of that chance is published, and shares are told all the same.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let answers = (0..3_000).map(|i| if i % 10 < 3 { "yes" } else { "no" });
    let answers: ArrayRef = Arc::new(StringArray::from_iter_values(answers));
    let batch = RecordBatch::try_from_iter([("uses drugs", answers)])?;
    let release = privet::randomize(&batch)
        .sensitive("uses drugs")
        .values("uses drugs", ["yes", "no"])
        .law("uses drugs", privet::warner(0.8))
        .run()?;
    let published = release.batch()?;
    let column = arrow_array::cast::as_string_array(published.column(0));
    let yes =
        column.iter().flatten().filter(|&own| own == "yes").count() as f64 / published.num_rows() as f64;
    // Warner: the share of yes is (λ + p − 1) / (2p − 1), with λ the share that is published.
    println!(
        "{:.1} % say yes; about {:.1} % are estimated, 30 % were true",
        100.0 * yes,
        100.0 * (yes - 0.2) / 0.6
    );
    if let Some(gamma) = release.manifest()?.model.gamma {
        println!("no answer changes the odds of anything by more than a factor of {gamma:.2}");
    }
    println!("everything that is stated holds: {}", release.verify()?.holds());
    Ok(())
}
