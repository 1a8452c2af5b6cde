//! The pages of a release: what its kind says, and what every release says, as one page of blocks.
//!
//! A public page follows from the published files and the envelope alone, so `verify` makes it again and compares it.

use privet_kind::page::{Axis, Cell, Chart, Level, Style, Table, Verdict};
use privet_kind::{Assessment, Block, Finding, Kind, KindError, Page, PageSection, Release};
use privet_referee::REFEREES;
use privet_release::{Envelope, PAGES};

use crate::assess::{percent, sentence};

/// From this share on a page warns of an attack, whatever the limits are.
const WARNED: f64 = 0.05;

/// The page of a release for everybody.
///
/// # Errors
/// When the envelope does not hold what attacks found.
pub(crate) fn public(kind: &dyn Kind, release: &dyn Release, envelope: &Envelope) -> Result<Page, KindError> {
    let assessment = Assessment::deserialized(&envelope.assessment)?;
    Ok(page(kind, release, envelope, &assessment.public(), false))
}

/// The page of a release for the owner alone.
pub(crate) fn owner(
    kind: &dyn Kind,
    release: &dyn Release,
    envelope: &Envelope,
    assessment: &Assessment,
) -> Page {
    page(kind, release, envelope, assessment, true)
}

/// A page as the two files that a folder holds.
pub(crate) fn files(page: &Page) -> [(&'static str, Vec<u8>); 2] {
    let [html, json] = PAGES;
    let text = format!("{:#}\n", privet_report::page_json(page));
    [(html, privet_report::page_html(page).into_bytes()), (json, text.into_bytes())]
}

fn page(
    kind: &dyn Kind,
    release: &dyn Release,
    envelope: &Envelope,
    assessment: &Assessment,
    is_for_owner: bool,
) -> Page {
    let (title, subtitle) = release.heading();
    let mut sections = Vec::new();
    if !assessment.figures.is_empty() {
        sections.push(measured(kind, assessment));
    }
    sections.extend(release.sections(assessment));
    sections.push(attacks(kind, assessment));
    if !assessment.not_made.is_empty() {
        sections.push(not_made(kind, assessment));
    }
    sections.push(how(kind, envelope).folded());
    Page { title, subtitle, is_for_owner, verdict: verdict(envelope, assessment), sections }
}

/// The promises as sentences.
pub(crate) fn promises(envelope: &Envelope) -> Vec<String> {
    let referee = REFEREES.iter().find(|referee| referee.kind() == envelope.kind);
    let of = |promised| referee?.statement(promised);
    envelope.promises.iter().filter_map(of).collect()
}

fn verdict(envelope: &Envelope, assessment: &Assessment) -> Verdict {
    let mut points = promises(envelope);
    let counted = points.len();
    let worst = assessment.worst();
    match worst {
        Some(worst) => points.push(format!(
            "The strongest attack, {}, reaches {}.",
            titled(worst),
            reached(worst.risk())
        )),
        None => points.push("No attack that counts as a risk was made.".to_owned()),
    }
    match assessment.not_made.len() {
        0 => {}
        1 => points.push("1 attack was not made; the section below says why.".to_owned()),
        many => points.push(format!("{many} attacks were not made; the section below says why.")),
    }
    let exceeded = assessment.exceeded();
    if let Some(exceeded) = &exceeded {
        points.push(sentence(exceeded));
    }
    let is_doubtful = worst.is_none_or(|own| own.risk().is_nan() || own.risk() > WARNED);
    let (level, text) = match counted {
        _ if exceeded.is_some() => (Level::Bad, "An attack exceeds the limit"),
        0 => (Level::Warning, "This release promises no formal privacy"),
        _ if is_doubtful => (Level::Warning, "The promises hold, and an attack still succeeds"),
        1 => (Level::Good, "The promise holds"),
        _ => (Level::Good, "All promises hold"),
    };
    Verdict { level, text: text.to_owned(), points }
}

fn titled(finding: &Finding) -> String {
    match finding.variant.as_str() {
        "" => format!("`{}`", finding.attack),
        variant => format!("`{}` ({variant})", finding.attack),
    }
}

fn reached(share: f64) -> String {
    if share.is_nan() { "a share that is not known".to_owned() } else { format!("{} %", percent(share)) }
}

/// All attacks as a table, and their curves.
fn attacks(kind: &dyn Kind, assessment: &Assessment) -> PageSection {
    let share = |own: Option<privet_kind::Share>| match own {
        Some(own) => Cell::Share { share: own.rate() },
        None => Cell::from(""),
    };
    let rows = assessment.findings.iter().map(|own| {
        vec![
            Cell::from(match own.variant.as_str() {
                "" => own.attack.clone(),
                variant => format!("{}, {variant}", own.attack),
            }),
            share(Some(own.sure)),
            share(own.right),
            share(own.control),
            Cell::from(own.sure.of),
            Cell::from(if own.counts { "counts" } else { "informs" }),
        ]
    });
    let columns = ["attack", "sure", "sure and right", "control", "of", "standing"];
    let mut blocks = vec![
        Block::text(
            "Each attack sees the published files and what the adversary is assumed to know. An adversary is sure of a conclusion \
             when it passes the confidence that the job sets; the control is what the same attack reaches without the release.",
        ),
        Block::Table(Table {
            caption: "What attacks reach, as shares".to_owned(),
            columns: columns.map(str::to_owned).to_vec(),
            rows: rows.collect(),
        }),
    ];
    for own in assessment.findings.iter().filter(|own| !own.curves.is_empty()) {
        blocks.push(Block::Chart(Chart {
            caption: titled(own),
            x: Axis::linear("what the adversary knows"),
            y: Axis::share("share"),
            style: Style::Lines,
            series: own.curves.clone(),
        }));
    }
    for own in &assessment.findings {
        blocks.extend(own.notes.iter().map(|note| Block::Remark { note: note.clone() }));
    }
    let described = kind.attacks().iter().map(|attack| attack.info());
    let items = described.filter(|info| assessment.findings.iter().any(|own| own.attack == info.id));
    blocks.push(Block::List {
        items: items.map(|info| format!("{}: {} ({})", info.id, info.sentence, info.source)).collect(),
    });
    PageSection::new("attacks", "Attacks", blocks)
}

fn not_made(kind: &dyn Kind, assessment: &Assessment) -> PageSection {
    let title = |id: &str| {
        let info = kind.attacks().iter().map(|attack| attack.info()).find(|info| info.id == id);
        info.map_or_else(|| id.to_owned(), |info| info.title.to_owned())
    };
    let items =
        assessment.not_made.iter().map(|own| format!("{}: {}", title(&own.id), own.reason.sentence()));
    PageSection::new("not-made", "Attacks that were not made", vec![Block::List { items: items.collect() }])
}

/// What measures found, for the owner.
fn measured(kind: &dyn Kind, assessment: &Assessment) -> PageSection {
    let cell = |own: &privet_kind::Figure, value: f64| match own.is_share {
        true => Cell::Share { share: value },
        false => Cell::Number(value),
    };
    let title = |id: &str| {
        let info = kind.measures().iter().map(|own| own.info()).find(|info| info.id == id);
        info.map_or_else(|| id.to_owned(), |info| info.title.to_owned())
    };
    let rows = assessment.figures.iter().map(|own| {
        let before = own.before.map_or_else(|| Cell::from(""), |before| cell(own, before));
        vec![Cell::from(title(&own.measure)), Cell::from(own.name.clone()), before, cell(own, own.after)]
    });
    let mut blocks = vec![Block::Table(Table {
        caption: "The release beside its original".to_owned(),
        columns: ["measure", "figure", "original", "release"].map(str::to_owned).to_vec(),
        rows: rows.collect(),
    })];
    for own in assessment.figures.iter().filter(|own| !own.curves.is_empty()) {
        blocks.push(Block::Chart(Chart {
            caption: format!("{}: {}", title(&own.measure), own.name),
            x: Axis::linear("value"),
            y: Axis::linear("how often"),
            style: Style::Lines,
            series: own.curves.clone(),
        }));
    }
    for own in &assessment.figures {
        blocks.extend(own.notes.iter().map(|note| Block::Remark { note: note.clone() }));
    }
    let items =
        assessment.not_measured.iter().map(|own| format!("{}: {}", title(&own.id), own.reason.sentence()));
    let items: Vec<String> = items.collect();
    if !items.is_empty() {
        blocks.push(Block::List { items });
    }
    PageSection::new("measures", "What the release is still good for", blocks)
}

/// Where the release comes from: the kind, the randomness, the files and the commands.
fn how(kind: &dyn Kind, envelope: &Envelope) -> PageSection {
    let randomness = match envelope.randomness {
        privet_release::Randomness::None => "The mechanism is deterministic.",
        privet_release::Randomness::Seeded => {
            "Randomness came from a generator whose seed the owner keeps; no differential privacy rests on it."
        }
        privet_release::Randomness::System => {
            "Randomness came from the operating system through exact samplers."
        }
    };
    let rows = (envelope.files.iter()).filter(|file| !PAGES.contains(&file.name.as_str())).map(|file| {
        vec![Cell::from(file.name.clone()), Cell::from(file.bytes), Cell::from(file.sha256.clone())]
    });
    let mut blocks = vec![
        Block::text(format!("Kind of release: {} (`{}`). {randomness}", kind.title(), kind.id())),
        Block::Table(Table {
            caption: "Files".to_owned(),
            columns: ["file", "bytes", "SHA-256"].map(str::to_owned).to_vec(),
            rows: rows.collect(),
        }),
    ];
    if !envelope.reproduce.is_empty() {
        blocks.push(Block::text(
            "Commands that make this release, for whoever has the job file and the input:",
        ));
        blocks.push(Block::List { items: envelope.reproduce.clone() });
    }
    PageSection::new("made", "How the release was made", blocks)
}
