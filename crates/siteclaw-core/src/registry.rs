//! The tools of an engine, by name.
//!
//! Names are one flat space. A second registration of a name is an error unless it says
//! [`replace`](RegistryBuilder::replace). Deny lists must name what exists: a typo that denies nothing is
//! refused with the nearest name. So is a tool whose input or output has no valid schema, in a release as in a
//! debug build: no fault of a schema waits for the first call.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use serde_json::Value;

use crate::caller::{Caller, Permission, Policy};
use crate::dialect::Dialect;
use crate::erased::{Erased, Shell};
use crate::names;
use crate::schema::{self, SchemaError};
use crate::spec::{Eligibility, ToolSpec};
use crate::tool::Tool;
use crate::validate::Checker;
use crate::validity;

/// A tool that cannot be registered, or a list that names what does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RegistryError {
    /// Two tools have one name.
    #[error("a tool named '{0}' is registered already; use replace to put another in its place")]
    Duplicate(String),
    /// `replace` found nothing to replace.
    #[error("no tool named '{0}' is registered, so nothing can be replaced")]
    NothingToReplace(String),
    /// The name is not snake_case, or longer than 64 characters.
    #[error("'{0}' is no tool name: use 1 to 64 lower-case letters, digits and underscores, a letter first")]
    InvalidName(String),
    /// A tool that asks for no capability would be open to everybody.
    #[error("the tool '{0}' names no capability; every tool asks for at least one")]
    NoCapability(String),
    /// The input or output type has no usable schema.
    #[error("the schema of the tool '{tool}' cannot be used: {reason}")]
    Schema {
        /// The tool.
        tool: String,
        /// What is wrong with the schema.
        reason: SchemaError,
    },
    /// A deny list or group names a tool or group that does not exist.
    #[error("'{name}' in {place} names no tool and no group.{hint}")]
    UnknownName {
        /// The entry.
        name: String,
        /// Where it stands.
        place: String,
        /// The nearest names, as a sentence with a space before it, or empty.
        hint: String,
    },
}

/// A registered tool.
pub struct Entry {
    spec: ToolSpec,
    input_schema: Value,
    output_schema: Value,
    pub(crate) checker: Checker,
    pub(crate) erased: Box<dyn Erased>,
}

impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Entry").field("name", &self.spec.name()).finish_non_exhaustive()
    }
}

impl Entry {
    /// Derives what calls of the tool need.
    ///
    /// # Errors
    /// [`RegistryError`] for a bad name, a missing capability, or a schema of the input or output that cannot be
    /// offered or that the validator would refuse.
    pub fn new<T: Tool>(tool: T) -> Result<Self, RegistryError> {
        let spec = tool.spec();
        let name = spec.name().to_owned();
        let well_formed = name.len() <= 64
            && name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
        if !well_formed {
            return Err(RegistryError::InvalidName(crate::error::sanitise_fragment(&name, 80)));
        }
        if spec.required_capabilities().is_empty() {
            return Err(RegistryError::NoCapability(name));
        }
        let failed = |reason| RegistryError::Schema { tool: name.clone(), reason };
        let input_schema = schema::of::<T::Input>().map_err(failed)?;
        let output_schema = schema::envelope_of(schema::normalised::<T::Output>().map_err(failed)?);
        let checker = Checker::new(&input_schema, &spec.field_codes).map_err(failed)?;
        validity::ensure(&output_schema).map_err(failed)?;
        Ok(Self { spec, input_schema, output_schema, checker, erased: Box::new(Shell::new(tool)) })
    }

    /// What the tool states about itself.
    pub const fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    /// JSON Schema of the arguments: normalised, closed, with `properties` always an object.
    pub const fn input_schema(&self) -> &Value {
        &self.input_schema
    }

    /// JSON Schema of the success envelope.
    pub const fn output_schema(&self) -> &Value {
        &self.output_schema
    }

    /// The tool in a provider's form, with the full or the short description.
    pub fn describe(&self, dialect: Dialect, lean: bool) -> Value {
        let text = if lean { self.spec.short_description() } else { self.spec.description() };
        dialect.describe(self.spec.name(), text, &self.input_schema)
    }

    pub(crate) fn permission(&self) -> Permission<'_> {
        Permission {
            tool: self.spec.name(),
            capabilities: self.spec.required_capabilities(),
            interactive: self.spec.interactive,
        }
    }
}

/// Tools in the order of their registration.
#[derive(Debug, Default)]
pub struct Registry {
    entries: Vec<Arc<Entry>>,
    by_name: HashMap<String, usize>,
}

/// Collects tools.
#[derive(Debug, Default)]
pub struct RegistryBuilder {
    registry: Registry,
    groups: BTreeMap<String, Vec<String>>,
    denied: BTreeSet<String>,
}

