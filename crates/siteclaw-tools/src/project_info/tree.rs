//! The folders and files of a project to a depth: sorted, bounded, links shown and not followed.

use std::collections::VecDeque;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use siteclaw_core::{Stop, ToolError, sanitise_fragment};

use crate::classify::{PathPolicy, Purpose, Reason, Verdict};
use crate::root::{Kind, RelPath, Root};
use crate::text::json_cost;

/// Folders that say nothing about a project and hold more than all the rest.
const SKIPPED: &[&str] =
    &["vendor", "node_modules", ".git", ".svn", ".hg", ".idea", ".vscode", "storage", "cache"];
/// Names of one folder that are looked at.
const MAX_NAMES: usize = 2000;
/// Characters of a node as JSON beside its name.
const NODE: usize = 40;

/// What a node is.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum NodeType {
    /// A folder.
    Folder,
    /// A file.
    File,
    /// A symbolic link, which is not followed.
    Link,
    /// A device, socket or FIFO.
    Other,
}

/// A file or folder.
#[derive(Clone, Debug, Serialize, PartialEq, Eq)]
pub struct Node {
    /// Its name.
    pub name: String,
    /// What it is.
    #[serde(rename = "type")]
    pub kind: NodeType,
    /// What it holds; absent for what is no folder and where the tree ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub children: Option<Vec<Node>>,
}

/// A node contains nodes, which a schema without references writes only to a depth: as deep as a tree goes.
impl JsonSchema for Node {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Node".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let mut schema = serde_json::json!({"type": "object", "properties": {
            "name": {"type": "string"},
            "type": {"type": "string", "enum": ["folder", "file", "link", "other"]}
        }, "required": ["name", "type"], "additionalProperties": false});
        for _ in 1..MAX_DEPTH {
            let inner = schema.clone();
            if let Some(properties) = schema.get_mut("properties").and_then(|value| value.as_object_mut()) {
                properties
                    .insert("children".to_owned(), serde_json::json!({"type": "array", "items": inner}));
            }
        }
        schemars::Schema::try_from(schema).unwrap_or_default()
    }
}

/// The deepest tree that can be asked for.
pub(super) const MAX_DEPTH: usize = 4;

/// A tree, and what it does not show.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    pub(super) shown: usize,
    /// Names that were left out because the tree would be too long.
    pub(super) left_out: u64,
    /// Names that were left out because they tell of secrets.
    pub(super) hidden: usize,
}

/// A folder that waits to be listed: its place among the nodes, and its path.
struct Waiting {
    at: Vec<usize>,
    path: RelPath,
    depth: usize,
}

/// Lists folders level by level, so that what is cut off is deep and not at the end of the alphabet, until
/// `max_entries` names or `max_chars` characters are shown.
pub(super) fn build(
    root: &Root,
    folder: &RelPath,
    depth: usize,
    max_entries: usize,
    max_chars: usize,
    policy: &PathPolicy,
    stop: &Stop,
) -> Result<Tree, ToolError> {
    let mut tree = Tree::default();
    let mut chars = 0;
    let mut waiting = VecDeque::from([Waiting { at: Vec::new(), path: folder.clone(), depth: 1 }]);
    while let Some(next) = waiting.pop_front() {
        if stop.is_set() {
            return Err(ToolError::new(
                siteclaw_core::code::CANCELLED,
                "The call was stopped while folders were listed.",
            ));
        }
        // A folder that cannot be listed is empty to the reader.
        let Ok(listing) = root.list(&next.path, MAX_NAMES) else { continue };
        tree.left_out += listing.left_out;
        let mut nodes = Vec::new();
        for entry in listing {
            let name = entry.name.to_string_lossy();
            if SKIPPED.contains(&name.as_ref()) || Root::is_draft(&entry.name) {
                continue;
            }
            let Ok(path) = next.path.join(&entry.name) else {
                tree.left_out += 1;
                continue;
            };
            if is_secret(policy, &path, entry.kind) {
                tree.hidden += 1;
                continue;
            }
            let name = sanitise_fragment(&name, 255);
            let cost = json_cost(&name) + NODE;
            if tree.shown == max_entries || chars + cost > max_chars {
                tree.left_out += 1;
                continue;
            }
            chars += cost;
            tree.shown += 1;
            let kind = match entry.kind {
                Kind::Folder => NodeType::Folder,
                Kind::File => NodeType::File,
                Kind::Link => NodeType::Link,
                Kind::Other => NodeType::Other,
            };
            if kind == NodeType::Folder && next.depth < depth {
                let at = [next.at.as_slice(), &[nodes.len()]].concat();
                waiting.push_back(Waiting { at, path, depth: next.depth + 1 });
            }
            nodes.push(Node { name, kind, children: None });
        }
        place(&mut tree.nodes, &next.at, nodes);
    }
    Ok(tree)
}

fn is_secret(policy: &PathPolicy, path: &RelPath, kind: Kind) -> bool {
    let verdict = match kind {
        Kind::Folder => policy.judge_folder(Purpose::Search, path),
        _ => policy.judge(Purpose::Search, path),
    };
    match verdict {
        Verdict::Refused(Reason::Secret) => true,
        // The platform's own folders say which platform it is.
        Verdict::Refused(Reason::SecurityFolder) => {
            path.name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
        }
        _ => false,
    }
}

/// Puts the nodes of a folder where it stands.
fn place(nodes: &mut Vec<Node>, at: &[usize], children: Vec<Node>) {
    match at.split_first() {
        None => *nodes = children,
        Some((first, rest)) => {
            let Some(node) = nodes.get_mut(*first) else { return };
            place(node.children.get_or_insert_default(), rest, children);
        }
    }
}
