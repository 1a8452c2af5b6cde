//! `cargo xtask site`: the documentation as a web site, built by mdbook from a copy of the pages, and every link and picture of what was
//! built checked.
//!
//! The copy has the folders of the repository, so that a link from a page of the guide to `SECURITY.md` holds in both. mdbook is the one on
//! the path, or is installed below the target folder; where neither is possible the task says so and fails. `cargo xtask test` builds the
//! site only where mdbook is there already.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::shell::Tally;
use crate::workspace;
use crate::{guide, kinds};

/// The version that is installed where there is none, without what only a server needs.
const MDBOOK: [&str; 7] =
    ["install", "mdbook@0.4.52", "--locked", "--debug", "--no-default-features", "--features", "search"];
/// Pages of the repository that belong to the site.
const PAGES: [&str; 5] = ["README.md", "SECURITY.md", "CHANGELOG.md", "ARCHITECTURE.md", "CONTRIBUTING.md"];
/// Files that pages link to and that are shown as they are.
const ASIDE: [&str; 2] = ["LICENSE-MIT", "LICENSE-APACHE"];

/// Builds and checks the site; true when all of it went well.
pub fn run() -> Result<bool> {
    let installed = workspace::target()?.join("mdbook");
    let program = match found(&installed) {
        Some(program) => program,
        None => install(&installed)?,
    };
    Ok(built(&program)?.failed == 0)
}

/// Builds and checks the site where mdbook is there already.
pub fn tested() -> Result<Tally> {
    match found(&workspace::target()?.join("mdbook")) {
        Some(program) => built(&program),
        None => {
            println!("skipped: there is no mdbook; `cargo xtask site` installs it");
            Ok(Tally { skipped: 1, ..Tally::default() })
        }
    }
}

fn built(program: &Path) -> Result<Tally> {
    let stage = workspace::target()?.join("site");
    copy(&stage)?;
    let built = Command::new(program).arg("build").arg(&stage).output().context("mdbook")?;
    let said = String::from_utf8_lossy(&built.stderr);
    if !built.status.success() || said.contains("[WARN]") || said.contains("[ERROR]") {
        bail!("mdbook is not content:\n{said}");
    }
    let site = stage.join("book");
    let tally = check(&site)?;
    println!("The site: {}", site.join("index.html").display());
    Ok(tally)
}

/// The mdbook on the path, or the one that was installed here.
fn found(installed: &Path) -> Option<PathBuf> {
    let runs = |program: &PathBuf| {
        Command::new(program).arg("--version").output().is_ok_and(|answer| answer.status.success())
    };
    [PathBuf::from("mdbook"), installed.join("bin/mdbook")].into_iter().find(runs)
}

/// Installs mdbook from the registry.
fn install(installed: &Path) -> Result<PathBuf> {
    println!("installing mdbook from the registry, which takes some minutes once …");
    let status = workspace::cargo().args(MDBOOK).arg("--root").arg(installed).status()?;
    match found(installed) {
        Some(program) if status.success() => Ok(program),
        _ => bail!("the site was not built: mdbook is neither on the path nor could it be installed"),
    }
}

/// Puts the pages where mdbook reads them.
fn copy(stage: &Path) -> Result<()> {
    let root = workspace::root();
    if stage.exists() {
        std::fs::remove_dir_all(stage).with_context(|| stage.display().to_string())?;
    }
    let source = stage.join("src");
    std::fs::create_dir_all(&source)?;
    std::fs::copy(root.join("docs/book.toml"), stage.join("book.toml")).context("docs/book.toml")?;
    for file in PAGES.iter().chain(&ASIDE) {
        std::fs::copy(root.join(file), source.join(file)).with_context(|| (*file).to_owned())?;
    }
    copy_folder(&root.join("docs"), &source.join("docs"))?;
    let summary = std::fs::read_to_string(root.join(guide::SUMMARY)).context(guide::SUMMARY)?;
    std::fs::write(source.join("SUMMARY.md"), from_the_root(&summary) + &written(&root)?)?;
    Ok(())
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from).with_context(|| from.display().to_string())? {
        let path = entry?.path();
        let Some(name) = path.file_name() else { continue };
        match path.is_dir() {
            true => copy_folder(&path, &to.join(name))?,
            false => drop(std::fs::copy(&path, to.join(name)).with_context(|| path.display().to_string())?),
        }
    }
    Ok(())
}

