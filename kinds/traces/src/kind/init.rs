//! `privet init` for traces: a table with an object, a time and a position in each row, where objects have several rows.

use privet_kind::{Proposal, Sample};

use crate::time::parse_time;
use crate::{PointColumns, recognize};

pub(super) fn recognise(sample: &Sample<'_>) -> Option<Proposal> {
    let name = sample.path.to_str()?;
    let is_geojson = sample.head.contains("\"FeatureCollection\"")
        && sample.head.contains("\"LineString\"")
        && (sample.head.contains("\"times\"") || sample.head.contains("\"coordTimes\""));
    if is_geojson {
        let reasons = vec!["The file is GeoJSON with lines and times.".to_owned()];
        return Some(Proposal { confidence: 0.95, reasons, job: job(name, None) });
    }
    let table = sample.table?;
    let names: Vec<String> = table.columns.iter().map(|own| own.name.clone()).collect();
    let found = recognize(&names)?;
    let column = |name: &str| table.column(name);
    let (object, time) = (column(&found.object)?, column(&found.time)?);
    let mut reasons = vec!["Columns are named like those of an object, a time and a position.".to_owned()];
    let times = time.domain.texts().iter().take(200);
    let are_times = table.rows > 0 && times.clone().all(|own| parse_time(own).is_some());
    if !are_times {
        return None;
    }
    reasons.push("The times can be read.".to_owned());
    let mut confidence = 0.7;
    if object.domain.len() * 2 <= table.rows {
        reasons.push("Objects have several rows each.".to_owned());
        confidence = 0.93;
    }
    Some(Proposal { confidence, reasons, job: job(name, Some(&found)) })
}

fn job(file: &str, columns: Option<&PointColumns>) -> String {
    let columns = columns.map_or_else(String::new, |own| {
        let coordinates = if own.degrees { "degrees" } else { "xy" };
        let (first, second) = (quoted(&own.coordinates.0), quoted(&own.coordinates.1));
        format!(
            "object = {}\ntime = {}\n{coordinates} = [{first}, {second}]\n",
            quoted(&own.object),
            quoted(&own.time)
        )
    });
    format!(
        "kind = \"traces\"\n\n\
         [input]\n\
         path = {}\n{columns}\
         same-time = \"keep-first\"             # also: spread, refuse\n\
         # sort = true                         # when rows of an object are not in the order of time\n\
         # gap = 1800                          # cuts traces into trips at gaps of so many seconds\n\n\
         [traces]\n\
         method = \"never-walk-alone\"          # also: wait-for-me, cells, cloaking, path-cloaking, flows, ...\n\
         k = 5\n\
         delta = 500.0                         # metres\n\
         step = 60\n\
         period = 3600\n\n\
         [adversary]\n\
         max-risk = 0.1\n\n\
         [output]\n\
         folder = \"release\"\n\
         home = \"home\"                         # who is who, and what attacks and measures found: for the owner alone\n",
        quoted(file)
    )
}

/// A basic string of TOML.
fn quoted(text: &str) -> String {
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
    use privet_data::io::{ReadOptions, read_csv_bytes};

    fn proposed(text: &str) -> Option<Proposal> {
        let table = read_csv_bytes(text.as_bytes(), &ReadOptions::default()).unwrap().table;
        recognise(&Sample { path: std::path::Path::new("points.csv"), head: text, table: Some(&table) })
    }

    #[test]
    fn points_are_recognised_and_people_are_not() {
        let found = proposed(
            "uid,lat,lng,datetime\n1,43.8,10.5,2011-02-03 08:34:04\n1,43.9,10.5,2011-02-03 09:34:04\n",
        )
        .unwrap();
        assert!(found.confidence > 0.9);
        let table: toml::Table = found.job.parse().unwrap();
        let job = privet_kind::JobFile::in_folder(std::path::Path::new("."), table);
        assert!(super::super::job::Settings::read(&job).is_ok());
        assert!(job.required::<super::super::job::Input>("input").is_ok());
        assert!(proposed("name,age,town\na,3,b\n").is_none());
        assert!(proposed("user,x,y,time\n1,2,3,yesterday\n").is_none());
    }
}
