//! The editor of groups in step 3: a hierarchy that is written down, value by value and level by level.
//!
//! Every level of the hierarchy has fields, and what a form does not show keeps its label, so saving an unchanged form gives the same
//! hierarchy: its values (those that the data does not hold too), its levels and its top. A form that was made from another hierarchy than the
//! one that is there is refused.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use axum::response::Response;
use maud::{Markup, html};
use privet_data::hierarchy::{HierarchySpec, parse_hierarchy, read_hierarchy, write_hierarchy};
use privet_data::{Column, Hierarchy};

use super::hierarchies::{Asked, column_of, counts, said, save, spec_of};
use super::{Context, changed, grouped};
use crate::routes::Posted;

/// Values on one page of the editor.
const MOST_VALUES: usize = 400;

/// The fields of a form by their names.
type Fields<'a> = HashMap<&'a str, &'a str>;

/// A hierarchy as its labels: one row per value, one text per level, without a top that all values share.
struct Ladder {
    values: Vec<Box<str>>,
    /// Level by level, from the one above the values; per value its label.
    levels: Vec<Vec<Box<str>>>,
    /// The label of all values, where there is one.
    top: Option<Box<str>>,
}

impl Ladder {
    /// The hierarchy of a column that is written down; values of the column that it lacks come last, each for itself.
    fn of(cx: &Context, column: &Column, spec: &HierarchySpec) -> Result<Option<Self>, String> {
        let folder = cx.project.folder();
        let hierarchy = match spec {
            HierarchySpec::File(path) => read_hierarchy(&folder.join(path)),
            HierarchySpec::Tree(_) | HierarchySpec::Groups(_) => spec.written(),
            _ => return Ok(None),
        };
        let hierarchy = hierarchy.map_err(|error| crate::project::plain(&error.to_string(), folder))?;
        let mut ladder = Self::from(&hierarchy);
        let catches_all = ladder.values.iter().any(|own| &**own == "*");
        if !catches_all {
            let sameness = column.domain.sameness();
            let known: HashSet<String> =
                ladder.values.iter().map(|own| sameness.key(own).into_owned()).collect();
            let texts = column.domain.texts().iter().skip(column.domain.missing() as usize);
            let lacking: Vec<Box<str>> =
                texts.filter(|text| !known.contains(&*sameness.key(text))).cloned().collect();
            ladder.levels.iter_mut().for_each(|level| level.extend(lacking.iter().cloned()));
            ladder.values.extend(lacking);
        }
        Ok(Some(ladder))
    }

    /// The label of a value: on level 0 the value itself.
    fn label(&self, level: usize, value: usize) -> &str {
        match level.checked_sub(1) {
            None => &self.values[value],
            Some(above) => &self.levels[above][value],
        }
    }

    /// The same as a hierarchy.
    fn hierarchy(&self) -> Result<Hierarchy, String> {
        let mut levels = self.levels.clone();
        levels.extend(self.top.as_ref().map(|top| vec![top.clone(); self.values.len()]));
        Hierarchy::new(self.values.clone(), levels).map_err(|error| error.to_string())
    }

    /// A mark that changes with any value or label.
    fn mark(&self) -> String {
        let mut hasher = DefaultHasher::new();
        (&self.values, &self.levels, &self.top).hash(&mut hasher);
        format!("{:016x}", hasher.finish())
    }

    /// Whether a text field would change a label: it holds one line.
    fn has_lines(&self) -> bool {
        let mut texts = self.values.iter().chain(self.levels.iter().flatten());
        texts.any(|text| text.contains(['\n', '\r']))
    }

