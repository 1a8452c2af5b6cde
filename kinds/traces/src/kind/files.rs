//! The published files, written and read: traces, regions, visits and flows as CSV, and who is who for the owner.
//!
//! Coordinates are metres with two decimals, so whole centimetres; positions on the Earth have latitude and longitude
//! beside them. What is read must have just this form.

use std::io::Write;
use std::path::Path;

use privet_data::io::ReadOptions;
use privet_data::{Column, Progress, Table};
use privet_kind::{KindError, OwnerFiles};
use privet_release::{Draft, ReleaseFolder};

use crate::cloak::Region;
use crate::{Plane, Point, Position, Traces};

/// The file of traces.
pub const TRACES: &str = "traces.csv";
/// The file of regions.
pub const REGIONS: &str = "regions.csv";
/// The file of visits.
pub const VISITS: &str = "visits.csv";
/// The file of flows.
pub const FLOWS: &str = "flows.csv";
/// The owner's file of who is who.
pub const WHO: &str = "who-is-who.csv";

/// Writes a file of the release.
pub fn write(
    draft: &Draft,
    name: &str,
    fill: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<(), KindError> {
    let mut file = draft.create(name)?;
    let mut sink = std::io::BufWriter::with_capacity(1 << 16, &mut file);
    let filled = fill(&mut sink).and_then(|()| sink.flush());
    drop(sink);
    filled.map_err(|error| KindError::io(Path::new(name), &error))?;
    file.finish()?;
    Ok(())
}

/// A text as a cell.
pub fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// Centimetres as metres.
fn metres(own: i32) -> String {
    let (sign, whole) = (if own < 0 { "-" } else { "" }, own.unsigned_abs());
    format!("{sign}{}.{:02}", whole / 100, whole % 100)
}

/// Metres with two decimals as centimetres.
fn centimetres(text: &str) -> Option<i32> {
    let (whole, cents) = text.split_once('.')?;
    let digits = whole.strip_prefix('-').unwrap_or(whole);
    let is_plain = |own: &str| !own.is_empty() && own.bytes().all(|byte| byte.is_ascii_digit());
    if cents.len() != 2 || !is_plain(cents) || !is_plain(digits) {
        return None;
    }
    let value = digits.parse::<i32>().ok()?.checked_mul(100)?.checked_add(cents.parse().ok()?)?;
    let value = if whole.starts_with('-') { -value } else { value };
    (value.abs() <= crate::LARGEST_COORDINATE).then_some(value)
}

/// Writes traces, with their groups where they have some.
pub fn write_traces(sink: &mut dyn Write, traces: &Traces, groups: Option<&[u32]>) -> std::io::Result<()> {
    let on_earth = matches!(traces.plane, Plane::Local { .. });
    let group = if groups.is_some() { ",group" } else { "" };
    let degrees = if on_earth { ",latitude,longitude" } else { "" };
    writeln!(sink, "trace{group},time,x,y{degrees}")?;
    for trace in 0..traces.len() {
        for point in traces.points(trace) {
            write!(sink, "{trace}")?;
            if let Some(groups) = groups {
                write!(sink, ",{}", groups[trace])?;
            }
            write!(sink, ",{},{},{}", point.time, metres(point.at.x), metres(point.at.y))?;
            if let Some(own) = traces.plane.degrees(point.at) {
                write!(sink, ",{:.7},{:.7}", own.latitude, own.longitude)?;
            }
            writeln!(sink)?;
        }
    }
    Ok(())
}

/// A table of the release whose columns are found by name.
pub struct Published<'a> {
    folder: &'a ReleaseFolder,
    file: &'static str,
    table: Table,
}

impl<'a> Published<'a> {
    /// Reads a file of the release.
    pub fn read(
        folder: &'a ReleaseFolder,
        file: &'static str,
        progress: &dyn Progress,
    ) -> Result<Self, KindError> {
        let table = folder.table(file, &ReadOptions::default().exactly(), progress)?;
        Ok(Self { folder, file, table })
    }

