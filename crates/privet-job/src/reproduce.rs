//! The command that makes a release again, as its pages print it.

/// Settings that decide what is published, as flags of the command line, each with a blank in front. Where files lie at home is
/// nobody's business, and seeds are secret.
///
/// ```
/// let settings = ["privacy.k-anonymity=5", "output.folder=there", "sampling.seed=7"].map(String::from);
/// assert_eq!(privet_job::reproducing_flags(&settings), " --set privacy.k-anonymity=5 --set sampling.seed=…");
/// ```
pub fn reproducing_flags(settings: &[String]) -> String {
    let mut flags = String::new();
    for setting in settings {
        let key = setting.split('=').next().unwrap_or_default().trim();
        if ["output.folder", "output.replace", "output.home"].contains(&key) {
            continue;
        }
        // A seed that protects must stay secret; one that only leads a search may as well.
        let is_private = ["input.path", "purpose.file"].contains(&key) || setting.contains("seed");
        match is_private || setting.contains(['/', '\\']) {
            true => flags.push_str(&format!(" --set {key}=…")),
            false => flags.push_str(&format!(" --set {}", quoted(setting))),
        }
    }
    flags
}

/// A word as a shell takes it.
pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "._-=@,:".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}