    /// The hierarchy that a form makes of this one.
    fn changed_by(&self, form: &Posted) -> Result<Self, String> {
        let fields: Fields<'_> = form.fields().collect();
        let mut made = Self { values: self.values.clone(), levels: Vec::new(), top: self.top.clone() };
        let mut below = self.values.clone();
        // One level more than there are: the form offers it.
        for level in 1..=self.levels.len() + 1 {
            let own = match level {
                1 => self.first_level(&fields),
                _ => self.level_above(level, &below, &fields),
            };
            nested(level, &below, &own)?;
            let was_same = level <= self.levels.len()
                && (0..self.values.len())
                    .all(|value| self.label(level, value) == self.label(level - 1, value));
            // A level that changes nothing is none, unless it was there before.
            if own != below || was_same {
                made.levels.push(own.clone());
            }
            below = own;
        }
        Ok(made)
    }

    /// The label of each value on level 1.
    fn first_level(&self, fields: &Fields<'_>) -> Vec<Box<str>> {
        let label = |value: usize| -> Box<str> {
            let stored = if self.levels.is_empty() { self.label(0, value) } else { self.label(1, value) };
            match fields.get(&*format!("v{value}")) {
                Some(text) => typed(text, stored, self.label(0, value)),
                None => stored.into(),
            }
        };
        (0..self.values.len()).map(label).collect()
    }

    /// The label of each value on a level above the first: that of the group it is in now, and for a group that got another name that of the
    /// group it was in.
    fn level_above(&self, level: usize, below: &[Box<str>], fields: &Fields<'_>) -> Vec<Box<str>> {
        let is_there = level <= self.levels.len();
        // What is above each group of the level below, as it was.
        let mut stored: BTreeMap<&str, &str> = BTreeMap::new();
        if level - 1 <= self.levels.len() {
            for value in 0..self.values.len() {
                let group = self.label(level - 1, value);
                stored.insert(group, if is_there { self.label(level, value) } else { group });
            }
        }
        let above = |group: &str| -> Option<Box<str>> {
            let was = stored.get(group).copied();
            match fields.get(&*format!("g{level}:{group}")) {
                Some(text) => Some(typed(text, was.unwrap_or(group), group)),
                None => was.map(Box::from),
            }
        };
        let label = |value: usize| -> Box<str> {
            let group = &*below[value];
            if let Some(label) = above(group) {
                return label;
            }
            let before = if level - 1 <= self.levels.len() { self.label(level - 1, value) } else { group };
            match above(before) {
                Some(label) if &*label != before => label,
                // A group that had no larger one has none under its new name.
                _ => group.into(),
            }
        };
        (0..self.values.len()).map(label).collect()
    }
}

impl From<&Hierarchy> for Ladder {
    fn from(hierarchy: &Hierarchy) -> Self {
        let mut levels: Vec<Vec<Box<str>>> = hierarchy
            .levels()
            .iter()
            .map(|level| level.node_of_leaf.iter().map(|&node| level.labels[node as usize].clone()).collect())
            .collect();
        let top = match hierarchy.levels().last().map(|level| level.labels.as_slice()) {
            Some([top]) => Some(top.clone()),
            _ => None,
        };
        if top.is_some() {
            levels.pop();
        }
        Self { values: hierarchy.leaves().to_vec(), levels, top }
    }
}

/// What a field says: nothing is the label below, and what was not touched stays as it was.
fn typed(text: &str, stored: &str, below: &str) -> Box<str> {
    match text.trim() {
        _ if text == stored => stored.into(),
        "" => below.into(),
        trimmed => trimmed.into(),
    }
}

/// Refuses a level on which one group of the level below lies in two.
fn nested(level: usize, below: &[Box<str>], own: &[Box<str>]) -> Result<(), String> {
    let mut above: BTreeMap<&str, &str> = BTreeMap::new();
    for (group, label) in below.iter().zip(own) {
        if *above.entry(group).or_insert(label) != &**label {
            return Err(format!(
                "a group of level {} was put together from groups that lie in different groups of level {level}, so nothing was saved; give \
                 them the same group on level {level} first",
                level - 1
            ));
        }
    }
    Ok(())
}

