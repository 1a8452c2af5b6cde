//! Cells for positions or traces, by any criterion that judges a group by itself and that the referee can judge again.

use privet_criteria::{Criterion, Requirement, SensitiveColumn, build, resolve};
use privet_kind::KindError;
use privet_release::Promised;
use privet_release::verify::{GroupedValues, judge_grouped_values};

use super::super::files::{self, VISITS};
use super::super::job::Cells;
use super::Making;
use crate::{Generalize, Generalized, Plane, Tiling, generalize, record_labels};

impl Making<'_> {
    pub(super) fn generalized(&mut self, options: &Cells) -> Result<(), KindError> {
        let levels = options.levels;
        let tiling = match self.traces.plane {
            Plane::Local { .. } => {
                let finest = u8::try_from(options.finest.unwrap_or(9)).unwrap_or(u8::MAX);
                Tiling::H3 { finest, coarsest: finest.saturating_sub(levels.saturating_sub(1)) }
            }
            Plane::Metres => {
                let side = options.finest.unwrap_or(400).checked_mul(100).unwrap_or(0);
                Tiling::Squares { side, levels }
            }
        };
        tiling.check(&self.traces.plane)?;
        let asked = Generalize { tiling, window: options.window, unit: options.unit };
        let (requirements, criteria) = self.criteria(options, &asked)?;
        let done = generalize(&self.traces, &asked, &criteria, self.progress)?;
        if done.records.is_empty() {
            return Err(KindError::refused("no group satisfies the criteria; lower k or use more levels"));
        }
        self.body.tiling = Some(tiling);
        self.say("records published", done.records.len());
        self.say("records suppressed", done.suppressed);
        self.say("records left out beside another of the person", done.repeated);
        for (level, count) in done.levels.iter().enumerate() {
            self.say(&format!("records at level {level}"), count);
        }
        let smallest = done.groups.chunk_by(|a, b| a == b).map(<[u32]>::len).min().unwrap_or_default();
        self.promise(Promised::new("k-anonymity").with("k", options.k).reaching(smallest as f64));
        if options.l > 1 {
            self.promise(Promised::new("l-diversity").with("l", options.l));
        }
        let values = self.values();
        self.promise_criteria(&requirements, &done, &values)?;
        files::write(self.draft, VISITS, |sink| {
            writeln!(sink, "record,span,cell{}", if values.is_empty() { "" } else { ",value" })?;
            for (number, record) in done.records.iter().enumerate() {
                for visit in &record.visits {
                    write!(sink, "{number},{},{}", visit.window, tiling.name(visit.cell, visit.level))?;
                    if let Some(label) = record.label {
                        write!(sink, ",{}", files::quoted(&values[label as usize]))?;
                    }
                    writeln!(sink)?;
                }
            }
            Ok(())
        })?;
        let objects: Vec<u32> =
            done.records.iter().map(|own| self.traces.object(own.source as usize)).collect();
        self.keep(&objects);
        Ok(())
    }

    /// What the job asks for besides k and l, and all criteria, ready to judge groups.
    fn criteria(
        &self,
        options: &Cells,
        asked: &Generalize,
    ) -> Result<(Vec<Requirement>, Vec<Box<dyn Criterion>>), KindError> {
        let wrong = |error: privet_criteria::CriterionError| KindError::bad_input(error.to_string());
        let people = self.traces.object_count() as u64;
        let mut all = vec![Requirement::KAnonymity { k: options.k.into() }];
        if options.l <= 1 && options.criteria.is_empty() {
            return Ok((Vec::new(), build(&all, &[], None, people).map_err(wrong)?));
        }
        let labels = self.traces.labels.as_ref().ok_or_else(|| {
            let key = if options.l > 1 { "traces.l" } else { "traces.criteria" };
            KindError::key(key, "needs a column of sensitive values, `input.sensitive`")
        })?;
        if options.l > 1 {
            let value = serde_json::json!({ "l": options.l, "column": labels.name });
            all.extend(Requirement::parse("l-diversity", &value).map_err(wrong)?);
        }
        let mut more = Vec::new();
        for (key, value) in &options.criteria {
            more.extend(Requirement::parse(key, value).map_err(wrong)?);
        }
        let more = resolve(&more, &[&labels.name]).map_err(wrong)?;
        all.extend(more.iter().cloned());
        // The whole that a group is compared with is that of the records, of which a person has one per cell and span.
        let counts = record_labels(&self.traces, asked)?;
        let column =
            SensitiveColumn { name: &labels.name, domain: &labels.domain, counts: &counts, hierarchy: None };
        Ok((more, build(&all, &[column], None, people).map_err(wrong)?))
    }

    /// Promises each further criterion, when it can be judged again from what is published.
    fn promise_criteria(
        &mut self,
        requirements: &[Requirement],
        done: &Generalized,
        values: &[String],
    ) -> Result<(), KindError> {
        let Some(labels) = self.traces.labels.as_ref().filter(|_| !requirements.is_empty()) else {
            return Ok(());
        };
        let published = GroupedValues {
            column: labels.name.clone(),
            groups: done.groups.clone(),
            values: done
                .records
                .iter()
                .map(|own| own.label.map_or("", |label| &values[label as usize]).to_owned())
                .collect(),
            given: done.given,
        };
        let mut promises = Vec::new();
        for requirement in requirements {
            let value = serde_json::to_value(requirement)
                .map_err(|_| KindError::key("traces.criteria", "holds a number that is not finite"))?;
            let judged = judge_grouped_values(&value, &published, self.progress)?;
            if !judged.ok {
                return Err(KindError::key(
                    format!("traces.criteria.{}", requirement.key()),
                    format!("cannot be promised for cells: {}", judged.detail),
                ));
            }
            promises.push(
                Promised::new("criterion")
                    .with("requirement", value)
                    .with("column", labels.name.as_str())
                    .with("records", done.given),
            );
        }
        promises.into_iter().for_each(|own| self.promise(own));
        Ok(())
    }
}
