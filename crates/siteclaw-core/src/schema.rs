//! JSON Schemas of tools: derived once, normalised once, the same for model, validator and listing.
//!
//! The derived form is not fit to send: references, `anyOf` for documented enums, `null` on optional
//! fields and Rust's integer formats confuse models and make errors unreadable. [`of`] removes all of it.
//! A schema stays closed: objects refuse keys they do not name.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// Nesting beyond this is refused; it also ends recursive types.
const MAX_DEPTH: usize = 24;

/// A type whose schema cannot be offered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SchemaError {
    /// A type contains itself, or nests too deep to be written without references.
    #[error("the schema nests deeper than {MAX_DEPTH} levels; a type must not contain itself")]
    TooDeep,
    /// The arguments of a tool are named, so the type must be a struct.
    #[error("the schema describes no object; use a struct with named fields")]
    NotAnObject,
    /// The validator refused the schema.
    #[error("the schema is not valid: {0}")]
    Invalid(String),
}

/// The normalised schema of an argument type: an object, closed, without references.
pub fn of<T: JsonSchema>() -> Result<Value, SchemaError> {
    let mut schema = normalised::<T>()?;
    let Some(object) = schema.as_object_mut() else { return Err(SchemaError::NotAnObject) };
    if object.get("type") != Some(&json!("object")) {
        return Err(SchemaError::NotAnObject);
    }
    object.entry("properties").or_insert_with(|| json!({}));
    object.entry("additionalProperties").or_insert(Value::Bool(false));
    Ok(schema)
}

/// The normalised schema of any type.
pub(crate) fn normalised<T: JsonSchema>() -> Result<Value, SchemaError> {
    // References are wanted only where a type contains itself: what is inlined here need not be copied below.
    let generator =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true).into_generator();
    let mut root = generator.into_root_schema_for::<T>().to_value();
    let definitions = match root.as_object_mut().and_then(|root| root.remove("$defs")) {
        Some(Value::Object(definitions)) => definitions,
        _ => Map::new(),
    };
    normalise(&mut root, &definitions, 0)?;
    Ok(root)
}

/// The schema of a tool's success envelope around the schema of its data.
pub(crate) fn envelope_of(data: Value) -> Value {
    let mut envelope = json!({
        "type": "object",
        "properties": {
            "success": {"type": "boolean", "const": true},
            "data": null,
            "meta": {"type": "object", "additionalProperties": true},
            "warnings": {"type": "array", "items": {
                "type": "object",
                "properties": {"code": {"type": "string"}, "message": {"type": "string"}},
                "required": ["code", "message"],
                "additionalProperties": false
            }}
        },
        "required": ["success", "data", "meta", "warnings"],
        "additionalProperties": false
    });
    // Moved into its place: json! would copy it.
    if let Some(place) = envelope.pointer_mut("/properties/data") {
        *place = data;
    }
    envelope
}