/// The editor: a field for the group of each value, which rows can be dragged to as well, and one for the group of each group.
pub(super) fn editor(
    cx: &Context,
    number: usize,
    column: &Column,
    spec: Option<&HierarchySpec>,
    asked: &Asked,
) -> Markup {
    let Some(spec) = spec else { return html! {} };
    let ladder = match Ladder::of(cx, column, spec) {
        Ok(Some(ladder)) => ladder,
        Ok(None) => return html! {},
        Err(problem) => return super::alert(&problem),
    };
    if ladder.has_lines() {
        return html! { p class="hint" { "Some labels hold several lines, which the fields of a form do not; edit the file of the hierarchy elsewhere." } };
    }
    let wanted = asked.find.as_deref().unwrap_or_default().trim().to_lowercase();
    let found: Vec<usize> =
        (0..ladder.values.len()).filter(|&own| ladder.values[own].to_lowercase().contains(&wanted)).collect();
    let from = asked.from.unwrap_or(0).min(found.len().saturating_sub(1)) / MOST_VALUES * MOST_VALUES;
    let shown: Vec<usize> = found.iter().copied().skip(from).take(MOST_VALUES).collect();
    html! {
        h3 { "Groups" }
        p class="hint" {
            "Name the group of each value, or drag a value onto a group. Values of one group look alike on the first step. An empty field leaves a value or a group by itself."
            @if !matches!(spec, HierarchySpec::File(_)) { " What is saved goes to a file of its own, which the job file then names." }
        }
        @if ladder.values.len() > MOST_VALUES { (pages(cx, number, asked, found.len(), from)) }
        form method="post" action=(cx.to("groups")) id="groups" {
            (cx.secret())
            input type="hidden" name="column" value=(number);
            input type="hidden" name="of" value=(ladder.mark());
            (values(column, &ladder, &shown))
            @for level in 2..=ladder.levels.len() + 1 { (larger(&ladder, level, &shown)) }
            button type="submit" { "Save groups" }
        }
    }
}

/// What leads through more values than a page shows.
fn pages(cx: &Context, number: usize, asked: &Asked, found: usize, from: usize) -> Markup {
    let find = asked.find.clone().unwrap_or_default();
    let step = |from: usize, text: &str| {
        html! { form method="get" action=(cx.to("hierarchies")) class="inline" {
            input type="hidden" name="column" value=(number);
            input type="hidden" name="find" value=(find);
            input type="hidden" name="from" value=(from);
            button type="submit" class="quiet" { (text) }
        } }
    };
    html! {
        form method="get" action=(cx.to("hierarchies")) {
            input type="hidden" name="column" value=(number);
            label { "Values that hold " input type="search" name="find" value=(find); } " "
            button type="submit" class="quiet" { "Find" }
        }
        p class="hint" { "Values " (grouped((from + 1).min(found) as u64)) " to " (grouped((from + MOST_VALUES).min(found) as u64)) " of " (grouped(found as u64))
            ". Save before you go on; values that are not shown keep their groups." }
        @if from > 0 { (step(from.saturating_sub(MOST_VALUES), "Previous")) }
        @if from + MOST_VALUES < found { (step(from + MOST_VALUES, "Next")) }
    }
}

