//! Which files a job may name: those of its own project.
//!
//! A job file that is edited in the browser could name any file of the machine, as input, as hierarchy, as the folder of a release. Here it
//! names plain files below the folder of its project, and no server. The rule is by form, not by key, so that a key that is added later is
//! covered: a text that stands alone may be no absolute path and may not lead upwards.

use toml::Value;

/// What the input is called, and where results go.
pub(crate) const RELEASE: &str = "release";
/// The owner's folder.
pub(crate) const HOME: &str = "home";

/// Reads a job and refuses what leads out of its folder.
pub(crate) fn read(text: &str, data: &str) -> Result<toml::Table, String> {
    let table: toml::Table =
        toml::from_str(text).map_err(|error| format!("the job file is not TOML: {}", error.message()))?;
    let fixed = [("input", "path", data), ("output", "folder", RELEASE), ("output", "home", HOME)];
    for (section, key, expected) in fixed {
        if let Some(found) = table.get(section).and_then(|own| own.get(key))
            && found.as_str() != Some(expected)
        {
            return Err(format!("`{section}.{key}` is \"{expected}\" on this page"));
        }
    }
    check(&table, "")?;
    Ok(table)
}

fn check(table: &toml::Table, above: &str) -> Result<(), String> {
    for (key, value) in table {
        let name = if above.is_empty() { key.clone() } else { format!("{above}.{key}") };
        check_value(value, &name)?;
    }
    Ok(())
}

fn check_value(value: &Value, name: &str) -> Result<(), String> {
    match value {
        Value::Table(inner) => check(inner, name),
        // Lists hold values of the data, such as markers of missing ones, or tables.
        Value::Array(items) => items.iter().try_for_each(|item| match item {
            Value::Table(inner) => check(inner, name),
            _ => Ok(()),
        }),
        Value::String(text) if leads_out(text) => Err(format!(
            "`{name}` leads out of the folder of the project; on this page a job names files of its own project only"
        )),
        _ => Ok(()),
    }
}

/// Whether a text is a path to somewhere else, or an address.
fn leads_out(text: &str) -> bool {
    let is_one_character = text.chars().count() == 1;
    let absolute = text.starts_with(['/', '\\', '~']) && !is_one_character;
    let upwards = text.split(['/', '\\']).any(|part| part == "..");
    let drive = text.as_bytes().get(1) == Some(&b':');
    absolute || upwards || drive || text.contains("://") || text.contains('\0')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_of_the_project_are_read() {
        let job = "[input]\npath = \"data.csv\"\ndelimiter = \"/\"\nmissing = [\"/\", \"..\"]\n[columns.zip]\nrole = \"quasi\"\n\
                   hierarchy = \"hierarchies/zip.csv\"\n[output]\nfolder = \"release\"\nhome = \"home\"\n";
        assert!(read(job, "data.csv").is_ok());
    }

    #[test]
    fn whatever_leads_out_is_refused() {
        for job in [
            "[input]\npath = \"/etc/passwd\"",
            "[input]\npath = \"other.csv\"",
            "[output]\nfolder = \"../x\"",
            "[output]\nfolder = \"elsewhere\"",
            "[output]\nhome = \"release/home\"",
            "[output]\nsign = \"/elsewhere/key.pem\"",
            "[columns.a]\nrole = \"quasi\"\nhierarchy = \"../../etc/shadow\"",
            "[columns.a]\nrole = \"quasi\"\nhierarchy = { tree = \"/etc/x.json\" }",
            "[adversary]\nknowledge = \"~/x\"",
            "[privacy]\nk-map = { k = 2, population = \"a/../../b.csv\" }",
            "[query]\nledger = \"postgres://host/db\"",
            "[[count-tables]]\nweights = \"C:\\\\x\"",
        ] {
            assert!(read(job, "data.csv").is_err(), "{job}");
        }
    }
}
