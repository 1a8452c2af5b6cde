//! Traces: points in the order of time, one list after the other in one buffer.
//!
//! An object (a person, a phone, a car) has one or several traces. Object numbers are codes; their names are kept apart and
//! are never published.

use privet_data::Domain;

use crate::point::{Point, Position, between};
use crate::{Plane, TraceError};

/// A sensitive value for each point, such as what somebody does there.
#[derive(Debug, Clone)]
pub struct Labels {
    /// The name of the column.
    pub name: String,
    /// One code per point, in the order of the points.
    pub codes: Vec<u32>,
    /// What the codes stand for.
    pub domain: Domain,
}

/// Traces of objects.
#[derive(Debug, Clone, Default)]
pub struct Traces {
    /// Where the points of each trace begin; one more than there are traces.
    starts: Vec<usize>,
    points: Vec<Point>,
    /// Per trace whose it is.
    objects: Vec<u32>,
    /// Per object its name in the input.
    pub names: Vec<Box<str>>,
    /// What the coordinates are.
    pub plane: Plane,
    /// Sensitive values of the points.
    pub labels: Option<Labels>,
}

/// How many points were read and left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Cleaning {
    /// Points of the input.
    pub given: u64,
    /// Points with the time of the point before them that were left out.
    pub same_time: u64,
    /// Points whose time was moved to make times different.
    pub spread: u64,
    /// Points that were put into the order of time.
    pub sorted: u64,
    /// Points that are left.
    pub kept: u64,
}

impl Traces {
    /// No traces yet, on a plane.
    pub fn on(plane: Plane) -> Self {
        Self { starts: vec![0], plane, ..Self::default() }
    }

    /// Traces of objects with these numbers, each a list of points in rising order of time.
    ///
    /// # Errors
    /// When times do not rise within a trace.
    pub fn from_lists<'a>(
        plane: Plane,
        lists: impl IntoIterator<Item = (u32, &'a [Point])>,
    ) -> Result<Self, TraceError> {
        let mut traces = Self::on(plane);
        for (object, points) in lists {
            traces.push(object, points)?;
        }
        Ok(traces)
    }

    /// Adds a trace. Objects without a name are named by their numbers.
    ///
    /// # Errors
    /// When times do not rise.
    pub fn push(&mut self, object: u32, points: &[Point]) -> Result<(), TraceError> {
        let backwards = points.windows(2).filter(|pair| pair[1].time < pair[0].time).count() as u64;
        if backwards > 0 {
            return Err(TraceError::TimeRunsBackwards { rows: backwards, objects: 1 });
        }
        let same = points.windows(2).filter(|pair| pair[1].time == pair[0].time).count() as u64;
        if same > 0 {
            return Err(TraceError::SameTime { rows: same });
        }
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        while self.names.len() <= object as usize {
            self.names.push((self.names.len() + 1).to_string().into());
        }
        self.points.extend_from_slice(points);
        self.starts.push(self.points.len());
        self.objects.push(object);
        Ok(())
    }

    /// The number of traces.
    pub fn len(&self) -> usize {
        self.objects.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// The number of objects that have a name.
    pub fn object_count(&self) -> usize {
        self.names.len()
    }

    /// The points of a trace.
    pub fn points(&self, trace: usize) -> &[Point] {
        &self.points[self.starts[trace]..self.starts[trace + 1]]
    }

    /// Where the points of a trace lie among all points.
    pub fn range(&self, trace: usize) -> std::ops::Range<usize> {
        self.starts[trace]..self.starts[trace + 1]
    }

    /// All points, one trace after the other.
    pub fn all_points(&self) -> &[Point] {
        &self.points
    }

    /// Whose a trace is.
    pub fn object(&self, trace: usize) -> u32 {
        self.objects[trace]
    }

    /// Whose each trace is.
    pub fn objects(&self) -> &[u32] {
        &self.objects
    }

    /// Each trace: whose it is and its points.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &[Point])> + '_ {
        (0..self.len()).map(|trace| (self.objects[trace], self.points(trace)))
    }

    /// The object of each point.
    pub fn object_of_points(&self) -> Vec<u32> {
        let mut objects = Vec::with_capacity(self.points.len());
        for (object, points) in self.iter() {
            objects.resize(objects.len() + points.len(), object);
        }
        objects
    }

    /// The corners of the smallest rectangle around all points; `None` without points.
    pub fn bounds(&self) -> Option<(Position, Position)> {
        let first = self.points.first()?.at;
        Some(self.points.iter().fold((first, first), |(low, high), point| {
            (
                Position { x: low.x.min(point.at.x), y: low.y.min(point.at.y) },
                Position { x: high.x.max(point.at.x), y: high.y.max(point.at.y) },
            )
        }))
    }

    /// The first and the last time; `None` without points.
    pub fn span(&self) -> Option<(i64, i64)> {
        let times = || self.points.iter().map(|point| point.time);
        Some((times().min()?, times().max()?))
    }

    /// Where a trace is at a time, by straight lines between its points; `None` before its first and after its last.
    pub fn at(&self, trace: usize, time: i64) -> Option<Position> {
        position_at(self.points(trace), time)
    }
}

/// Where points in the order of time are at a time; `None` before the first and after the last.
pub fn position_at(points: &[Point], time: i64) -> Option<Position> {
    let next = points.partition_point(|point| point.time < time);
    let point = points.get(next)?;
    if point.time == time {
        return Some(point.at);
    }
    let before = points.get(next.checked_sub(1)?)?;
    Some(between(*before, *point, time))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_must_rise() {
        let mut traces = Traces::on(Plane::Metres);
        let back = traces.push(0, &[Point::new(5, 0, 0), Point::new(4, 0, 0)]);
        assert!(matches!(back, Err(TraceError::TimeRunsBackwards { rows: 1, .. })));
        let same = traces.push(0, &[Point::new(5, 0, 0), Point::new(5, 0, 0)]);
        assert!(matches!(same, Err(TraceError::SameTime { rows: 1 })));
        assert!(traces.is_empty());
        traces.push(1, &[Point::new(0, 0, 0), Point::new(10, 100, 0)]).unwrap();
        assert_eq!((traces.len(), traces.object_count()), (1, 2));
        assert_eq!(traces.at(0, 3), Some(Position { x: 30, y: 0 }));
        assert_eq!(traces.at(0, 11), None);
        assert_eq!(traces.at(0, -1), None);
    }
}
