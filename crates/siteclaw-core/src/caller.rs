//! Who calls, from where, and what that permits.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// What kind of party a caller is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum CallerKind {
    /// The operator's own console: an administrative context already.
    Console {
        /// Whether a person sits at it.
        interactive: bool,
    },
    /// A user of the site.
    SiteUser {
        /// The login name.
        login: String,
    },
    /// A bearer of a token.
    Token {
        /// The token's id, never the token.
        id: String,
    },
}

/// The way by which calls arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Surface {
    /// One call from the command line.
    Cli,
    /// An agent run.
    Agent,
    /// A client of the Model Context Protocol.
    Mcp,
    /// The web pages and their REST interface.
    Web,
    /// A program that uses the library.
    Library,
}

/// A party that makes calls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Caller {
    /// What kind of party.
    pub kind: CallerKind,
    /// What it may do, in the platform's own spelling.
    pub capabilities: BTreeSet<String>,
    /// Where its calls come from.
    pub surface: Surface,
}

impl Caller {
    /// The operator's console.
    pub const fn console(surface: Surface, interactive: bool) -> Self {
        Self { kind: CallerKind::Console { interactive }, capabilities: BTreeSet::new(), surface }
    }

    /// A user of the site with the capabilities the site gives.
    pub fn site_user<C: Into<String>>(
        login: impl Into<String>,
        capabilities: impl IntoIterator<Item = C>,
        surface: Surface,
    ) -> Self {
        Self {
            kind: CallerKind::SiteUser { login: login.into() },
            capabilities: capabilities.into_iter().map(Into::into).collect(),
            surface,
        }
    }

    /// A token with its scopes.
    pub fn token<C: Into<String>>(
        id: impl Into<String>,
        scopes: impl IntoIterator<Item = C>,
        surface: Surface,
    ) -> Self {
        Self {
            kind: CallerKind::Token { id: id.into() },
            capabilities: scopes.into_iter().map(Into::into).collect(),
            surface,
        }
    }

    /// Whether the caller is the console.
    pub const fn is_console(&self) -> bool {
        matches!(self.kind, CallerKind::Console { .. })
    }

    /// A short name for records: `console`, `user:anna`, `token:ci`.
    pub fn label(&self) -> String {
        match &self.kind {
            CallerKind::Console { .. } => "console".to_owned(),
            CallerKind::SiteUser { login } => format!("user:{login}"),
            CallerKind::Token { id } => format!("token:{id}"),
        }
    }
}

/// What a call asks of the policy.
#[derive(Clone, Copy, Debug)]
pub struct Permission<'a> {
    /// The tool.
    pub tool: &'a str,
    /// Every capability that is needed.
    pub capabilities: &'a [Cow<'static, str>],
    /// Whether the console passes only with a person at it.
    pub interactive: bool,
}

/// Why a policy refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The caller lacks this capability.
    Missing(String),
    /// Only a console with a person at it may.
    NotInteractive,
}

/// Decides whether a caller may call a tool. An engine is always built with one: nobody asked means no.
pub trait Policy: Send + Sync + 'static {
    /// Allows, or names what is missing.
    fn allows(&self, caller: &Caller, permission: Permission<'_>) -> Result<(), Refused>;
}

/// The product's policy: the console passes, except where a tool wants a person at it; everybody else needs
/// every capability on the list.
#[derive(Clone, Copy, Debug, Default)]
pub struct CapabilityPolicy;

impl Policy for CapabilityPolicy {
    fn allows(&self, caller: &Caller, permission: Permission<'_>) -> Result<(), Refused> {
        if let CallerKind::Console { interactive } = caller.kind {
            return if permission.interactive && !interactive {
                Err(Refused::NotInteractive)
            } else {
                Ok(())
            };
        }
        if permission.interactive {
            return Err(Refused::NotInteractive);
        }
        match permission.capabilities.iter().find(|needed| !caller.capabilities.contains(needed.as_ref())) {
            None => Ok(()),
            Some(missing) => Err(Refused::Missing(missing.to_string())),
        }
    }
}

/// Allows everything. For programs that decide elsewhere, and only when spelled out.
#[derive(Clone, Copy, Debug)]
pub struct AllowAll;

impl Policy for AllowAll {
    fn allows(&self, _: &Caller, _: Permission<'_>) -> Result<(), Refused> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEEDED: &[Cow<'static, str>] = &[Cow::Borrowed("chat"), Cow::Borrowed("edit_shop_orders")];

    fn decide(caller: &Caller, interactive: bool) -> Result<(), Refused> {
        CapabilityPolicy.allows(caller, Permission { tool: "t", capabilities: NEEDED, interactive })
    }

    #[test]
    fn the_console_passes_and_others_need_the_whole_list() {
        assert_eq!(decide(&Caller::console(Surface::Cli, false), false), Ok(()));
        let both = Caller::site_user("anna", ["chat", "edit_shop_orders"], Surface::Web);
        assert_eq!(decide(&both, false), Ok(()));
        let one = Caller::token("ci", ["chat"], Surface::Mcp);
        assert_eq!(decide(&one, false), Err(Refused::Missing("edit_shop_orders".to_owned())));
    }

    #[test]
    fn a_tool_for_persons_refuses_an_unattended_console_and_every_other_caller() {
        assert_eq!(decide(&Caller::console(Surface::Mcp, false), true), Err(Refused::NotInteractive));
        assert_eq!(decide(&Caller::console(Surface::Cli, true), true), Ok(()));
        let both = Caller::site_user("anna", ["chat", "edit_shop_orders"], Surface::Web);
        assert_eq!(decide(&both, true), Err(Refused::NotInteractive));
    }
}
