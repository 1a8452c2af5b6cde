//! `privet demo --shape model`: a tree that tells of single people, and one that does not.

use privet_data::Random;
use privet_kind::Demo;

const PEOPLE: usize = 1500;

const NAIVE: &str = "# A tree as it is usually learned: leaves of single people.\n\
    kind = \"model\"\n\n\
    [input]\n\
    path = \"loans.csv\"\n\
    public = [\"gender\", \"married\", \"age\", \"district\"]\n\
    class = \"risk\"\n\n\
    [model]\n\
    type = \"tree\"\n\
    k = 1\n\n\
    [output]\n\
    folder = \"naive\"\n\
    home = \"home-naive\"\n";

const SAFE: &str = "# Every span keeps 20 people, and no class has more than 85 % of a span.\n\
    kind = \"model\"\n\n\
    [input]\n\
    path = \"loans.csv\"\n\
    public = [\"gender\", \"married\", \"age\", \"district\"]\n\
    class = \"risk\"\n\n\
    [model]\n\
    type = \"tree\"\n\
    k = 20\n\
    confidence-limit = 0.85\n\n\
    [adversary]\n\
    max-risk = 0.05\n\n\
    [output]\n\
    folder = \"safe\"\n\
    home = \"home-safe\"\n";

pub(crate) fn demo() -> Demo {
    Demo {
        introduction: "A bank publishes how it judges loans. A tree that fits its customers exactly tells the risk of each of them to \
                       whoever knows their age and district.",
        files: vec![
            ("loans.csv", loans().into_bytes()),
            ("naive.toml", NAIVE.into()),
            ("safe.toml", SAFE.into()),
        ],
        jobs: vec![
            ("naive.toml", "the tree as it is usually learned"),
            ("safe.toml", "the same with spans of at least 20 people"),
        ],
    }
}

/// Customers whose risk depends on age and marriage, with chance.
fn loans() -> String {
    let mut random = Random::new(17);
    let mut text = String::from("gender,married,age,district,risk\n");
    for _ in 0..PEOPLE {
        let gender = ["female", "male"][random.below(2)];
        let is_married = random.chance(0.55);
        let age = 18 + random.below(60);
        let district = random.below(12) + 1;
        let chance = 0.25 + if age < 30 { 0.35 } else { 0.0 } + if is_married { -0.12 } else { 0.1 };
        let risk = if random.chance(chance) { "bad" } else { "good" };
        let married = if is_married { "yes" } else { "no" };
        text.push_str(&format!("{gender},{married},{age},D{district},{risk}\n"));
    }
    text
}
