//! The page of a model: the tree drawn with its spans and populations, clusters as a picture, rules as a table.

use privet_kind::page::{Anchor, Block, Cell, Drawing, PageSection, Shape, Table, Tone};
use privet_mine::bayes::BayesRelease;
use privet_mine::cluster::{AxisDomain, ClusterRelease};
use privet_mine::rules::RuleRelease;
use privet_mine::tree::{Test, TreeModel, TreeRelease, described};

use crate::PublishedModel;

/// Rows that a table shows.
const MOST_ROWS: usize = 200;
/// Leaves and folded nodes up to which a tree is drawn.
const MOST_LEAVES: usize = 60;

pub(crate) fn sections(model: &PublishedModel) -> Vec<PageSection> {
    match model {
        PublishedModel::Tree(own) => tree(own),
        PublishedModel::Clusters(own) => clusters(own),
        PublishedModel::Rules(own) => rules(own),
        PublishedModel::Bayes(own) => bayes(own),
    }
}

/// What of a long table is shown, said below it.
fn cut(shown: usize, all: usize, what: &str) -> Option<Block> {
    (shown < all)
        .then(|| Block::text(format!("The first {shown} of {all} {what} are shown; the file holds all.")))
}

fn tree(release: &TreeRelease) -> Vec<PageSection> {
    let model = &release.model;
    let mut blocks = Vec::new();
    for (place, &root) in model.roots.iter().enumerate().take(8) {
        blocks.push(Block::Drawing(drawn(release, root, place)));
    }
    let classes = &model.schema.class.values;
    let columns = ["span", "public attributes", "leaves", "people"].iter().map(|&own| own.to_owned());
    let shown: Vec<&[u32]> = release.spans.iter().take(MOST_ROWS).map(|span| &span.leaves[..]).collect();
    let described = described(model, &shown);
    let rows = release.spans.iter().take(MOST_ROWS).enumerate().map(|(place, span)| {
        let mut counts = vec![0u64; classes.len()];
        for own in &span.populations {
            counts.iter_mut().zip(&own.counts).for_each(|(sum, count)| *sum += count);
        }
        let leaves: Vec<String> = span.leaves.iter().map(u32::to_string).collect();
        let own: Vec<String> =
            described[place].iter().map(|(name, label)| format!("{name}: {label}")).collect();
        let own = if own.is_empty() { "any".to_owned() } else { own.join("; ") };
        let mut row =
            vec![Cell::from(place as u64 + 1), own.into(), leaves.join(" ").into(), span.records().into()];
        row.extend(counts.into_iter().map(Cell::from));
        row
    });
    let table = Table {
        caption: "Spans: the leaves that people with the same public attributes may reach, and how many people these are by class".to_owned(),
        columns: columns.chain(classes.iter().cloned()).collect(),
        rows: rows.collect(),
    };
    let mut spans = vec![Block::Table(table)];
    spans.extend(cut(MOST_ROWS, release.spans.len(), "spans"));
    vec![PageSection::new("tree", "Tree", blocks), PageSection::new("spans", "Spans", spans)]
}

fn leaves_below(model: &TreeModel, node: u32) -> usize {
    match model.is_leaf(node) {
        true => 1,
        false => {
            let children = model.nodes[node as usize].children.iter().flatten();
            children.map(|&child| leaves_below(model, child)).sum()
        }
    }
}

/// The ends of a drawing that is folded below so many levels: leaves, and nodes whose children are not drawn.
fn ends(model: &TreeModel, node: u32, levels: usize) -> usize {
    if levels == 0 || model.is_leaf(node) {
        return 1;
    }
    let children = model.nodes[node as usize].children.iter().flatten();
    children.map(|&child| ends(model, child, levels - 1)).sum()
}

/// The most levels that can be drawn.
fn levels(model: &TreeModel, root: u32) -> usize {
    let leaves = leaves_below(model, root);
    let mut levels = 0;
    while ends(model, root, levels) < leaves && ends(model, root, levels + 1) <= MOST_LEAVES {
        levels += 1;
    }
    levels
}

/// Room for a leaf from left to right, and for a level from top to bottom.
const WIDTH: f64 = 120.0;
const HEIGHT: f64 = 86.0;

struct Canvas<'a> {
    release: &'a TreeRelease,
    counts: Vec<Vec<u64>>,
    shapes: Vec<Shape>,
    next: f64,
    depth: f64,
    /// Levels that are drawn.
    levels: usize,
}

