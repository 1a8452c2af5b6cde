//! Making a release of traces: one arm for each method, which writes its file, its promises and who is who.

mod cells;
mod cloaked;

pub(super) use cloaked::crowds;

use privet_data::{Progress, Random};
use privet_dp::ledger::{Request, SqliteLedger, answer};
use privet_dp::{Epsilon, Loss, Privacy};
use privet_history::History;
use privet_kind::{Fault, JobFile, KindError, NO_LEDGER, Outcome};
use privet_release::{Draft, Promised, Randomness};
use serde::{Deserialize, Serialize};

use super::files::{self, FLOWS, TRACES, WHO};
use super::job::{FlowMethod, Input, Method, Noisy, Settings};
use super::places;
use crate::{
    Cell, Grouped, MixZone, PlanarLaplace, Plane, Point, Position, Prior, PrivateFlows, Segments, Tiling,
    TraceError, Traces, Unit, ends_of_trips, judge_k_delta, mix_zones, never_walk_alone, path_cloaking,
    quiet_threshold, swap_segments, wait_for_me,
};

/// What only this kind states in the manifest.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Body {
    /// How traces were published.
    pub method: Method,
    /// What coordinates are.
    pub plane: Plane,
    /// The cells, where some are published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tiling: Option<Tiling>,
    /// Mix zones as x, y and radius in centimetres.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub zones: Vec<[i64; 3]>,
    /// The smallest flow that is published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<i64>,
}

struct Making<'a> {
    traces: Traces,
    settings: Settings,
    /// Whether the plane was given and does not depend on the data.
    public_plane: bool,
    seed: u64,
    draft: &'a Draft,
    progress: &'a dyn Progress,
    body: Body,
    outcome: Outcome,
    /// What was charged to the ledger.
    charged: Option<String>,
}

/// The history among the owner's files.
const HISTORY: &str = "history.json";

/// Makes a release.
pub(super) fn make(job: &JobFile, draft: &Draft, progress: &dyn Progress) -> Result<Outcome, KindError> {
    let input: Input = job.required("input")?;
    let settings = Settings::read(job)?;
    let (traces, summary) = input.read(job, progress)?;
    if traces.is_empty() {
        return Err(KindError::bad_input("no trace is left after cutting; there is nothing to publish"));
    }
    let seed = match settings.seed {
        Some(seed) => seed,
        None => getrandom::u64()
            .map_err(|_| KindError::resources("the operating system gives no random numbers"))?,
    };
    let body = Body {
        method: settings.method.clone(),
        plane: traces.plane,
        tiling: None,
        zones: Vec::new(),
        threshold: None,
    };
    let public_plane = input.centre.is_some() || traces.plane == Plane::Metres;
    let outcome = Outcome { summary, ..Outcome::default() };
    let mut making =
        Making { traces, settings, public_plane, seed, draft, progress, body, outcome, charged: None };
    if making.settings.ledger.is_some() {
        // A history that cannot be read is told before anything is charged.
        history(job)?;
    }
    making.publish()?;
    making.remember(job)?;
    let written = serde_json::to_value(&making.body);
    making.outcome.body = written.map_err(|_| KindError::bad_input("a number of the job is not finite"))?;
    Ok(making.outcome)
}

/// What the owner's folder remembers; nothing where the job names no such folder.
fn history(job: &JobFile) -> Result<Option<History>, KindError> {
    let Some(home) = job.output()?.home else { return Ok(None) };
    let path = job.resolve(&home).join(HISTORY);
    let read = History::read(&path).map_err(|error| KindError::bad_input(error.to_string()).at(&path))?;
    Ok(Some(read))
}

