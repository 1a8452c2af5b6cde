//! The jobs of other shapes for the measurement of growth: one table of rows of people, read as baskets, a log, traces, tables, or a series.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Result;

/// The start of a job that is whole, and not only sections of one about records.
const WHOLE: &str = "kind = ";

pub const SETS: &str = "kind = \"sets\"\n[input]\npath = \"table.csv\"\nform = \"pairs\"\nperson = \"person\"\nitem = \"item\"\n\
    hierarchy = \"tree.csv\"\n[sets]\nmethod = \"apriori\"\nk = 5\nm = 2\n";
pub const LOG: &str = "kind = \"sets\"\n[input]\npath = \"table.csv\"\nform = \"log\"\nperson = \"person\"\nquery = \"item\"\n[sets]\n\
    method = \"korolova\"\nepsilon = \"1\"\ndelta = \"1e-6\"\npeople = 5\nqueries-per-person = 4\n";
pub const TRACES: &str = "kind = \"traces\"\n[input]\npath = \"table.csv\"\nobject = \"person\"\ntime = \"time\"\nxy = [\"x\", \"y\"]\n\
    sort = true\n[traces]\nmethod = \"cells\"\nk = 5\nseed = 1\n";
pub const TABLES: &str = "kind = \"tables\"\n[[tables]]\nname = \"rows\"\npath = \"table.csv\"\nperson = \"person\"\nat-most = 4\n\
    [tables.columns]\nage = { role = \"quasi\", hierarchy = { intervals = [20, 60], min = 0 } }\nill = { role = \"sensitive\" }\n[people]\n\
    suppress-at-most = 0.2\n[privacy]\nk-anonymity = 5\n";
pub const SERIES: &str = "kind = \"series\"\n[input]\npath = \"people.csv\"\n[series]\nperson = \"person\"\nsensitive = \"ill\"\nm = 3\n\
    [series.columns]\nage = {}\n";

/// Writes the table and the job of another shape; false where the sections are those of a job about records.
pub fn make(sections: &str, rows: usize, folder: &Path) -> Result<bool> {
    if !sections.starts_with(WHOLE) {
        return Ok(false);
    }
    let mut state = 11u64;
    let mut below = |limit: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % limit
    };
    let mut text = String::from("person,item,time,x,y,age,ill\n");
    let mut people = String::from("person,age,ill\n");
    for row in 0..rows {
        // Four rows of a person; of 400 items the first ones are asked for most.
        let (person, item) = (row / 4, below(20) * below(20));
        let (time, x, y) = (3600 * (row % 4) as u64, below(4000), below(4000));
        let age = 18 + person % 70;
        let ill = below(6);
        writeln!(text, "p{person},i{item},{time},{x},{y},{age},d{ill}")?;
        if row % 4 == 0 {
            writeln!(people, "p{person},{age},d{ill}")?;
        }
    }
    let tree: String = (0..400).map(|item| format!("i{item};a{};b{};*\n", item / 10, item / 80)).collect();
    std::fs::write(folder.join("table.csv"), text)?;
    std::fs::write(folder.join("people.csv"), people)?;
    std::fs::write(folder.join("tree.csv"), tree)?;
    // Each size is the first release of its series.
    let home = folder.join("home");
    if home.exists() {
        std::fs::remove_dir_all(&home)?;
    }
    let output = "[output]\nfolder = \"release\"\nhome = \"home\"\nreplace = true\n";
    std::fs::write(folder.join("job.toml"), format!("{sections}{output}"))?;
    Ok(true)
}