    /// The number of records.
    pub fn rows(&self) -> usize {
        self.table.rows
    }

    /// An error about the form of the file.
    pub fn malformed(&self, problem: &str) -> KindError {
        self.folder.malformed(self.file, problem).into()
    }

    fn column(&self, name: &str) -> Result<&Column, KindError> {
        self.table.column(name).ok_or_else(|| self.malformed(&format!("the column `{name}` is missing")))
    }

    /// Whether there is a column.
    pub fn has(&self, name: &str) -> bool {
        self.table.column(name).is_some()
    }

    /// Each cell of a column, parsed.
    pub fn parsed<T: Clone>(
        &self,
        name: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<Vec<T>, KindError> {
        let column = self.column(name)?;
        let of: Vec<Option<T>> = column.domain.texts().iter().map(|text| parse(text)).collect();
        let all: Option<Vec<T>> = column.codes.iter().map(|&code| of[code as usize].clone()).collect();
        all.ok_or_else(|| self.malformed(&format!("a cell of `{name}` has another form")))
    }

    /// A column of whole numbers.
    pub fn whole<T: std::str::FromStr + Clone>(&self, name: &str) -> Result<Vec<T>, KindError> {
        self.parsed(name, |text| text.parse().ok())
    }

    /// A column of metres.
    pub fn metres(&self, name: &str) -> Result<Vec<i32>, KindError> {
        self.parsed(name, centimetres)
    }

    /// A column of values as codes and their texts.
    pub fn values(&self, name: &str) -> Result<(Vec<u32>, Vec<String>), KindError> {
        let column = self.column(name)?;
        Ok((column.codes.clone(), column.domain.texts().iter().map(|own| own.to_string()).collect()))
    }
}

/// Reads traces and their groups, if there are some.
pub fn read_traces(
    folder: &ReleaseFolder,
    plane: Plane,
    progress: &dyn Progress,
) -> Result<(Traces, Option<Vec<u32>>), KindError> {
    let table = Published::read(folder, TRACES, progress)?;
    let (numbers, times) = (table.whole::<u32>("trace")?, table.whole::<i64>("time")?);
    if times.iter().any(|own| own.abs() > crate::LARGEST_TIME) {
        return Err(table.malformed("a time is out of range"));
    }
    let (xs, ys) = (table.metres("x")?, table.metres("y")?);
    let of_points = if table.has("group") { Some(table.whole::<u32>("group")?) } else { None };
    let mut traces = Traces::on(plane);
    let mut groups = of_points.is_some().then(Vec::new);
    let mut start = 0;
    for run in numbers.chunk_by(|a, b| a == b) {
        let range = start..start + run.len();
        start = range.end;
        if run[0] as usize != traces.len() {
            return Err(table.malformed("the traces are not numbered from 0 on"));
        }
        let points: Vec<Point> = range.clone().map(|row| Point::new(times[row], xs[row], ys[row])).collect();
        traces.push(run[0], &points)?;
        if let (Some(groups), Some(of_points)) = (&mut groups, &of_points) {
            if of_points[range.clone()].iter().any(|own| *own != of_points[range.start]) {
                return Err(table.malformed("a trace has two groups"));
            }
            groups.push(of_points[range.start]);
        }
    }
    Ok((traces, groups))
}

/// A published region of a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RegionRecord {
    /// The span.
    pub window: i64,
    /// The region.
    pub region: Region,
    /// The sensitive value, by its number.
    pub value: Option<u32>,
}

/// Writes regions. Edges of quadrants may lie beyond the plane, so they are whole centimetres.
pub fn write_regions(
    sink: &mut dyn Write,
    records: &[RegionRecord],
    values: &[String],
) -> std::io::Result<()> {
    let has_values = records.iter().any(|own| own.value.is_some());
    writeln!(sink, "span,x_low,y_low,x_high,y_high{}", if has_values { ",value" } else { "" })?;
    for own in records {
        let [a, b, c, d] = [own.region.low.x, own.region.low.y, own.region.high.x, own.region.high.y];
        write!(sink, "{},{a},{b},{c},{d}", own.window)?;
        if let Some(value) = own.value {
            write!(sink, ",{}", quoted(&values[value as usize]))?;
        }
        writeln!(sink)?;
    }
    Ok(())
}