impl Making<'_> {
    fn publish(&mut self) -> Result<(), KindError> {
        match self.settings.method.clone() {
            Method::Pseudonyms {} => self.pseudonyms(),
            Method::NeverWalkAlone(options) => {
                let done = never_walk_alone(&self.traces, &options, self.progress)?;
                self.grouped(done, options.k, options.delta)
            }
            Method::WaitForMe(options) => {
                let done = wait_for_me(&self.traces, &options, self.progress)?;
                self.grouped(done, options.k, options.delta)
            }
            Method::Swapping { distance, step } => self.swapped(distance, step),
            Method::MixZones { zones, radius, tau } => self.mixed(zones, radius, tau),
            Method::PathCloaking(options) => {
                let done = path_cloaking(&self.traces, &options, self.progress)?;
                let promised = Promised::new("time-to-confusion").with("seconds", options.time_to_confusion);
                self.segments(&done, promised, options.tau)
            }
            Method::Cloaking(options) => self.cloaked(&options),
            Method::Cells(options) => self.generalized(&options),
            Method::GeoIndistinguishability(options) => self.noisy(&options),
            Method::Flows(options) => self.flows(&options),
        }
    }

    fn say(&mut self, name: &str, value: impl ToString) {
        self.outcome.summary.push((name.to_owned(), value.to_string()));
    }

    fn promise(&mut self, promised: Promised) {
        self.outcome.promises.push(promised);
    }

    /// Keeps who is who for the owner.
    fn keep(&mut self, objects: &[u32]) {
        let who = files::write_who(&self.traces.names, objects);
        self.outcome.owner = std::mem::take(&mut self.outcome.owner).with(WHO, who);
    }

    /// Writes traces whose sources are traces of the input.
    fn write_traces(
        &mut self,
        traces: &Traces,
        groups: Option<&[u32]>,
        source: &[u32],
    ) -> Result<(), KindError> {
        files::write(self.draft, TRACES, |sink| files::write_traces(sink, traces, groups))?;
        let objects: Vec<u32> = source.iter().map(|&own| self.traces.object(own as usize)).collect();
        self.keep(&objects);
        let promised = Promised::new("traces")
            .with("traces", traces.len() as u64)
            .with("points", traces.all_points().len() as u64);
        self.outcome.promises.insert(0, promised);
        Ok(())
    }

    fn pseudonyms(&mut self) -> Result<(), KindError> {
        self.outcome.randomness = Randomness::Seeded;
        let mut order: Vec<u32> = (0..self.traces.len() as u32).collect();
        Random::new(self.seed).shuffle(&mut order);
        let mut published = Traces::on(self.traces.plane);
        for &trace in &order {
            published.push(published.len() as u32, self.traces.points(trace as usize))?;
        }
        self.write_traces(&published, None, &order)
    }

    fn grouped(&mut self, done: Grouped, k: u32, delta: f64) -> Result<(), KindError> {
        let judged = judge_k_delta(&done.traces, &done.groups, crate::point::centimetres_down(delta))?;
        if !judged.holds(k.into()) && !done.traces.is_empty() {
            return Err(KindError::refused("the groups do not keep k and delta; nothing was published"));
        }
        let changes = done.changes;
        self.say("groups", changes.groups);
        self.say("traces suppressed", changes.suppressed);
        self.say("points deleted", changes.deleted_points);
        self.say("points made up", changes.created_points);
        self.say("mean move in metres", format!("{:.1}", changes.mean_move));
        self.promise(
            Promised::new("k-delta").with("k", k).with("delta", delta).reaching(judged.smallest as f64),
        );
        self.write_traces(&done.traces, Some(&done.groups), &done.source)
    }

    fn swapped(&mut self, distance: f64, step: i64) -> Result<(), KindError> {
        self.outcome.randomness = Randomness::Seeded;
        let done = swap_segments(&self.traces, distance, step, self.seed, self.progress)?;
        self.say("swaps", done.swaps);
        self.say("mean largest share of one trace", format!("{:.3}", done.largest_share));
        // Whose most points of a published trace are.
        let mut owners = Vec::with_capacity(done.traces.len());
        for trace in 0..done.traces.len() {
            let mut own = done.source[done.traces.range(trace)].to_vec();
            own.sort_unstable();
            let longest = own.chunk_by(|a, b| a == b).max_by_key(|run| run.len());
            owners.extend(longest.map(|run| run[0]));
        }
        self.write_traces(&done.traces, None, &owners)
    }

    fn segments(&mut self, done: &Segments, promised: Promised, tau: f64) -> Result<(), KindError> {
        self.say("segments", done.traces.len());
        self.say("changes of pseudonym that are confused", done.posteriors.len());
        self.say("largest posterior of a true successor", format!("{:.3}", done.largest()));
        if !done.exact {
            self.say("posteriors", "approximate for groups of more than 10 people");
        }
        self.say("changes refused", done.refused);
        self.say("points suppressed", done.suppressed_points);
        self.promise(promised);
        self.promise(
            Promised::new("confusion")
                .with("tau", tau)
                .with("changes", done.posteriors.len() as u64)
                .with("exact", done.exact)
                .with("reached", done.largest()),
        );
        self.write_traces(&done.traces, None, &done.source)
    }

    fn mixed(&mut self, count: u32, radius: u32, tau: f64) -> Result<(), KindError> {
        let side = radius.checked_mul(200).filter(|own| *own > 0);
        let side = side
            .ok_or_else(|| KindError::key("traces.radius", "must be above 0 and below 20,000,000 metres"))?;
        let tiling = Tiling::Squares { side, levels: 1 };
        let counts = crate::measure::cell_counts(&self.traces, &tiling, 0)?;
        let mut order: Vec<(u64, Cell)> = counts.into_iter().map(|own| (own.1, own.0)).collect();
        order.sort_unstable_by(|a, b| b.cmp(a));
        let centres =
            order.iter().take(count as usize).filter_map(|own| tiling.centre(&self.traces.plane, own.1, 0));
        let zones: Vec<MixZone> =
            centres.map(|centre| MixZone { centre, radius: i64::from(radius) * 100 }).collect();
        self.body.zones =
            zones.iter().map(|own| [own.centre.x.into(), own.centre.y.into(), own.radius]).collect();
        let done = mix_zones(&self.traces, &zones, &Method::mix_zones(tau))?;
        self.segments(&done, Promised::new("mix-zones").with("zones", zones.len() as u64), tau)
    }

    fn values(&self) -> Vec<String> {
        let texts = self.traces.labels.as_ref().map(|own| own.domain.texts().iter());
        texts.into_iter().flatten().map(|own| own.to_string()).collect()
    }

    /// Charges a loss to the ledger, if the job names one, and then makes what costs it.
    fn charged<T>(
        &mut self,
        what: &str,
        loss: &Loss,
        make: impl FnOnce(&Self) -> Result<T, TraceError>,
    ) -> Result<T, KindError> {
        self.say("privacy", loss);
        let Some((file, account)) = self.settings.ledger.clone() else {
            self.say("ledger", NO_LEDGER);
            return Ok(make(self)?);
        };
        let refused =
            |error: &dyn std::fmt::Display| KindError::new(Fault::Budget, error.to_string()).at(&file);
        let mut ledger = SqliteLedger::open_existing(&file, None).map_err(|error| refused(&error))?;
        let request = Request::new(&account, "release", what, loss).map_err(TraceError::from)?;
        let mut made = Err(TraceError::Empty { what: "results" });
        let charged = answer(&mut ledger, &request, || {
            made = make(self);
            Ok(())
        });
        charged.map_err(|error| refused(&error))?;
        self.charged = Some(loss.to_string());
        Ok(made?)
    }

    /// Puts a release that was charged into the history of the owner's folder, so that one list shows it beside all others.
    fn remember(&mut self, job: &JobFile) -> Result<(), KindError> {
        let (Some((ledger, account)), Some(loss)) = (&self.settings.ledger, self.charged.take()) else {
            return Ok(());
        };
        let Some(mut history) = history(job)? else { return Ok(()) };
        history.charged("traces", ledger, account, loss);
        self.outcome.owner =
            std::mem::take(&mut self.outcome.owner).with(HISTORY, history.to_json().into_bytes());
        Ok(())
    }

    /// What a promise says about the ledger.
    fn ledger(&self) -> &'static str {
        if self.settings.ledger.is_some() { "charged" } else { "none" }
    }

    fn must_be_public(&self) -> Result<(), KindError> {
        match self.public_plane {
            true => Ok(()),
            false => Err(KindError::key(
                "input.centre",
                "is needed: a public middle of the plane, because one around the data would tell where the data lie",
            )),
        }
    }

    fn noisy(&mut self, options: &Noisy) -> Result<(), KindError> {
        self.must_be_public()?;
        if options.positions == 0 {
            return Err(KindError::key("traces.positions", "must be 1 or more"));
        }
        let epsilon: Epsilon = options.epsilon.parse().map_err(TraceError::from)?;
        let noise = PlanarLaplace::new(epsilon, options.radius, options.grid)?;
        let mut left: Vec<u32> = vec![options.positions; self.traces.object_count()];
        let (mut source, mut kept, mut points) = (Vec::new(), Vec::new(), Vec::new());
        for trace in 0..self.traces.len() {
            let left = &mut left[self.traces.object(trace) as usize];
            let own = self.traces.points(trace);
            // Spread evenly over the trace.
            let count = own.len().min(*left as usize);
            *left -= count as u32;
            if count > 0 {
                source.push(trace as u32);
                kept.push(count);
                points.extend((0..count).map(|place| own[place * own.len() / count]));
            }
        }
        let positions: Vec<Position> = points.iter().map(|own| own.at).collect();
        let loss = noise.loss(options.positions.into())?;
        // Places that cannot be read are told before anything is charged.
        let prior = match &self.settings.prior {
            None => None,
            Some(path) => Some(Prior::new(places::weighted(path, &self.traces.plane, self.progress)?)?),
        };
        let noisy =
            self.charged("positions with noise", &loss, |own| noise.add_to_all(&positions, own.progress))?;
        let noisy = match &prior {
            None => noisy,
            // What is drawn is moved by public knowledge alone: that costs nothing.
            Some(prior) => prior.remap_all(&noisy, &noise, self.progress)?,
        };
        let mut published = Traces::on(self.traces.plane);
        let mut rest = points.iter().zip(&noisy);
        let mut lists: Vec<(Vec<Point>, u32)> = Vec::new();
        for (&count, &trace) in kept.iter().zip(&source) {
            let list: Vec<Point> = rest.by_ref().take(count).map(|(own, &at)| Point { at, ..*own }).collect();
            lists.push((list, trace));
        }
        // The order of what is published tells nothing of the order of the input.
        lists.sort();
        for (list, _) in &lists {
            published.push(published.len() as u32, list)?;
        }
        self.outcome.randomness = Randomness::System;
        self.say("mean noise in metres", format!("{:.1}", noise.mean_noise()));
        self.say("positions left out", self.traces.all_points().len() - points.len());
        self.promise(
            Promised::new("geo-indistinguishability")
                .with("ledger", self.ledger())
                .with("epsilon", options.epsilon.as_str())
                .with("radius", options.radius)
                .with("grid", options.grid)
                .with("positions", options.positions)
                .with("remapped", prior.is_some()),
        );
        let source: Vec<u32> = lists.iter().map(|own| own.1).collect();
        self.write_traces(&published, None, &source)
    }

    fn flows(&mut self, options: &FlowMethod) -> Result<(), KindError> {
        self.must_be_public()?;
        let side = options.side.checked_mul(100).unwrap_or(0);
        let tiling = Tiling::Squares { side, levels: 1 };
        tiling.check(&self.traces.plane)?;
        let declared = declared_cells(options, &tiling, &self.traces.plane)?;
        let flows = PrivateFlows { cells: declared.len() as u32, trips: options.trips };
        let epsilon: Epsilon = options.epsilon.parse().map_err(TraceError::from)?;
        let noise = flows.noise(&Privacy::Pure(epsilon))?;
        let pairs = declared.len() as u64 * declared.len() as u64;
        let threshold = quiet_threshold(&noise, pairs) + 1;
        let trips = ends_of_trips(&self.traces, &tiling, 0, &declared)?;
        let found = self.charged("flows", noise.loss(), |_| flows.release(&trips, &noise, threshold))?;
        self.outcome.randomness = Randomness::System;
        self.body.tiling = Some(tiling);
        self.body.threshold = Some(threshold);
        self.say("flows published", found.len());
        self.say("noise", &noise);
        self.promise(
            Promised::new("differential-privacy")
                .with("ledger", self.ledger())
                .with("epsilon", options.epsilon.as_str())
                .with("trips", options.trips)
                .with("threshold", threshold),
        );
        files::write(self.draft, FLOWS, |sink| {
            writeln!(sink, "origin,destination,trips")?;
            for flow in &found {
                let name = |own: u32| tiling.name(declared[own as usize], 0);
                writeln!(sink, "{},{},{}", name(flow.origin), name(flow.destination), flow.count)?;
            }
            Ok(())
        })
    }
}

