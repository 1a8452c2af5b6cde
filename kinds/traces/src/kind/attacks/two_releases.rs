//! Linking two releases of traces: the same habits under two pseudonyms.

use std::path::PathBuf;

use privet_data::Progress;
use privet_kind::{
    Attack, AttackInfo, Finding, KindError, Knowledge, Need, OwnerFiles, Share, Standing, Unmade, Views,
};
use privet_release::ReleaseFolder;
use serde::Deserialize;

use super::super::files;
use super::super::view::{open, published};
use super::scored;
use crate::Tiling;
use crate::attack::{link_profiles, profiles};

pub(super) struct TwoReleases;

static INFO: AttackInfo = AttackInfo {
    id: "two-releases",
    title: "Two releases",
    sentence: "The adversary links traces of this release with those of another by the cells where people go.",
    needs: &[Need::OtherRelease],
    standing: Standing::Gate,
    source: "De Mulder et al. 2008, Unnikrishnan and Naini 2013",
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Section {
    /// The folder of the other release.
    release: PathBuf,
    /// The owner's folder of the other release, to score what is found.
    #[serde(default)]
    home: Option<PathBuf>,
}

impl Attack for TwoReleases {
    fn info(&self) -> &'static AttackInfo {
        &INFO
    }

    fn run(
        &self,
        release: Views<'_>,
        original: Option<Views<'_>>,
        known: &Knowledge,
        progress: &dyn Progress,
    ) -> Result<Vec<Finding>, Unmade> {
        let release = published(release)?;
        let traces = release.traces()?;
        let section: Section = known.section(INFO.id)?.ok_or(Need::OtherRelease)?;
        let folder = ReleaseFolder::open(&known.path(&section.release), progress).map_err(KindError::from)?;
        let other = open(&folder, progress)?;
        let others = other.traces()?;
        let tiling = Tiling::usual(&release.plane);
        if tiling != Tiling::usual(&other.plane)
            || (matches!(tiling, Tiling::Squares { .. }) && other.plane != release.plane)
        {
            return Err(
                KindError::bad_input("the two releases do not have the same kind of positions").into()
            );
        }
        let of = |own| profiles(own, &tiling, 0).map_err(KindError::from);
        let (mine, theirs) = (of(traces)?, of(others)?);
        progress.check()?;
        let linked = link_profiles(&mine, &theirs);
        let all = linked.len() as u64;
        let sure = linked.iter().flatten().count() as u64;
        let mut finding = Finding::new(&INFO, Share::new(sure, all));
        let home = section.home.as_ref().map(|home| OwnerFiles::read(&known.path(home))).transpose()?;
        if let (Some((original, who)), Some(home)) = (scored(original, traces.len()), home)
            && let Some(their_who) = files::read_who(&home, &original.traces.names)?
            && their_who.len() == others.len()
        {
            let right = |own: &(usize, u32)| their_who[own.1 as usize] == who[own.0];
            let pairs = || linked.iter().enumerate().filter_map(|(own, to)| Some((own, (*to)?)));
            finding.right = Some(Share::new(pairs().filter(right).count() as u64, all));
            // Anybody of the other release.
            let len = their_who.len().max(1);
            let by_chance =
                (0..who.len()).filter(|&own| their_who.get((own * 7 + len / 2) % len) == Some(&who[own]));
            finding.control = Some(Share::new(by_chance.count() as u64, all));
        }
        Ok(vec![finding])
    }
}