/// Reads regions and the texts of their values.
pub fn read_regions(
    folder: &ReleaseFolder,
    progress: &dyn Progress,
) -> Result<(Vec<RegionRecord>, Vec<String>), KindError> {
    let table = Published::read(folder, REGIONS, progress)?;
    let windows = table.whole::<i64>("span")?;
    let [x_low, y_low, x_high, y_high] =
        [table.whole::<i32>("x_low")?, table.whole("y_low")?, table.whole("x_high")?, table.whole("y_high")?];
    let (codes, texts) = if table.has("value") { table.values("value")? } else { (Vec::new(), Vec::new()) };
    let records: Vec<RegionRecord> = (0..table.rows())
        .map(|row| RegionRecord {
            window: windows[row],
            region: Region {
                low: Position { x: x_low[row], y: y_low[row] },
                high: Position { x: x_high[row], y: y_high[row] },
            },
            value: codes.get(row).copied(),
        })
        .collect();
    let is_turned =
        |own: &RegionRecord| own.region.low.x > own.region.high.x || own.region.low.y > own.region.high.y;
    if records.iter().any(is_turned) {
        return Err(table.malformed("a region ends before it begins"));
    }
    Ok((records, texts))
}

/// The owner's table: per published trace or record the object it is about.
pub fn write_who(names: &[Box<str>], objects: &[u32]) -> Vec<u8> {
    let mut text = String::from("published,object\n");
    for (place, &object) in objects.iter().enumerate() {
        text.push_str(&format!("{place},{}\n", quoted(&names[object as usize])));
    }
    text.into_bytes()
}

/// The object of each published trace or record, where the owner kept the table.
pub fn read_who(owner: &OwnerFiles, names: &[Box<str>]) -> Result<Option<Vec<u32>>, KindError> {
    let Some(bytes) = owner.get(WHO) else { return Ok(None) };
    let wrong = || {
        KindError::bad_input(format!(
            "`{WHO}` of the owner's folder does not fit the input; make the release again, or name its input"
        ))
    };
    let table =
        privet_data::io::read_csv_bytes(bytes, &ReadOptions::default().exactly()).map_err(|_| wrong())?.table;
    let column = table.column("object").ok_or_else(wrong)?;
    let number: foldhash::HashMap<&str, u32> = names.iter().map(|own| &**own).zip(0..).collect();
    let of: Vec<Option<u32>> = column.domain.texts().iter().map(|own| number.get(&**own).copied()).collect();
    let all: Option<Vec<u32>> = column.codes.iter().map(|&code| of[code as usize]).collect();
    all.map(Some).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metres_come_back() {
        for own in [0, 5, -5, 99, -100, 123_456_789, -1_000_000_000, 1_000_000_000] {
            assert_eq!(centimetres(&metres(own)), Some(own));
        }
        for text in
            ["", "1", "1.2", "1.234", "--1.00", "NaN", "1e3.00", "99999999999.00", "10000000.01", ".00"]
        {
            assert_eq!(centimetres(text), None, "{text}");
        }
    }

    #[test]
    fn who_is_who_comes_back() {
        let names: Vec<Box<str>> = ["a", "b,\"c"].map(Box::from).to_vec();
        let owner = OwnerFiles::default().with(WHO, write_who(&names, &[1, 0, 1]));
        assert_eq!(read_who(&owner, &names).unwrap(), Some(vec![1, 0, 1]));
        assert!(read_who(&owner, &names[..1]).is_err());
        assert_eq!(read_who(&OwnerFiles::default(), &names).unwrap(), None);
    }
}