/// The contents, whose links are relative to `docs`, as they are relative to the root.
fn from_the_root(summary: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in summary.lines() {
        lines.push(match line.split_once("](") {
            Some((title, target)) => match target.strip_prefix("../") {
                Some(above) => format!("{title}]({above}"),
                None => format!("{title}](docs/{target}"),
            },
            None => line.to_owned(),
        });
    }
    lines.join("\n") + "\n"
}

/// A chapter for each page that a program writes, and so nobody lists by hand: the kinds, and the experiments.
fn written(root: &Path) -> Result<String> {
    let mut text = String::new();
    for (part, name) in [("Kinds of release", kinds::FOLDER), ("Evidence", "docs/evidence")] {
        let mut chapters = BTreeMap::new();
        for entry in std::fs::read_dir(root.join(name)).with_context(|| name.to_owned())? {
            let path = entry?.path();
            let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if file.ends_with(".md") {
                let page = std::fs::read_to_string(&path)?;
                let title = page.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or(&file).to_owned();
                chapters.insert(file, title);
            }
        }
        let lines = chapters.iter().map(|(file, title)| format!("- [{title}]({name}/{file})\n"));
        text.push_str(&format!("\n# {part}\n\n{}", lines.collect::<String>()));
    }
    Ok(text)
}

/// Checks every link and picture of the built pages.
fn check(site: &Path) -> Result<Tally> {
    let mut pages = Vec::new();
    html(site, &mut pages)?;
    let mut texts = BTreeMap::new();
    for page in &pages {
        texts.insert(page.clone(), std::fs::read_to_string(page)?);
    }
    let anchors: BTreeMap<&PathBuf, BTreeSet<&str>> =
        texts.iter().map(|(page, text)| (page, attributes(text, "id").collect())).collect();
    let (mut links, mut broken) = (0, BTreeSet::new());
    for (page, text) in &texts {
        for target in attributes(text, "href").chain(attributes(text, "src")) {
            if target.contains("://") || target.starts_with("data:") || target.starts_with("mailto:") {
                continue;
            }
            links += 1;
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let there = page.parent().unwrap_or(site).join(file);
            let there = if file.is_empty() { Ok(page.clone()) } else { there.canonicalize() };
            let holds = there.is_ok_and(|there| match anchors.get(&there) {
                Some(ids) => anchor.is_empty() || ids.contains(anchor),
                None => there.exists(),
            });
            if !holds {
                broken.insert(format!("{}: {target}", page.strip_prefix(site).unwrap_or(page).display()));
            }
        }
    }
    if broken.is_empty() && links > 0 {
        println!("  ok       all {links} links and pictures of {} pages lead somewhere", pages.len());
        return Ok(Tally { passed: 1, ..Tally::default() });
    }
    let broken: Vec<String> = broken.into_iter().collect();
    println!("  FAILED   of {links} links these lead nowhere:\n{}", broken.join("\n"));
    Ok(Tally { failed: 1, ..Tally::default() })
}

/// The pages below a folder, by their real paths.
fn html(folder: &Path, pages: &mut Vec<PathBuf>) -> Result<()> {
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            html(&path, pages)?;
        } else if path.extension().is_some_and(|ending| ending == "html") && !path.ends_with("404.html") {
            pages.push(path.canonicalize()?);
        }
    }
    Ok(())
}

/// The values of an attribute, wherever a tag has it in double quotes.
fn attributes<'a>(page: &'a str, name: &str) -> impl Iterator<Item = &'a str> {
    let opening = format!(" {name}=\"");
    let mut rest = page;
    std::iter::from_fn(move || {
        let at = rest.find(&opening)? + opening.len();
        let (value, after) = rest[at..].split_once('"')?;
        rest = after;
        Some(value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_are_read_from_the_root() {
        let summary = "# Guide\n- [A](guide/a.md)\n  - [B](../README.md)\n";
        assert_eq!(from_the_root(summary), "# Guide\n- [A](docs/guide/a.md)\n  - [B](README.md)\n");
    }

    #[test]
    fn a_broken_link_of_the_site_is_found() {
        let scratch = workspace::Scratch::new().unwrap();
        let site = scratch.path();
        std::fs::write(site.join("a.html"), "<h1 id=\"x\"></h1><a href=\"#x\"></a><a href=\"b.html#y\"></a>")
            .unwrap();
        std::fs::write(site.join("b.html"), "<h1 id=\"y\"></h1><a href=\"https://a.b\"></a>").unwrap();
        assert_eq!(check(site).unwrap().failed, 0);
        std::fs::write(site.join("b.html"), "<h1 id=\"z\"></h1><img src=\"none.svg\">").unwrap();
        assert_eq!(check(site).unwrap().failed, 1);
    }
}
