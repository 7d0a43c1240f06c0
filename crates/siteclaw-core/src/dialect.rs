//! The forms in which providers want tools.
//!
//! All are made from the one normalised schema of the registry.

use serde_json::{Map, Value, json};

/// A provider's way to be told of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// `{name, description, input_schema}`.
    Native,
    /// `{type: "function", function: {name, description, parameters}}`.
    Function,
    /// As `Function`, with `strict: true` and every property required, where the schema permits it.
    StrictFunction,
}

impl Dialect {
    /// The form for a provider; unknown names get the native one.
    pub fn for_provider(provider: &str) -> Self {
        match provider {
            "openai" | "groq" | "gemini" | "mistral" | "ollama" | "deepseek" | "custom" => Self::Function,
            _ => Self::Native,
        }
    }

    /// The description of one tool.
    pub fn describe(self, name: &str, description: &str, input_schema: &Value) -> Value {
        match self {
            Self::Native => json!({"name": name, "description": description, "input_schema": input_schema}),
            Self::Function => json!({
                "type": "function",
                "function": {"name": name, "description": description, "parameters": input_schema}
            }),
            Self::StrictFunction => match strict(input_schema) {
                Some(parameters) => json!({
                    "type": "function",
                    "function": {
                        "name": name, "description": description, "parameters": parameters, "strict": true
                    }
                }),
                None => Self::Function.describe(name, description, input_schema),
            },
        }
    }
}

/// The schema with every property required and the optional ones nullable, or `None` where a map or an
/// open object makes that impossible. A null then means absent: tidying drops it.
fn strict(schema: &Value) -> Option<Value> {
    let object = schema.as_object()?;
    let mut out: Map<String, Value> = object.clone();
    if let Some(properties) = object.get("properties").and_then(Value::as_object) {
        if object.get("additionalProperties") != Some(&Value::Bool(false)) {
            return None;
        }
        let required = object.get("required").and_then(Value::as_array);
        let mut strict_properties = Map::new();
        for (name, property) in properties {
            let mut property = strict(property)?;
            let is_required = required.is_some_and(|list| list.iter().any(|entry| entry == name.as_str()));
            if !is_required {
                make_nullable(&mut property);
            }
            strict_properties.insert(name.clone(), property);
        }
        let names: Vec<Value> = properties.keys().map(|name| json!(name)).collect();
        out.insert("properties".to_owned(), Value::Object(strict_properties));
        out.insert("required".to_owned(), Value::Array(names));
    } else if object.get("type") == Some(&json!("object")) {
        return None;
    }
    if let Some(items) = object.get("items") {
        out.insert("items".to_owned(), strict(items)?);
    }
    if let Some(branches) = object.get("anyOf").and_then(Value::as_array) {
        out.insert("anyOf".to_owned(), Value::Array(branches.iter().map(strict).collect::<Option<_>>()?));
    }
    Some(Value::Object(out))
}

fn make_nullable(property: &mut Value) {
    let Some(object) = property.as_object_mut() else { return };
    match object.get_mut("type") {
        Some(Value::Array(types)) => types.push(json!("null")),
        Some(kind) => *kind = json!([kind.take(), "null"]),
        None => {
            if let Some(Value::Array(branches)) = object.get_mut("anyOf") {
                branches.push(json!({"type": "null"}));
            }
        }
    }
    if let Some(Value::Array(values)) = object.get_mut("enum") {
        values.push(Value::Null);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema() -> Value {
        json!({"type": "object", "properties": {
            "id": {"type": "integer"},
            "order": {"type": "string", "enum": ["asc"]}
        }, "required": ["id"], "additionalProperties": false})
    }

    #[test]
    fn providers_get_the_documented_shapes() {
        for name in ["openai", "groq", "gemini", "mistral", "ollama", "deepseek", "custom"] {
            assert_eq!(Dialect::for_provider(name), Dialect::Function, "{name}");
        }
        for name in ["anthropic", "", "somebody", "OpenAI"] {
            assert_eq!(Dialect::for_provider(name), Dialect::Native, "{name}");
        }
        assert_eq!(
            Dialect::Function.describe("t", "d", &schema()),
            json!({"type": "function", "function": {"name": "t", "description": "d", "parameters": schema()}})
        );
        assert_eq!(
            Dialect::Native.describe("t", "d", &schema()),
            json!({"name": "t", "description": "d", "input_schema": schema()})
        );
    }

    #[test]
    fn the_strict_form_requires_all_and_lets_optional_ones_be_null() {
        let described = Dialect::StrictFunction.describe("t", "d", &schema());
        assert_eq!(described["function"]["strict"], json!(true));
        assert_eq!(
            described["function"]["parameters"],
            json!({"type": "object", "properties": {
                "id": {"type": "integer"},
                "order": {"type": ["string", "null"], "enum": ["asc", null]}
            }, "required": ["id", "order"], "additionalProperties": false})
        );
    }

    #[test]
    fn a_tool_with_a_map_goes_non_strict() {
        let map = json!({"type": "object", "properties": {
            "headers": {"type": "object", "additionalProperties": {"type": "string"}}
        }, "additionalProperties": false});
        let described = Dialect::StrictFunction.describe("t", "d", &map);
        assert_eq!(described["function"].get("strict"), None);
        assert_eq!(described["function"]["parameters"], map);
    }
}
