//! The arguments of a tool, as its schema describes them.

use serde_json::Value;

use super::words::parts;

/// What kind of value an argument takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Flag,
    Whole,
    Number,
    Text,
    /// A list of texts.
    Texts,
    Other,
}

/// One argument.
#[derive(Clone, Debug)]
pub(super) struct Field<'a> {
    pub(super) name: &'a str,
    /// The words of its name.
    pub(super) words: Vec<String>,
    pub(super) kind: Kind,
    /// The only values it may have; for an open text, those that its description shows between backticks or
    /// lists after a colon or `such as`.
    pub(super) values: Vec<&'a str>,
    /// Whether it may have no others.
    pub(super) closed: bool,
    pub(super) required: bool,
    pub(super) schema: &'a Value,
}

impl Field<'_> {
    /// What the author says about it.
    pub(super) fn description(&self) -> &str {
        self.schema.get("description").and_then(Value::as_str).unwrap_or_default()
    }

    /// Whether it takes any text.
    pub(super) fn is_open(&self) -> bool {
        self.kind == Kind::Text && !self.closed
    }

    /// Whether the name has this word.
    pub(super) fn has(&self, word: &str) -> bool {
        self.words.iter().any(|own| own == word)
    }
}

/// The arguments of an input schema, in its order.
pub(super) fn fields(schema: &Value) -> Vec<Field<'_>> {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return Vec::new() };
    let required = schema.get("required").and_then(Value::as_array);
    let mut fields: Vec<Field<'_>> = properties
        .iter()
        .map(|(name, schema)| {
            let kind = kind(schema);
            let choices = if kind == Kind::Texts { schema.get("items").unwrap_or(schema) } else { schema };
            let listed = choices.get("enum").and_then(Value::as_array);
            let description = schema.get("description").and_then(Value::as_str).unwrap_or_default();
            Field {
                name,
                words: parts(name),
                kind,
                values: match listed {
                    Some(values) => values.iter().filter_map(Value::as_str).collect(),
                    None if matches!(kind, Kind::Text | Kind::Texts) => shown(description),
                    None => Vec::new(),
                },
                closed: listed.is_some(),
                required: required.is_some_and(|list| list.iter().any(|entry| entry == name)),
                schema,
            }
        })
        .collect();
    // A description may name other arguments; those are no values.
    for field in &mut fields {
        if !field.closed {
            field.values.retain(|value| !properties.contains_key(*value));
        }
    }
    fields
}

fn kind(schema: &Value) -> Kind {
    let is = |wanted: &str| has_type(schema, wanted);
    let branches = schema.get("anyOf").and_then(Value::as_array);
    let any = |wanted: &str| {
        is(wanted) || branches.is_some_and(|list| list.iter().any(|one| has_type(one, wanted)))
    };
    if any("boolean") {
        Kind::Flag
    } else if any("string") {
        Kind::Text
    } else if any("integer") {
        Kind::Whole
    } else if any("number") {
        Kind::Number
    } else if is("array") && schema.get("items").is_some_and(|items| has_type(items, "string")) {
        Kind::Texts
    } else {
        Kind::Other
    }
}

fn has_type(schema: &Value, wanted: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(name)) => name == wanted,
        Some(Value::Array(names)) => names.iter().any(|name| name == wanted),
        _ => false,
    }
}

/// Single words between backticks, else those of a list: `of this type: simple, variable or another`.
fn shown(description: &str) -> Vec<&str> {
    let ticked: Vec<&str> = description.split('`').skip(1).step_by(2).filter(is_value).collect();
    if !ticked.is_empty() {
        return ticked;
    }
    let list = ["such as ", ": "].iter().find_map(|opening| Some(description.split_once(opening)?.1));
    let Some(list) = list else { return Vec::new() };
    let list = list.split_once(". ").map_or(list, |(first, _)| first);
    list.split([',', ';'])
        .flat_map(|part| part.split(" or "))
        .map(|part| part.trim().trim_start_matches("or ").trim_end_matches('.'))
        .filter(is_value)
        .filter(|part| part.starts_with(char::is_alphabetic))
        .filter(|part| !matches!(*part, "another" | "other" | "others" | "more"))
        .collect()
}

fn is_value(text: &&str) -> bool {
    (2..=40).contains(&text.len()) && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_schema_is_read_with_its_kinds_and_values() {
        let schema = json!({"properties": {
            "aggregate": {"type": "boolean"},
            "limit": {"type": ["integer", "null"]},
            "total": {"type": "number"},
            "status": {"type": "string", "enum": ["a", "b"]},
            "role": {"type": "string", "description": "Such as `editor`, `shop_manager`; not with `limit`, `a b`."},
            "option_name": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
            "states": {"type": "array", "items": {"type": "string", "enum": ["x"]}},
            "headers": {"type": "object"}
        }, "required": ["limit"]});
        let fields = fields(&schema);
        let kinds: Vec<Kind> = fields.iter().map(|field| field.kind).collect();
        use Kind::*;
        assert_eq!(kinds, [Flag, Whole, Number, Text, Text, Text, Texts, Other]);
        assert_eq!((&fields[3].values[..], fields[3].closed), (&["a", "b"][..], true));
        assert_eq!((&fields[4].values[..], fields[4].closed), (&["editor", "shop_manager"][..], false));
        assert_eq!(fields[6].values, ["x"]);
        assert_eq!(
            fields.iter().filter(|field| field.required).map(|field| field.name).collect::<Vec<_>>(),
            ["limit"]
        );
        assert!(super::fields(&json!(true)).is_empty());
    }

    #[test]
    fn values_of_an_open_text_are_those_that_its_description_lists() {
        let table: [(&str, &[&str]); 6] = [
            (
                "Only accounts with this role, such as administrator, editor, customer.",
                &["administrator", "editor", "customer"],
            ),
            (
                "Type of content: post, page, any type of the site, or any. Default post.",
                &["post", "page", "any"],
            ),
            ("Only products of this type: simple, variable or another.", &["simple", "variable"]),
            ("From this day on: 2026-11-30, 2026-11 or 2026.", &[]),
            ("With option_name: read one part, such as menu.0.label.", &[]),
            ("Text that name, SKU or GTIN must hold.", &[]),
        ];
        for (description, expected) in table {
            assert_eq!(shown(description), expected, "{description}");
        }
    }
}