/// The group of each value.
fn values(column: &Column, ladder: &Ladder, shown: &[usize]) -> Markup {
    let counts = counts(column);
    let sameness = column.domain.sameness();
    let mut records: BTreeMap<String, u64> = BTreeMap::new();
    let texts = column.domain.texts().iter().zip(&counts).skip(column.domain.missing() as usize);
    for (text, count) in texts {
        *records.entry(sameness.key(text).into_owned()).or_default() += count;
    }
    // A value that is its own group is in none that has a name.
    let group = |value: usize| match ladder.levels.first() {
        Some(level) if level[value] != ladder.values[value] => &*level[value],
        _ => "",
    };
    let mut names: Vec<&str> = (0..ladder.values.len()).map(group).filter(|own| !own.is_empty()).collect();
    names.sort_unstable();
    names.dedup();
    html! {
        datalist id="names" { @for name in &names { option value=(name) {} } }
        ul class="chips" id="chips" aria-label="Groups" { @for name in &names { li class="chip" data-group=(name) { (name) } } }
        div class="scroll" tabindex="0" role="region" aria-label="Values and their groups" { table {
            thead { tr { th scope="col" { "Value" } th scope="col" { "Records" } th scope="col" { "Group" } } }
            tbody { @for &value in shown {
                @let text = &*ladder.values[value];
                tr draggable="true" { th scope="row" { (text) } td { (grouped(records.get(&*sameness.key(text)).copied().unwrap_or(0))) }
                    td { input type="text" name=(format!("v{value}")) list="names" value=(group(value)) aria-label=(format!("Group of {text}")); } }
            } }
        } }
    }
}

/// The larger group of each group of the level below, as far as its values are shown.
fn larger(ladder: &Ladder, level: usize, shown: &[usize]) -> Markup {
    let is_there = level <= ladder.levels.len();
    let mut groups: BTreeMap<&str, &str> = BTreeMap::new();
    if level - 1 <= ladder.levels.len() {
        for &value in shown {
            let group = ladder.label(level - 1, value);
            // A value for itself is no group, unless it gets one here.
            if group != &*ladder.values[value] || is_there && ladder.label(level, value) != group {
                groups.insert(group, if is_there { ladder.label(level, value) } else { group });
            }
        }
    }
    let title = if level == 2 { "Groups of groups".to_owned() } else { format!("Groups of level {level}") };
    html! {
        @if is_there || groups.len() > 1 {
            h3 { (title) }
            div class="scroll" tabindex="0" role="region" aria-label=(format!("{title}: group and larger group")) { table {
                thead { tr { th scope="col" { "Group of level " (level - 1) } th scope="col" { "Larger group" } } }
                tbody { @for (&group, &label) in &groups {
                    tr { th scope="row" { (group) } td { input type="text" name=(format!("g{level}:{group}"))
                        value=(if label == group { "" } else { label }) aria-label=(format!("Larger group of {group} on level {level}")); } }
                } }
            } }
        }
    }
}