fn drawn(release: &TreeRelease, root: u32, place: usize) -> Drawing {
    let mut canvas = Canvas {
        release,
        counts: release.node_counts(),
        shapes: Vec::new(),
        next: 10.0,
        depth: 0.0,
        levels: 0,
    };
    canvas.levels = levels(&release.model, root);
    canvas.node(root, 0);
    let leaves = leaves_below(&release.model, root);
    let drawn = match ends(&release.model, root, canvas.levels) {
        ends if ends < leaves => {
            format!(
                " Of its {leaves} leaves those below {} levels are folded: a folded node tells how many it has.",
                canvas.levels
            )
        }
        _ => String::new(),
    };
    Drawing {
        caption: match release.model.roots.len() {
            1 => format!("The tree, with how many people of each class passed every node.{drawn}"),
            all => format!(
                "Tree {} of {all}, with how many people of each class passed every node.{drawn}",
                place + 1
            ),
        },
        description: format!(
            "A decision tree with {leaves} leaves; the table of spans below tells the same numbers."
        ),
        width: canvas.next.max(WIDTH) + 10.0,
        height: canvas.depth + HEIGHT,
        shapes: canvas.shapes,
    }
}

impl Canvas<'_> {
    /// Draws a node with everything below it; gives back where it stands.
    fn node(&mut self, at: u32, level: usize) -> f64 {
        let top = level as f64 * HEIGHT;
        self.depth = self.depth.max(top);
        let model = &self.release.model;
        let node = &model.nodes[at as usize];
        let is_folded = level == self.levels && node.test.is_some();
        let x = match node.test.filter(|_| !is_folded) {
            None => {
                let x = self.next + WIDTH / 2.0;
                self.next += WIDTH;
                x
            }
            Some(test) => {
                let mut places = Vec::new();
                for (answer, &child) in node.children.iter().enumerate() {
                    if let Some(child) = child {
                        places.push((self.node(child, level + 1), answer));
                    }
                }
                let (first, last) =
                    (places.first().map_or(0.0, |own| own.0), places.last().map_or(0.0, |own| own.0));
                let x = (first + last) / 2.0;
                for (below, answer) in places {
                    let points = vec![(x, top + 44.0), (below, top + HEIGHT)];
                    self.shapes.push(Shape::Line { points, tone: Tone::Faint });
                    let text = shortened(&answered(model, test, answer), 18);
                    self.label((x * 0.35 + below * 0.65, top + 72.0), text);
                }
                x
            }
        };
        let counts = &self.counts[at as usize];
        let all: u64 = counts.iter().sum();
        let is_alike = all > 0 && counts.iter().filter(|&&count| count > 0).count() == 1;
        let tone = match (node.test.is_none(), is_alike) {
            (true, true) => Tone::Alarm,
            (true, false) => Tone::After,
            _ => Tone::Faint,
        };
        self.shapes.push(Shape::Circle { centre: (x, top + 10.0), radius: 5.0, tone });
        let title = match node.test {
            Some(_) if is_folded => format!("… {} leaves", leaves_below(model, at)),
            Some(test) => model.schema.attributes[test.attribute()].name.clone(),
            None => format!("leaf {at}"),
        };
        let texts: Vec<String> = counts.iter().map(u64::to_string).collect();
        self.label((x, top + 28.0), shortened(&title, 18));
        self.label((x, top + 41.0), shortened(&texts.join(" / "), 20));
        x
    }

    fn label(&mut self, at: (f64, f64), text: String) {
        self.shapes.push(Shape::Label { at, text, anchor: Anchor::Middle });
    }
}

fn answered(model: &TreeModel, test: Test, answer: usize) -> String {
    match test {
        Test::AtMost { number, .. } => format!("{} {number}", ["≤", ">"][answer]),
        Test::Category { attribute, level } => {
            model.schema.attributes[attribute].label(level, answer as u32).to_owned()
        }
    }
}

fn shortened(text: &str, most: usize) -> String {
    match text.chars().count() > most {
        true => text.chars().take(most - 1).chain(['…']).collect(),
        false => text.to_owned(),
    }
}