fn normalise(schema: &mut Value, definitions: &Map<String, Value>, depth: usize) -> Result<(), SchemaError> {
    if depth > MAX_DEPTH {
        return Err(SchemaError::TooDeep);
    }
    inline(schema, definitions)?;
    fold(schema, definitions)?;
    let Some(object) = schema.as_object_mut() else { return Ok(()) };
    for noise in ["$schema", "title", "default", "examples"] {
        object.remove(noise);
    }
    let is_number = matches!(object.get("type").and_then(Value::as_str), Some("integer" | "number"));
    if is_number {
        object.remove("format");
    }
    if let Some(Value::String(text)) = object.get_mut("description") {
        *text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    if let Some(Value::Object(properties)) = object.get_mut("properties") {
        for property in properties.values_mut() {
            without_null(property);
            normalise(property, definitions, depth + 1)?;
            without_null(property);
        }
        object.entry("additionalProperties").or_insert(Value::Bool(false));
    }
    for keyword in ["items", "additionalProperties"] {
        if let Some(inner) = object.get_mut(keyword).filter(|inner| inner.is_object()) {
            normalise(inner, definitions, depth + 1)?;
        }
    }
    for keyword in ["anyOf", "oneOf", "allOf", "prefixItems"] {
        if let Some(Value::Array(branches)) = object.get_mut(keyword) {
            for branch in branches {
                normalise(branch, definitions, depth + 1)?;
            }
        }
    }
    Ok(())
}

/// Puts the definition in place of a reference. Words written beside the reference win.
fn inline(schema: &mut Value, definitions: &Map<String, Value>) -> Result<(), SchemaError> {
    for _ in 0..MAX_DEPTH {
        let Some(object) = schema.as_object_mut() else { return Ok(()) };
        let Some(Value::String(reference)) = object.remove("$ref") else { return Ok(()) };
        if reference == "#" {
            return Err(SchemaError::TooDeep);
        }
        let name = reference.rsplit('/').next().unwrap_or_default();
        let Some(Value::Object(definition)) = definitions.get(name) else {
            return Err(SchemaError::Invalid(format!("nothing is defined as '{reference}'")));
        };
        for (key, value) in definition {
            object.entry(key.clone()).or_insert_with(|| value.clone());
        }
    }
    Err(SchemaError::TooDeep)
}

/// Folds a choice of constants (a documented enum) into one `enum`, and a choice with `null` into the rest.
fn fold(schema: &mut Value, definitions: &Map<String, Value>) -> Result<(), SchemaError> {
    let Some(object) = schema.as_object_mut() else { return Ok(()) };
    for keyword in ["oneOf", "anyOf"] {
        let Some(Value::Array(branches)) = object.get_mut(keyword) else { continue };
        for branch in branches.iter_mut() {
            inline(branch, definitions)?;
            fold(branch, definitions)?;
        }
        branches.retain(|branch| branch.get("type") != Some(&json!("null")));
        if let [only] = branches.as_mut_slice() {
            let only = only.take();
            object.remove(keyword);
            if let Value::Object(only) = only {
                for (key, value) in only {
                    object.entry(key).or_insert(value);
                }
            }
            continue;
        }
        let Some(values) = branches.iter().map(constants).collect::<Option<Vec<_>>>() else { continue };
        let notes: Vec<String> = branches.iter().filter_map(note).collect();
        object.remove(keyword);
        object.insert("type".to_owned(), json!("string"));
        object.insert("enum".to_owned(), Value::Array(values.into_iter().flatten().collect()));
        if !notes.is_empty() {
            let said = object.get("description").and_then(Value::as_str).unwrap_or_default();
            let text = format!("{said} {}.", notes.join("; "));
            object.insert("description".to_owned(), Value::String(text.trim().to_owned()));
        }
    }
    Ok(())
}

/// The strings a branch allows, if it allows a fixed list of strings.
fn constants(branch: &Value) -> Option<Vec<Value>> {
    if let Some(constant) = branch.get("const").filter(|constant| constant.is_string()) {
        return Some(vec![constant.clone()]);
    }
    let list = branch.get("enum")?.as_array()?;
    list.iter().all(Value::is_string).then(|| list.clone())
}

/// `value: what it means`, for a documented variant.
fn note(branch: &Value) -> Option<String> {
    let constant = branch.get("const")?.as_str()?;
    let text = branch.get("description")?.as_str()?;
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(format!("{constant}: {}", text.trim_end_matches('.')))
}

/// An optional field is one that may be absent, not one that may be null.
fn without_null(property: &mut Value) {
    let Some(object) = property.as_object_mut() else { return };
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(values)) = object.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    /// How to sort.
    #[derive(Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    #[allow(dead_code)]
    enum Order {
        /// Oldest first.
        Asc,
        /// Newest
        /// first.
        Desc,
    }

    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code)]
    struct Inner {
        /// A day.
        day: String,
    }

    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code)]
    struct Input {
        /// Rows to
        /// return.
        #[schemars(range(min = 1, max = 50))]
        limit: Option<u32>,
        order: Option<Order>,
        #[serde(default)]
        columns: Vec<String>,
        range: Option<Inner>,
        id: i64,
    }

    #[test]
    fn what_schemars_derives_becomes_fit_to_send() {
        let expected = json!({
            "type": "object",
            "properties": {
                "limit": {"description": "Rows to return.", "type": "integer", "minimum": 1, "maximum": 50},
                "order": {"description": "How to sort. asc: Oldest first; desc: Newest first.",
                          "type": "string", "enum": ["asc", "desc"]},
                "columns": {"type": "array", "items": {"type": "string"}},
                "range": {"type": "object", "properties": {"day": {"description": "A day.", "type": "string"}},
                          "required": ["day"], "additionalProperties": false},
                "id": {"type": "integer"}
            },
            "required": ["id"],
            "additionalProperties": false
        });
        assert_eq!(of::<Input>().unwrap(), expected);
    }

    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code)]
    struct Node {
        children: Vec<Node>,
    }

    #[test]
    fn a_type_that_contains_itself_is_refused() {
        assert_eq!(of::<Node>(), Err(SchemaError::TooDeep));
        assert_eq!(of::<String>(), Err(SchemaError::NotAnObject));
    }

    #[derive(Deserialize, JsonSchema)]
    struct Nothing {}

    #[test]
    fn no_properties_are_an_empty_object() {
        assert_eq!(of::<Nothing>().unwrap()["properties"], json!({}));
    }
}
