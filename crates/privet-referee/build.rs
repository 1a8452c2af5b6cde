//! Lists the referees: every file `src/<kind>.rs` with a constant `REFEREE` is one, so that a new kind needs no line here or in `lib.rs`.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=src");
    let source = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("src");
    let mut kinds = Vec::new();
    for entry in fs::read_dir(&source)? {
        let path = entry?.path();
        let is_rust = path.extension().is_some_and(|ending| ending == "rs");
        if let (true, Some(kind)) = (is_rust, path.file_stem().and_then(|stem| stem.to_str()))
            && fs::read_to_string(&path)?.lines().any(|line| line.starts_with("pub const REFEREE: "))
        {
            kinds.push(kind.to_owned());
        }
    }
    kinds.sort();
    let (mut modules, mut referees) = (String::new(), String::new());
    for kind in &kinds {
        let _ = writeln!(modules, "    pub mod {kind};");
        let _ = writeln!(referees, "    kinds::{kind}::REFEREE,");
    }
    let text = format!(
        "#[path = {source:?}]\nmod kinds {{\n{modules}}}\n\n/// Every referee, in the order of their kinds.\n\
         pub const REFEREES: &[&dyn privet_release::Referee] = &[\n{referees}];\n"
    );
    fs::write(PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("referees.rs"), text)
}
