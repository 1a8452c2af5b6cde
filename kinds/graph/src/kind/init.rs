//! `privet init` for graphs: a table of two columns that draw from the same ids is an edge list; GraphML says so itself.

use privet_data::Table;
use privet_kind::{Proposal, Sample};

/// Names that columns of edge lists usually have.
const ENDS: [(&str, &str); 8] = [
    ("source", "target"),
    ("from", "to"),
    ("src", "dst"),
    ("user_a", "user_b"),
    ("node_1", "node_2"),
    ("id_1", "id_2"),
    ("follower", "followee"),
    ("sender", "receiver"),
];

pub(super) fn recognise(sample: &Sample<'_>) -> Option<Proposal> {
    let name = sample.path.to_str()?;
    if sample.head.contains("<graphml") {
        let reasons = vec!["The file is GraphML.".to_owned()];
        return Some(Proposal { confidence: 0.99, reasons, job: job(name, None) });
    }
    let table = sample.table?;
    let (columns, named) = ends(table)?;
    let [source, target] = columns.map(|place| &table.columns[place]);
    let shared = source.domain.texts().iter().filter(|text| target.domain.code_of(text).is_some()).count();
    let least = source.domain.len().min(target.domain.len()).max(1);
    let overlap = shared as f64 / least as f64;
    let mut reasons = Vec::new();
    let mut confidence: f64 = 0.0;
    if named {
        confidence += 0.5;
        reasons.push("Two columns are named like the ends of edges.".to_owned());
    }
    if overlap >= 0.2 {
        confidence += 0.3;
        reasons.push("Two columns draw from the same ids.".to_owned());
    }
    if table.columns.len() == 2 {
        confidence += 0.15;
        reasons.push("The table has no other column.".to_owned());
    }
    // A code book, or a table of two attributes, has few values that repeat, or none in common.
    if overlap < 0.05 || table.rows == 0 {
        return None;
    }
    let names = (columns != [0, 1]).then_some((source.name.as_str(), target.name.as_str()));
    Some(Proposal { confidence: confidence.min(0.95), reasons, job: job(name, names) })
}

/// The places of the two ends, and whether their names say so.
fn ends(table: &Table) -> Option<([usize; 2], bool)> {
    let place = |wanted: &str| table.columns.iter().position(|own| own.name.eq_ignore_ascii_case(wanted));
    let named = ENDS.iter().find_map(|(from, to)| Some([place(from)?, place(to)?]));
    match named {
        Some(places) => Some((places, true)),
        None => (table.columns.len() == 2).then_some(([0, 1], false)),
    }
}

fn job(file: &str, ends: Option<(&str, &str)>) -> String {
    let quoted = |text: &str| toml_text(text);
    let columns = ends.map_or_else(String::new, |(source, target)| {
        format!("source = {}\ntarget = {}\n", quoted(source), quoted(target))
    });
    format!(
        "kind = \"graph\"\n\n\
         [input]\n\
         edges = {}\n{columns}\
         # nodes = \"nodes.csv\"                  # a table of nodes with attributes\n\
         # attributes = {{ town = \"sensitive\" }}  # the roles of attributes that are read\n\
         # directed = true                      # edges have a direction; drop-directions = true leaves it out\n\n\
         [graph]\n\
         method = \"clusters\"                  # also: k-neighbourhood, k-degree, deletion, private-degrees\n\
         k = 10\n\
         samples = 1                          # sample graphs for analysts\n\n\
         [adversary]\n\
         max-risk = 0.05\n\n\
         [output]\n\
         folder = \"release\"\n\
         home = \"home\"                        # who is who, and what attacks and measures found: for the owner alone\n",
        quoted(file)
    )
}

/// A basic string of TOML.
fn toml_text(text: &str) -> String {
    let mut quoted = String::from("\"");
    for own in text.chars() {
        match own {
            '"' | '\\' => quoted.extend(['\\', own]),
            own if own.is_control() => quoted.push_str(&format!("\\u{:04X}", own as u32)),
            own => quoted.push(own),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_data::Silent;
    use privet_data::io::{ReadOptions, read};

    fn proposed(text: &str) -> Option<Proposal> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("edges.csv");
        std::fs::write(&path, text).unwrap();
        let table = read(&path, &ReadOptions::default(), &Silent).unwrap().table;
        recognise(&Sample { path: std::path::Path::new("edges.csv"), head: text, table: Some(&table) })
    }

    #[test]
    fn edge_lists_are_recognised_and_other_tables_are_not() {
        let found = proposed("source,target\n1,2\n2,3\n3,1\n").unwrap();
        assert!(found.confidence > 0.9 && found.job.contains("edges = \"edges.csv\""));
        let found = proposed("weight,to,from\n5,b,a\n6,a,b\n").unwrap();
        assert!(found.confidence > 0.5 && found.job.contains("source = \"from\"\ntarget = \"to\""));
        assert!(proposed("age,town\n31,Ulm\n40,Bonn\n").is_none());
        // A table of people that happens to have two columns with a value in common.
        assert!(proposed("age,weight\n31,80\n40,31\n").is_none_or(|own| own.confidence < 0.5));
        let path = std::path::Path::new("net.graphml");
        let head = "<?xml version=\"1.0\"?><graphml xmlns=\"x\">";
        assert!(recognise(&Sample { path, head, table: None }).unwrap().confidence > 0.9);
        assert_eq!(toml_text("a\"\\\n"), "\"a\\\"\\\\\\u000A\"");
    }

    /// The proposed job can be read.
    #[test]
    fn the_proposal_is_a_job() {
        let found = proposed("source,target\n1,2\n2,3\n3,1\n").unwrap();
        let table: toml::Table = found.job.parse().unwrap();
        let job = privet_kind::JobFile::in_folder(std::path::Path::new("."), table);
        assert!(super::super::Settings::read(&job).is_ok());
        assert_eq!(super::super::job::inputs(&job).unwrap().len(), 1);
    }
}
