//! Make a release of the toy kind, verify the folder, change one byte, and verify again.

use privet::JobFile;
use privet_data::Silent;
use privet_release::VerifyOptions;

const JOB: &str = "kind = \"sample\"\n[input]\npath = \"people.csv\"\ncolumn = \"town\"\n[sample]\nleast = 2\n\
                   [output]\nfolder = \"release\"\n";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    std::fs::write(folder.path().join("people.csv"), "town\nUlm\nUlm\nBonn\nKiel\nKiel\nKiel\n")?;
    std::fs::write(folder.path().join("job.toml"), JOB)?;
    let job = JobFile::read(&folder.path().join("job.toml"), &[])?;
    let report = privet::run(&job, &[], &Silent)?;
    println!("promised: {}", report.promises.join(" "));
    let verdict = privet::verify(&report.release, VerifyOptions::default())?;
    println!("as it was published, everything holds: {}", verdict.holds());
    let table = report.release.join("tally.csv");
    std::fs::write(&table, std::fs::read_to_string(&table)?.replace('3', "4"))?;
    let verdict = privet::verify(&report.release, VerifyOptions::default())?;
    for check in verdict.failures() {
        println!("after a change, {} fails: {}", check.name, check.detail);
    }
    Ok(())
}