fn clusters(release: &ClusterRelease) -> Vec<PageSection> {
    let mut members = vec![0u64; release.centroids.len()];
    for span in &release.spans {
        for (&cluster, &count) in span.clusters.iter().zip(&span.populations) {
            members[cluster as usize] += count;
        }
    }
    let axes = &release.space.axes;
    let value = |axis: usize, position: u32| match &axes[axis].domain {
        AxisDomain::Numbers { .. } => Cell::from(axes[axis].number(position).unwrap_or(f64::NAN)),
        AxisDomain::Categories { values } => Cell::from(values[position as usize].clone()),
    };
    let row = |(place, centroid): (usize, &Vec<u32>)| {
        let mut row = vec![Cell::from(place as u64 + 1), members[place].into()];
        row.extend(centroid.iter().enumerate().map(|(axis, &position)| value(axis, position)));
        row
    };
    let table = Table {
        caption: "Clusters: their records and centroids".to_owned(),
        columns: ["cluster", "people"]
            .map(str::to_owned)
            .into_iter()
            .chain(axes.iter().map(|axis| axis.name.clone()))
            .collect(),
        rows: release.centroids.iter().enumerate().take(MOST_ROWS).map(row).collect(),
    };
    let mut blocks: Vec<Block> = picture(release, &members).map(Block::Drawing).into_iter().collect();
    blocks.push(Block::Table(table));
    blocks.extend(cut(MOST_ROWS, release.centroids.len(), "clusters"));
    let spans = release.spans.iter().take(MOST_ROWS).map(|span| {
        let text = |own: String| Cell::from(own);
        let clusters: Vec<String> = span.clusters.iter().map(|own| (own + 1).to_string()).collect();
        let people: Vec<String> = span.populations.iter().map(u64::to_string).collect();
        vec![text(clusters.join(" ")), span.records().into(), text(people.join(" "))]
    });
    let table = Table {
        caption: "Spans: the clusters that people with the same public attributes may belong to".to_owned(),
        columns: ["clusters", "people", "people by cluster"].map(str::to_owned).to_vec(),
        rows: spans.collect(),
    };
    let mut told = vec![Block::Table(table)];
    told.extend(cut(MOST_ROWS, release.spans.len(), "spans"));
    vec![PageSection::new("clusters", "Clusters", blocks), PageSection::new("spans", "Spans", told)]
}

/// Centroids over the first two axes; the area of a circle is its share of the people.
fn picture(release: &ClusterRelease, members: &[u64]) -> Option<Drawing> {
    let [x, y, ..] = &release.space.axes[..] else { return None };
    let place = |axis: &privet_mine::cluster::Axis, position: u32| {
        let last = match &axis.domain {
            AxisDomain::Numbers { steps, .. } => *steps,
            AxisDomain::Categories { values } => (values.len() as u32).saturating_sub(1),
        };
        f64::from(position) / f64::from(last.max(1))
    };
    let frame = vec![(40.0, 20.0), (40.0, 320.0), (440.0, 320.0)];
    let mut shapes = vec![Shape::Line { points: frame, tone: Tone::Faint }];
    for (cluster, centroid) in release.centroids.iter().enumerate() {
        let centre = (40.0 + 400.0 * place(x, centroid[0]), 320.0 - 300.0 * place(y, centroid[1]));
        let share = members[cluster] as f64 / release.records.max(1) as f64;
        shapes.push(Shape::Circle { centre, radius: 3.0 + 30.0 * share.sqrt(), tone: Tone::After });
        let text = (cluster + 1).to_string();
        shapes.push(Shape::Label { at: (centre.0, centre.1 + 4.0), text, anchor: Anchor::Middle });
    }
    shapes.push(Shape::Label { at: (440.0, 338.0), text: shortened(&x.name, 30), anchor: Anchor::End });
    shapes.push(Shape::Label { at: (40.0, 14.0), text: shortened(&y.name, 30), anchor: Anchor::Start });
    Some(Drawing {
        caption: format!("Centroids by {} and {}", x.name, y.name),
        description: format!(
            "{} circles at the centroids of the clusters; the table below tells the same.",
            members.len()
        ),
        width: 460.0,
        height: 346.0,
        shapes,
    })
}

fn bayes(release: &BayesRelease) -> Vec<PageSection> {
    let count = |own: Option<u64>| own.map_or(Cell::from("hidden"), Cell::from);
    let head = |first: &str| -> Vec<String> {
        std::iter::once(first.to_owned()).chain(release.class.values.iter().cloned()).collect()
    };
    let mut row = vec![Cell::from("people")];
    row.extend(release.classes.iter().copied().map(count));
    let table =
        Table { caption: format!("People by {}", release.class.name), columns: head(""), rows: vec![row] };
    let classes = vec![Block::Table(table)];
    let mut blocks = Vec::new();
    for (column, counts) in release.attributes.iter().zip(&release.counts) {
        let row = |(value, label): (usize, &String)| {
            let mut row = vec![Cell::from(label.clone())];
            row.extend(counts.iter().map(|own| count(own[value])));
            row
        };
        blocks.push(Block::Table(Table {
            caption: format!("People by {} and {}", column.name, release.class.name),
            columns: head(&column.name),
            rows: column.values.iter().enumerate().take(MOST_ROWS).map(row).collect(),
        }));
        blocks.extend(cut(MOST_ROWS, column.values.len(), "values"));
    }
    vec![PageSection::new("classes", "Classes", classes), PageSection::new("counts", "Counts", blocks)]
}

