//! The story of ratings: plain pseudonyms are broken, and the release is not.

use privet_kind::Demo;

use crate::Ratings;
use crate::generate::{Size, ratings};

const PSEUDONYMS: &str = r#"# Names become numbers, and nothing else changes. The gate refuses it.
kind = "ratings"

[input]
path = "ratings.csv"
user = "user"
item = "item"
rating = "rating"
time = "day"
scale = { low = 1, high = 5 }
sensitive = ["i12"]

[ratings]
method = "pseudonyms"

[adversary]
max-risk = 0.05

[output]
folder = "pseudonyms"
"#;

const RELEASE: &str = r#"# Groups of at least 10 users whose published ratings are equal; days are left out.
kind = "ratings"

[input]
path = "ratings.csv"
user = "user"
item = "item"
rating = "rating"
time = "day"
scale = { low = 1, high = 5 }
sensitive = ["i12"]

[ratings]
k = 10
epsilon = 0
l = 0.5
items = 30

[adversary]
max-risk = 0.05

[output]
folder = "release"
home = "home"
"#;

pub(super) fn demo() -> Option<Demo> {
    let size = Size { users: 600, items: 150, ratings: 15_000, days: 700 };
    // Cannot fail for this size; without the data there is no story.
    let original = ratings(size, 5).ok()?;
    Some(Demo {
        introduction: "A film club wants to publish who liked which film. Names are gone, and eight known ratings find nearly everybody all the same.",
        files: vec![
            ("ratings.csv", table(&original)),
            ("pseudonyms.toml", PSEUDONYMS.as_bytes().to_vec()),
            ("release.toml", RELEASE.as_bytes().to_vec()),
        ],
        jobs: vec![
            (
                "pseudonyms.toml",
                "Names become numbers: the gate refuses, because eight ratings find a person.",
            ),
            ("release.toml", "Groups of ten with equal ratings: nobody stands out, and averages survive."),
        ],
    })
}

fn table(ratings: &Ratings) -> Vec<u8> {
    let mut text = String::from("user,item,rating,day\n");
    for (name, user) in ratings.users().iter().zip(0..) {
        let row = ratings.row(user);
        for (at, (&item, &tick)) in row.of.iter().zip(row.ticks).enumerate() {
            let day = row.days.map_or(0, |days| days[at]);
            let (item, rating) = (&ratings.items()[item as usize], ratings.scale().text(tick));
            text.push_str(&format!("{name},{item},{rating},{}\n", privet_data::date_of(i64::from(day))));
        }
    }
    text.into_bytes()
}
