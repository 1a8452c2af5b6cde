//! The stories of all shapes: naive pseudonyms are broken, the release is not. Name shapes to hear only those.

use privet_data::Silent;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let folder = tempfile::tempdir()?;
    for shape in privet::shapes() {
        if !wanted.is_empty() && !wanted.iter().any(|own| own == shape) {
            continue;
        }
        let (introduction, chapters) = privet::demo(shape, &folder.path().join(shape), &Silent)?;
        println!("\n{shape}: {introduction}");
        for chapter in chapters {
            match chapter.outcome {
                Ok(report) => {
                    let worst = report.assessment.worst().map_or(f64::NAN, |own| own.risk());
                    println!("  {}: the strongest attack reaches {:.1} %", chapter.title, 100.0 * worst);
                    println!("    {}", report.promises.join(" "));
                }
                Err(error) => println!("  {}: refused: {error}", chapter.title),
            }
        }
    }
    Ok(())
}
