//! Published models from outside: read, used, checked, linked with people; and rules hidden in baskets. [`mine`] has what they are made of.

use std::path::Path;

use privet_data::Progress;
use privet_kind::{KindError, Views};
use privet_release::ReleaseFolder;

/// Spans and Claim 3 for any model, trees, clusterings, rules, hiding and auditors, to be used by themselves.
///
/// ```
/// use privet::models::mine::audit::{Decision, SumAuditor};
///
/// let mut auditor = SumAuditor::new(4, &[]);
/// assert_eq!(auditor.ask(&[0, 1]), Decision::Answer);
/// assert!(matches!(auditor.ask(&[0]), Decision::Deny(_)));
/// ```
pub use privet_mine as mine;
pub use privet_model::{
    ClaimChecked, Closing, HiddenRules, HideOptions, HideRequest, Linked, PatternOptions, PredictError,
    PublishedModel, SafePatterns, hide_rules, linked, predict, safe_patterns,
};

use crate::registry;

/// A published model: that of a release folder, whose files must be whole, or a file in the documented form.
///
/// # Errors
/// When there is none, or it cannot be read.
pub fn model(path: &Path, progress: &dyn Progress) -> Result<PublishedModel, KindError> {
    if path.is_dir() {
        let folder = ReleaseFolder::open(path, progress)?;
        let release = registry::required(&folder.envelope().kind)?.open(&folder, progress)?;
        let views: Views<'_> = release.views();
        let found: Option<&PublishedModel> = views.get();
        return found
            .cloned()
            .ok_or_else(|| KindError::bad_input("is a release, and not one of a model").at(path));
    }
    let bytes = privet_data::io::read_plain(path, privet_data::io::input_limit())
        .map_err(|error| KindError::io(path, &error))?;
    PublishedModel::read(&bytes).map_err(|error| error.at(path))
}