/// Saves what a form of the editor says.
pub(crate) async fn change(cx: Context, form: Posted) -> Response {
    let page = format!("hierarchies?column={}", form.get("column").parse::<usize>().unwrap_or(0));
    let outcome = cx
        .blocking(move |cx| {
            let input = cx.project.table()?;
            let column = column_of(&input.table, &form)?;
            let spec = said(&cx.project.job_table()?, &column.name).as_ref().map(spec_of).transpose()?;
            let none = || "the column has no groups; choose groups first".to_owned();
            let ladder = Ladder::of(cx, column, &spec.ok_or_else(none)?)?.ok_or_else(none)?;
            if form.get("of") != ladder.mark() {
                return Err("the hierarchy was changed after this page was made, so nothing was saved; load the page again".to_owned());
            }
            let hierarchy = ladder.changed_by(&form)?.hierarchy()?;
            let mut bytes = Vec::new();
            write_hierarchy(&mut bytes, &hierarchy, b';').map_err(|error| error.to_string())?;
            // What was written is what will be read.
            if parse_hierarchy(&bytes).map_err(|error| error.to_string())? != hierarchy {
                return Err("these labels cannot be written to a file, so nothing was saved".to_owned());
            }
            save(cx, column, form.get("column"), &hierarchy)
        })
        .await;
    changed(&cx, &page, outcome)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOUR: &[u8] = b"Bonn;Rhine;West;Germany;*\nKoblenz;Rhine;West;Germany;*\nUlm;Danube;South;Germany;*\nLinz;Danube;South;Germany;*\n\
        Wien;Wien;East;Austria;*\nGraz;Graz;East;Austria;*\n";

    fn ladder(bytes: &[u8]) -> Ladder {
        Ladder::from(&parse_hierarchy(bytes).unwrap())
    }

    /// What the page of a hierarchy sends when nothing is changed.
    fn fields(ladder: &Ladder) -> Vec<(String, String)> {
        let mut fields = Vec::new();
        for value in 0..ladder.values.len() {
            let label = ladder.levels.first().map_or("", |level| &*level[value]);
            let is_own = label == &*ladder.values[value];
            fields.push((format!("v{value}"), if is_own { String::new() } else { label.to_owned() }));
        }
        for level in 2..=ladder.levels.len() + 1 {
            for value in 0..ladder.values.len() {
                let below = ladder.label(level - 1, value);
                let label = if level <= ladder.levels.len() { ladder.label(level, value) } else { below };
                let shown = if label == below { String::new() } else { label.to_owned() };
                fields.push((format!("g{level}:{below}"), shown));
            }
        }
        fields
    }

    fn set(fields: &mut [(String, String)], name: &str, text: &str) {
        let mut found = 0;
        for (_, value) in fields.iter_mut().filter(|(own, _)| own == name) {
            *value = text.to_owned();
            found += 1;
        }
        assert!(found > 0, "{name}");
    }

    #[test]
    fn an_unchanged_form_gives_the_same_hierarchy() {
        for bytes in [
            FOUR,
            b"a;x;x;*\nb;x;x;*\nc;y;y;*\n",
            b"a;g;*\n*;rest;*\n",
            b"a;*\nb;*\n",
            b"a;x\nb;y\n",
            b"a;*;*\nb;g;*\n",
            b"a;any;all\nb;any;all\n",
        ] {
            let before = ladder(bytes);
            let form = Posted::of(fields(&before));
            let after = before.changed_by(&form).unwrap().hierarchy().unwrap();
            assert_eq!(after, parse_hierarchy(bytes).unwrap(), "{}", String::from_utf8_lossy(bytes));
            // A page of some values keeps the others.
            let some = Posted::of(fields(&before).into_iter().take(1).collect());
            assert_eq!(before.changed_by(&some).unwrap().hierarchy().unwrap(), after);
        }
    }

    #[test]
    fn a_group_that_gets_another_name_keeps_its_larger_groups() {
        let before = ladder(FOUR);
        let mut form = fields(&before);
        set(&mut form, "v0", "Rhein");
        set(&mut form, "v1", "Rhein");
        let after = before.changed_by(&Posted::of(form)).unwrap();
        assert_eq!(after.levels[0][..2], ["Rhein".into(), "Rhein".into()]);
        assert_eq!(after.levels[1..], before.levels[1..]);
        // One that moves to another group takes that group's larger ones.
        let mut form = fields(&before);
        set(&mut form, "v3", "Rhine");
        let after = before.changed_by(&Posted::of(form)).unwrap();
        assert_eq!(after.label(2, 3), "West");
        // Two groups that lie in different ones are not put together under a third name.
        let mut form = fields(&before);
        set(&mut form, "v0", "Rivers");
        set(&mut form, "v2", "Rivers");
        assert!(before.changed_by(&Posted::of(form)).err().unwrap().contains("level 2"));
    }

    #[test]
    fn groups_begin_with_every_value_for_itself() {
        let before = ladder(b"a;*\nb;*\nc;*\n");
        let mut form = fields(&before);
        set(&mut form, "v0", " g ");
        set(&mut form, "v1", "g");
        let after = before.changed_by(&Posted::of(form)).unwrap();
        assert_eq!(after.hierarchy().unwrap(), parse_hierarchy(b"a;g;*\nb;g;*\nc;c;*\n").unwrap());
        // And end so, when every group is emptied.
        let mut form = fields(&after);
        set(&mut form, "v0", "");
        set(&mut form, "v1", "");
        assert_eq!(after.changed_by(&Posted::of(form)).unwrap().levels.len(), 0);
    }
}
