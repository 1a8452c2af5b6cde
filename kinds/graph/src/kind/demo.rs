//! `privet demo --shape graph`: a network with pseudonyms is broken, one that is published by clusters is not.

use privet_kind::Demo;

use crate::{generate, write_edges};

/// People in the demonstration.
const PEOPLE: usize = 800;

const NAIVE: &str = "# The names are gone, and all friendships are as they were.\n\
    kind = \"graph\"\n\n\
    [input]\n\
    edges = \"friends.csv\"\n\n\
    [graph]\n\
    method = \"pseudonyms\"\n\
    seed = 7\n\n\
    [output]\n\
    folder = \"naive\"\n\
    home = \"home-naive\"\n";

const SAFE: &str = "# People are put into clusters; only numbers of friendships are published.\n\
    kind = \"graph\"\n\n\
    [input]\n\
    edges = \"friends.csv\"\n\n\
    [graph]\n\
    method = \"clusters\"\n\
    k = 10\n\
    samples = 1\n\
    seed = 7\n\n\
    [adversary]\n\
    max-risk = 0.1\n\n\
    [output]\n\
    folder = \"safe\"\n\
    home = \"home-safe\"\n";

/// The story.
pub(super) fn demo() -> Demo {
    let mut edges = Vec::new();
    // Writing to memory fails for want of memory alone; the demonstration then has no edges and says so when it is run.
    if let Ok(graph) = generate::growing(PEOPLE, 4.0, 0.4, 11)
        && write_edges(&mut edges, &graph).is_err()
    {
        edges.clear();
    }
    Demo {
        introduction: "Who knows whom in a school, made up. First the names are replaced by numbers, and whoever knows some \
                       friendships finds almost everybody. Then the network is published by clusters, and the same attacks find nobody.",
        files: vec![
            ("friends.csv", edges),
            ("naive.toml", NAIVE.as_bytes().to_vec()),
            ("safe.toml", SAFE.as_bytes().to_vec()),
        ],
        jobs: vec![
            ("naive.toml", "Numbers instead of names: the attacks find most people."),
            ("safe.toml", "Clusters of ten: the attacks find nobody beyond chance."),
        ],
    }
}
