//! `cargo xtask pictures`: the pictures of the gallery, cut out of report pages that the program writes now.
//!
//! A picture of a report takes its colours from the style of the page. Cut out, it gets the rules that it uses and nothing else, so that
//! it looks the same alone and stays small. It is regenerated whole; nobody edits it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::workspace::{self, Scratch};

/// Where the pictures are.
const FOLDER: &str = "docs/guide/pictures";
/// A picture above this is no picture for a page of the guide.
const LARGEST: usize = 100_000;
/// What is left free around a picture.
const MARGIN: f64 = 8.0;

/// What is run before the pictures are cut out, one command on a line.
const COMMANDS: &str = r#"
demo --quiet --rows 2000
anonymize privet-demo/job.toml --quiet --output levels --home owner
demo --quiet --rows 600 --folder few
anonymize few/job.toml --quiet --output boxes --set search.algorithm=mondrian --set privacy={k-anonymity=10}
demo --quiet --shape ratings --folder ratings
demo --quiet --shape traces --folder traces
demo --quiet --shape graph --folder graph
randomize noise.toml --quiet --seed 1
"#;

/// A job with noise and randomized response about the admissions of the demo.
const NOISE: &str = r#"
[input]
path = "privet-demo/admissions.csv"
[columns.sex]
role = "sensitive"
values = ["female", "male"]
perturb = { response = "warner", p = 0.75 }
[columns.cost]
role = "sensitive"
perturb = { noise = "gaussian", sd = 2000.0 }
[output]
folder = "noisy"
"#;

/// The name of each picture, the page that has it, and how its title begins.
const PICTURES: [(&str, &str, &str); 11] = [
    ("candidates", "levels/report.html", "People by how many records may be theirs"),
    ("classes", "levels/report.html", "Classes by size"),
    ("search", "owner/report.html", "Loss and risk of the candidates"),
    ("before-after", "owner/report.html", "occupation before and after"),
    ("hierarchy", "owner/report.html", "Hierarchy of length_of_stay"),
    ("boxes", "boxes/report.html", "Boxes of"),
    ("noise", "noisy/report.html", "Published and reconstructed distribution"),
    ("ratings", "ratings/release/report.html", "People re-identified over the number"),
    ("matrix", "noisy/report.html", "The law as a matrix"),
    ("cells", "traces/cells/report.html", "All "),
    ("graph", "graph/home-safe/report.html", "Degrees"),
];

/// Writes all pictures; true when each was found and is small.
pub fn run() -> Result<bool> {
    let program = workspace::privet()?;
    let scratch = Scratch::new()?;
    std::fs::write(scratch.path().join("noise.toml"), NOISE)?;
    for line in COMMANDS.lines().filter(|line| !line.is_empty()) {
        let ran = Command::new(&program).args(line.split(' ')).current_dir(scratch.path()).output()?;
        if !ran.status.success() {
            bail!("privet {line}: {}\n{}", ran.status, String::from_utf8_lossy(&ran.stderr));
        }
    }
    let folder = workspace::root().join(FOLDER);
    std::fs::create_dir_all(&folder)?;
    for (name, page, title) in PICTURES {
        let path = folder.join(format!("{name}.svg"));
        let picture = cut(&scratch.path().join(page), title).with_context(|| format!("{name}: {page}"))?;
        println!("{:>7} bytes  {}", picture.len(), shown(&path));
        std::fs::write(&path, picture)?;
    }
    Ok(true)
}

fn shown(path: &Path) -> String {
    let root: PathBuf = workspace::root();
    path.strip_prefix(&root).unwrap_or(path).display().to_string()
}

