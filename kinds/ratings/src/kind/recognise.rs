//! `privet init`: triples of ratings are recognised by the names of their columns and by what the columns hold.

use privet_data::{Column, Kind as ColumnKind, Table};
use privet_kind::{Proposal, Sample};

use crate::Scale;

const USERS: [&str; 9] =
    ["user", "userid", "customer", "customerid", "reviewer", "reviewerid", "person", "member", "visitor"];
const ITEMS: [&str; 16] = [
    "item",
    "itemid",
    "movie",
    "movieid",
    "film",
    "product",
    "productid",
    "book",
    "bookid",
    "isbn",
    "song",
    "artist",
    "asin",
    "business",
    "restaurant",
    "title",
];
const RATINGS: [&str; 6] = ["rating", "ratings", "stars", "score", "overall", "vote"];
const TIMES: [&str; 6] = ["timestamp", "time", "date", "day", "ratedat", "unixreviewtime"];

/// The fewest items of a wide matrix.
const ITEMS_OF_A_MATRIX: usize = 5;
/// The most steps of a scale that people answer on.
const STEPS: u8 = 21;

pub(super) fn recognise(sample: &Sample<'_>) -> Option<Proposal> {
    let table = sample.table?;
    triples(sample, table).or_else(|| matrix(sample, table))
}

/// A column of users who stand once, and all other columns on one scale of few steps.
fn matrix(sample: &Sample<'_>, table: &Table) -> Option<Proposal> {
    let user = table.columns.iter().find(|column| USERS.contains(&plain(&column.name).as_str()))?;
    let items: Vec<&Column> = table.columns.iter().filter(|column| column.name != user.name).collect();
    if items.len() < ITEMS_OF_A_MATRIX || user.domain.len() < table.rows {
        return None;
    }
    let numbers = |column: &&Column| {
        let domain = &column.domain;
        (domain.missing()..domain.len() as u32).map(|code| domain.number(code)).collect::<Option<Vec<f64>>>()
    };
    let all: Option<Vec<Vec<f64>>> = items.iter().map(numbers).collect();
    let scale = Scale::holding(all?.concat()).filter(|scale| (3..=STEPS).contains(&scale.levels()))?;
    let reasons = vec![
        format!("Every value of `{}` stands once.", user.name),
        format!("All {} other columns hold numbers on one scale of {} steps.", items.len(), scale.levels()),
    ];
    let columns = format!("layout = \"wide\"\nuser = {:?}\n", user.name);
    let job = job(sample.path.to_str()?, &columns, scale);
    Some(Proposal { confidence: 0.6, reasons, job })
}

fn triples(sample: &Sample<'_>, table: &Table) -> Option<Proposal> {
    let find =
        |names: &[&str]| table.columns.iter().find(|column| names.contains(&plain(&column.name).as_str()));
    let (user, item, rating) = (find(&USERS)?, find(&ITEMS)?, find(&RATINGS)?);
    let scale = scale_of(rating)?;
    let repeats = |column: &Column| column.domain.len() < table.rows;
    // One row per person would be a table.
    if !repeats(user) || !repeats(item) || has_repeated_pairs(table, user, item) {
        return None;
    }
    let time = find(&TIMES).filter(|time| time.domain.kind() != ColumnKind::Text);
    let reasons = vec![
        format!("`{}` and `{}` repeat, and each pair of them stands once.", user.name, item.name),
        format!("`{}` holds numbers on a scale of {} steps.", rating.name, scale.levels()),
    ];
    let columns = columns([user, item, rating].map(|column| column.name.as_str()), time);
    let job = job(sample.path.to_str()?, &columns, scale);
    Some(Proposal { confidence: 0.9, reasons, job })
}

fn plain(name: &str) -> String {
    name.chars()
        .filter(|letter| letter.is_ascii_alphanumeric())
        .map(|letter| letter.to_ascii_lowercase())
        .collect()
}

fn scale_of(rating: &Column) -> Option<Scale> {
    let domain = &rating.domain;
    let numbers: Option<Vec<f64>> =
        (domain.missing()..domain.len() as u32).map(|code| domain.number(code)).collect();
    Scale::holding(numbers?)
}

fn has_repeated_pairs(table: &Table, user: &Column, item: &Column) -> bool {
    let mut seen = foldhash::HashSet::default();
    seen.reserve(table.rows);
    let repeated = user.codes.iter().zip(&item.codes).filter(|pair| !seen.insert(*pair)).count();
    // A few are repaired; many mean that a pair is not what was rated.
    repeated * 20 > table.rows
}

/// The columns of triples, as a job names them.
fn columns([user, item, rating]: [&str; 3], time: Option<&Column>) -> String {
    let text = |text: &str| format!("{text:?}");
    let time = time.map_or(String::new(), |time| {
        let unit = match time.domain.kind() {
            ColumnKind::Date => "",
            _ if time.domain.number(time.domain.missing()).is_some_and(|first| first > 1e11) => {
                "time-unit = \"milliseconds\"\n"
            }
            _ => "",
        };
        format!("time = {}\n{unit}", text(&time.name))
    });
    format!("user = {}\nitem = {}\nrating = {}\n{time}", text(user), text(item), text(rating))
}

fn job(name: &str, columns: &str, scale: Scale) -> String {
    format!(
        "# Ratings: {name}\n\
         kind = \"ratings\"\n\n\
         [input]\n\
         path = {name:?}\n\
         {columns}\
         # The whole scale, also where nobody used an end of it.\n\
         scale = {{ low = {}, high = {}, step = {} }}\n\
         # Items whose ratings must stay unknown, by name.\n\
         sensitive = []\n\n\
         [ratings]\n\
         k = 10\n\
         epsilon = 1\n\
         # The most rated items are published; the others are left out.\n\
         null-rule = \"dense-items\"\n\
         items = 50\n\n\
         [adversary]\n\
         max-risk = 0.05\n\n\
         [output]\n\
         folder = \"release\"\n\
         home = \"home\"\n",
        scale.low(),
        scale.high(),
        scale.step(),
    )
}
