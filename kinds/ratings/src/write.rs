//! Ratings to files, as triples. Users are written by number, never by name; numbers are those of the release.

use std::io::{self, Write};

use crate::Ratings;

/// Writes triples as CSV with the head `user,item,rating`, and `day` where days are known.
///
/// `number_of` gives the number under which a user is published. Rows stand in the order of these numbers, so that the
/// order of the file says nothing about that of the input.
///
/// # Errors
/// When the sink fails.
pub fn write_triples(sink: impl Write, ratings: &Ratings, number_of: &[u32]) -> io::Result<()> {
    let mut sink = io::BufWriter::with_capacity(1 << 16, sink);
    let mut order: Vec<u32> = (0..ratings.users().len() as u32).collect();
    order.sort_unstable_by_key(|&user| number_of[user as usize]);
    let names: Vec<String> = ratings.items().iter().map(|item| quoted(item)).collect();
    let texts: Vec<String> = (0..ratings.scale().levels()).map(|tick| ratings.scale().text(tick)).collect();
    writeln!(sink, "user,item,rating{}", if ratings.has_days() { ",day" } else { "" })?;
    for user in order {
        let row = ratings.row(user);
        let number = number_of[user as usize];
        for (at, (&item, &tick)) in row.of.iter().zip(row.ticks).enumerate() {
            write!(sink, "{number},{},{}", names[item as usize], texts[tick as usize])?;
            match row.days {
                Some(days) => writeln!(sink, ",{}", privet_data::date_of(i64::from(days[at])))?,
                None => writeln!(sink)?,
            }
        }
    }
    sink.flush()
}

/// A text as a cell of a CSV.
pub(crate) fn quoted(text: &str) -> String {
    let needs = text.is_empty() || text.contains(['"', ',', '\n', '\r']) || text.trim() != text;
    if needs { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}