/// The squares of a public region.
fn declared_cells(options: &FlowMethod, tiling: &Tiling, plane: &Plane) -> Result<Vec<Cell>, KindError> {
    let wrong = || {
        KindError::key(
            "traces.bounds",
            "must be [west, south, east, north] in metres, with at most 8,192 cells",
        )
    };
    let [west, south, east, north] = options.bounds.map(i64::from);
    let side = i64::from(options.side);
    let count = |low: i64, high: i64| (high - low + side - 1).checked_div(side).filter(|own| *own > 0);
    let (columns, rows) = (count(west, east).ok_or_else(wrong)?, count(south, north).ok_or_else(wrong)?);
    if columns.saturating_mul(rows) > 8192 {
        return Err(wrong());
    }
    let mut cells = Vec::new();
    for column in 0..columns {
        for row in 0..rows {
            let at = Position::from_metres((west + column * side) as f64, (south + row * side) as f64);
            cells.push(tiling.finest(plane, at.ok_or_else(wrong)?)?);
        }
    }
    cells.sort_unstable();
    cells.dedup();
    Ok(cells)
}

/// Whether the records of a method are whole traces.
pub(super) fn unit_of(method: &Method) -> Option<Unit> {
    if let Method::Cells(own) = method { Some(own.unit) } else { None }
}
