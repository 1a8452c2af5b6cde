//! What a column is to the person behind the record (survey, section 0: attribute roles).

use serde::{Deserialize, Serialize};

/// The role of a column in a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Names a person by itself. Never published.
    Identifier,
    /// Known to others and linkable in combination. Generalized.
    Quasi,
    /// What must not be learned about a person. Published as it is, protected by the criteria.
    Sensitive,
    /// Neither. Published as it is.
    Insensitive,
}

impl Role {
    /// Every role, in the order in which people think of them.
    pub const ALL: [Role; 4] = [Role::Identifier, Role::Quasi, Role::Sensitive, Role::Insensitive];

    /// The word used in job files and manifests.
    pub fn word(self) -> &'static str {
        match self {
            Role::Identifier => "identifier",
            Role::Quasi => "quasi",
            Role::Sensitive => "sensitive",
            Role::Insensitive => "insensitive",
        }
    }
}