/// The picture of a page whose title begins so, as a file of its own.
fn cut(page: &Path, title: &str) -> Result<String> {
    let page = std::fs::read_to_string(page).context("the page cannot be read")?;
    let picture = find(&page, title).with_context(|| format!("no picture is called `{title}…`"))?;
    let (opening, rest) = picture.split_once('>').context("the picture has no end")?;
    let view =
        between(opening, "viewBox=\"", "\"").and_then(with_margin).context("the picture has no size")?;
    let (style, _) = page.split_once("</style>").context("the page has no style")?;
    let patterns = between(&page, "<defs>", "</defs>").unwrap_or_default();
    let file = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{view}\" role=\"img\"><style>{}</style><defs>{patterns}</defs>\
         <rect x=\"-{MARGIN}\" y=\"-{MARGIN}\" width=\"100%\" height=\"100%\" class=\"paper\"/>{rest}\n",
        rules(style, &classes(&format!("{rest}{patterns}")))
    );
    if file.len() > LARGEST {
        bail!("it has {} bytes, which is too much for a page", file.len());
    }
    Ok(file)
}

/// From `<svg` to `</svg>`, of the picture whose title begins so.
fn find<'a>(page: &'a str, title: &str) -> Option<&'a str> {
    page.split("<svg").skip(1).find_map(|part| {
        let (picture, _) = part.split_once("</svg>")?;
        let named = between(picture, "<title", "</title>")?.split_once('>')?.1;
        named.starts_with(title).then(|| &part[..picture.len() + "</svg>".len()])
    })
}

/// The part of the plane that is shown, with a margin around it.
fn with_margin(view: &str) -> Option<String> {
    let numbers: Vec<f64> = view.split(' ').map(|number| number.parse().ok()).collect::<Option<_>>()?;
    let [x, y, width, height] = numbers.try_into().ok()?;
    Some(format!("{} {} {} {}", x - MARGIN, y - MARGIN, width + 2.0 * MARGIN, height + 2.0 * MARGIN))
}

fn between<'a>(text: &'a str, from: &str, to: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(from)?;
    Some(rest.split_once(to)?.0)
}

/// The classes that a picture uses.
fn classes(picture: &str) -> BTreeSet<&str> {
    picture
        .split("class=\"")
        .skip(1)
        .filter_map(|rest| rest.split_once('"'))
        .flat_map(|(names, _)| names.split(' '))
        .collect()
}

/// The rules of a style, one on a line, that speak of pictures; and the colours of the light page.
fn rules(style: &str, used: &BTreeSet<&str>) -> String {
    // A page declares its colours twice, for light and for dark; the first are those of light.
    let mut named = BTreeSet::new();
    let colours: String = style
        .lines()
        .map(str::trim)
        .filter(|line| line.starts_with("--") && named.insert(line.split(':').next()))
        .collect();
    let mut kept = vec![format!(":root{{{colours}}}")];
    for line in style.lines().filter(|line| !line.starts_with(' ')) {
        let Some((selectors, _)) = line.split_once('{') else { continue };
        let is_of_a_picture = selectors.split(',').any(|selector| {
            let selector = selector.trim();
            let selector = selector.strip_prefix("svg ").unwrap_or(selector);
            selector == "text"
                || selector
                    .strip_prefix('.')
                    .is_some_and(|names| names.split('.').all(|name| used.contains(name)))
        });
        if is_of_a_picture && line.ends_with('}') {
            kept.push(line.to_owned());
        }
    }
    kept.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "<style>\n:root {\n  --ink: #000;\n}\n@media dark {\n  --ink: #fff;\n}\n.note { color: red }\nsvg .dot { fill: var(--ink); }\nsvg .box { fill: none; }\n</style><svg viewBox=\"0 0 1 1\"><title id=\"a\">Other</title></svg>\
                        <svg class=\"chart\" viewBox=\"0 0 4 3\"><title id=\"b\">Boxes of a</title><circle class=\"dot\"/></svg>";

    #[test]
    fn a_picture_is_cut_out_with_the_rules_that_it_uses() {
        let scratch = Scratch::new().unwrap();
        let page = scratch.path().join("page.html");
        std::fs::write(&page, PAGE).unwrap();
        let picture = cut(&page, "Boxes").unwrap();
        assert!(
            picture.contains("viewBox=\"-8 -8 20 19\"") && picture.contains("<circle class=\"dot\"/></svg>")
        );
        assert!(picture.contains(":root{--ink: #000;}") && picture.contains("svg .dot"));
        assert!(!picture.contains(".note") && !picture.contains(".box") && !picture.contains("Other"));
        assert!(cut(&page, "Nothing").is_err());
    }
}