fn rules(release: &RuleRelease) -> Vec<PageSection> {
    let side = |items: &[u32]| -> Cell {
        let labels: Vec<&str> = items.iter().map(|&item| release.items[item as usize].as_str()).collect();
        labels.join(", ").into()
    };
    let records = release.records as f64;
    let rows = release.rules.iter().take(MOST_ROWS).map(|rule| {
        vec![
            side(&rule.antecedent),
            side(&rule.consequent),
            rule.support.into(),
            Cell::Share { share: rule.support as f64 / records },
            Cell::Share { share: rule.confidence() },
            rule.lift(release.records).map_or(Cell::from("not published"), Cell::from),
        ]
    });
    let table = Table {
        caption: "Rules".to_owned(),
        columns: ["antecedent", "consequent", "people", "support", "confidence", "lift"]
            .map(str::to_owned)
            .to_vec(),
        rows: rows.collect(),
    };
    let mut blocks = vec![Block::Table(table)];
    blocks.extend(cut(MOST_ROWS, release.rules.len(), "rules"));
    let model = release.model();
    let spans = release.spans.iter().take(MOST_ROWS).map(|span| {
        let of = |state: u32| span.states.iter().filter(|&&own| own == state).count() as u64;
        let tells = span.states.iter().enumerate().any(|(rule, &state)| model.varies(rule, state));
        vec![span.records.into(), of(1).into(), of(2).into(), Cell::from(if tells { "yes" } else { "no" })]
    });
    let columns = [
        "people",
        "rules with the antecedent only",
        "rules with both sides possible",
        "tells of private items",
    ];
    let table = Table {
        caption: "Spans: people whose public items leave the same outcomes of the rules open".to_owned(),
        columns: columns.map(str::to_owned).to_vec(),
        rows: spans.collect(),
    };
    let mut told = vec![Block::Table(table)];
    told.extend(cut(MOST_ROWS, release.spans.len(), "spans"));
    vec![PageSection::new("rules", "Rules", blocks), PageSection::new("spans", "Spans", told)]
}

#[cfg(test)]
mod tests {
    use privet_mine::tree::{GrowOptions, grow};
    use privet_mine::{Attribute, AttributeDomain, ClassAttribute, Examples, Schema, Values, Visibility};

    use super::*;

    /// 200 people who differ in a number, with classes that alternate: a tree of more leaves than are drawn is folded, and all people of
    /// the folded nodes are told.
    #[test]
    fn large_trees_are_drawn_folded() {
        let people = 200u32;
        let schema = Schema {
            attributes: vec![Attribute {
                name: "age".to_owned(),
                visibility: Visibility::Public,
                domain: AttributeDomain::Numbers,
            }],
            class: ClassAttribute {
                name: "ill".to_owned(),
                visibility: Visibility::Private,
                values: vec!["no".to_owned(), "yes".to_owned()],
            },
        };
        let ages = Values { codes: (0..people).collect(), numbers: (0..people).map(f64::from).collect() };
        let classes = (0..people).map(|own| u32::from(own % 3 == 0)).collect();
        let examples = Examples::new(schema, vec![ages], classes).unwrap();
        let release = grow(&examples, &GrowOptions::k_anonymous(1)).unwrap().release;
        let leaves = release.model.leaves().count();
        assert!(leaves > MOST_LEAVES, "{leaves}");
        let drawing = drawn(&release, release.model.roots[0], 0);
        let label = |shape: &Shape| match shape {
            Shape::Label { text, .. } => Some(text.clone()),
            _ => None,
        };
        let labels: Vec<String> = drawing.shapes.iter().filter_map(label).collect();
        let folded =
            labels.iter().filter_map(|own| own.strip_prefix("… ")?.strip_suffix(" leaves")?.parse().ok());
        let whole = labels.iter().filter(|own| own.starts_with("leaf ")).count();
        let folded: Vec<usize> = folded.collect();
        assert!(!folded.is_empty() && folded.len() + whole <= MOST_LEAVES);
        assert_eq!(folded.iter().sum::<usize>() + whole, leaves);
        assert!(drawing.caption.contains("folded"));
        let sections = tree(&release);
        let Block::Table(table) = &sections[1].blocks[0] else { panic!("no table of spans") };
        assert_eq!(table.columns[1], "public attributes");
    }
}
