//! Tools as the protocol lists them.

use std::sync::Arc;

use rmcp::model::{Tool, ToolAnnotations};
use serde_json::Value;
use siteclaw_core::Entry;

/// A tool with its texts, both schemas and all four hints. The hints are of the widest call the tool takes.
pub(crate) fn described(entry: &Entry) -> Tool {
    let spec = entry.spec();
    let writes = spec.widest_effects().is_mutating();
    let hints = ToolAnnotations::new()
        .read_only(!writes)
        .destructive(writes)
        .idempotent(spec.is_idempotent())
        .open_world(spec.is_open_world());
    Tool::new(spec.name().to_owned(), spec.description().to_owned(), object(entry.input_schema()))
        .with_title(spec.display_title())
        .with_raw_output_schema(object(entry.output_schema()))
        .with_annotations(hints)
}

fn object(schema: &Value) -> Arc<serde_json::Map<String, Value>> {
    Arc::new(schema.as_object().cloned().unwrap_or_default())
}