impl RegistryBuilder {
    /// Adds a tool.
    pub fn tool<T: Tool>(self, tool: T) -> Result<Self, RegistryError> {
        self.entry(Entry::new(tool)?)
    }

    /// Adds a tool that was prepared before.
    pub fn entry(mut self, entry: Entry) -> Result<Self, RegistryError> {
        let name = entry.spec.name().to_owned();
        if self.registry.by_name.contains_key(&name) {
            return Err(RegistryError::Duplicate(name));
        }
        self.registry.by_name.insert(name, self.registry.entries.len());
        self.registry.entries.push(Arc::new(entry));
        Ok(self)
    }

    /// Puts a tool in the place of the one that has its name.
    pub fn replace<T: Tool>(mut self, tool: T) -> Result<Self, RegistryError> {
        let entry = Entry::new(tool)?;
        let name = entry.spec.name().to_owned();
        let place = self.registry.by_name.get(&name).and_then(|&index| self.registry.entries.get_mut(index));
        match place {
            Some(place) => {
                tracing::info!(tool = name, "a registered tool was replaced");
                *place = Arc::new(entry);
                Ok(self)
            }
            None => Err(RegistryError::NothingToReplace(name)),
        }
    }

    /// Names a set of tools, usually `group:<name>`, for deny lists.
    #[must_use]
    pub fn group(mut self, name: &str, members: &[&str]) -> Self {
        self.groups.insert(name.to_owned(), members.iter().map(|&member| member.to_owned()).collect());
        self
    }

    /// Removes the tools that the entries name: tools or groups, exactly spelt. `place` says where the list
    /// stands, for the message about a name that does not exist.
    pub fn deny<S: AsRef<str>>(mut self, entries: &[S], place: &str) -> Result<Self, RegistryError> {
        for entry in entries {
            let names = self.expand(entry.as_ref(), place)?;
            self.denied.extend(names);
        }
        self.registry.entries.retain(|entry| !self.denied.contains(entry.spec.name()));
        self.registry.by_name = self
            .registry
            .entries
            .iter()
            .enumerate()
            .map(|(index, entry)| (entry.spec.name().to_owned(), index))
            .collect();
        Ok(self)
    }

    /// The tools an entry of a deny list stands for.
    fn expand(&self, entry: &str, place: &str) -> Result<Vec<String>, RegistryError> {
        if let Some(members) = self.groups.get(entry) {
            // A group may name a tool that this site lacks, but not one that nobody knows.
            let known = |name: &&String| self.registry.by_name.contains_key(name.as_str());
            return Ok(members.iter().filter(known).cloned().collect());
        }
        if self.registry.by_name.contains_key(entry) || self.denied.contains(entry) {
            return Ok(vec![entry.to_owned()]);
        }
        let names = self.registry.names().chain(self.groups.keys().map(String::as_str));
        let hint = names::suggestion(entry, names).map(|hint| format!(" {hint}")).unwrap_or_default();
        Err(RegistryError::UnknownName {
            name: crate::error::sanitise_fragment(entry, 64),
            place: place.to_owned(),
            hint,
        })
    }

    /// Finishes the registry. Every member of every group must be a tool or be listed in `absent`: names
    /// that a group may hold although this site does not have them.
    pub fn build(self, absent: &[&str]) -> Result<Registry, RegistryError> {
        for (group, members) in &self.groups {
            for member in members {
                let known = self.registry.by_name.contains_key(member)
                    || self.denied.contains(member)
                    || absent.contains(&member.as_str());
                if !known {
                    let names = self.registry.names().chain(absent.iter().copied());
                    let hint = names::suggestion(member, names).map(|hint| format!(" {hint}"));
                    return Err(RegistryError::UnknownName {
                        name: crate::error::sanitise_fragment(member, 64),
                        place: format!("the group '{group}'"),
                        hint: hint.unwrap_or_default(),
                    });
                }
            }
        }
        Ok(self.registry)
    }
}

impl Registry {
    /// Starts with no tool: the library registers none by itself.
    pub fn builder() -> RegistryBuilder {
        RegistryBuilder::default()
    }

    /// The tool of exactly this name.
    pub fn get(&self, name: &str) -> Option<&Arc<Entry>> {
        self.by_name.get(name).and_then(|&index| self.entries.get(index))
    }

    /// All tools in the order of registration.
    pub fn entries(&self) -> &[Arc<Entry>] {
        &self.entries
    }

    /// All names in the order of registration.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| entry.spec.name())
    }

    /// The tools this caller may be offered. Worked out for each caller: nothing is remembered.
    pub fn eligible(&self, policy: &dyn Policy, caller: &Caller) -> Vec<Arc<Entry>> {
        self.entries
            .iter()
            .filter(|entry| {
                entry.spec.eligibility == Eligibility::Everyone
                    || policy.allows(caller, entry.permission()).is_ok()
            })
            .cloned()
            .collect()
    }
}
