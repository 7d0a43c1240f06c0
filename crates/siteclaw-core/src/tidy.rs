//! Cleaning arguments against the schema before they are validated.
//!
//! Models send `null`, blank text or `*` for "no filter", numbers as text, and limits beyond the bound.
//! None of that should cost a turn: what can be put right without guessing is put right, and each change is
//! a warning. Everything else is left for the validator. Keys that the schema does not know stay as they are.

use serde_json::{Map, Number, Value};

use crate::code;
use crate::envelope::Warning;

/// Schemas are bounded at registration; this bounds how deep values are followed.
const MAX_DEPTH: usize = 24;
/// Changes that are named one by one: a list of a thousand numbers written as text is one mistake.
const MOST_NAMED: usize = 10;

/// The changes made to a set of arguments.
#[derive(Debug, Default)]
pub(crate) struct Tidied {
    dropped: Vec<String>,
    adjusted: Vec<String>,
}

impl Tidied {
    pub(crate) fn changes(&self) -> usize {
        self.dropped.len() + self.adjusted.len()
    }

    /// One warning for all that was dropped, one for each value that was changed; of many the first ones.
    pub(crate) fn warnings(self) -> Vec<Warning> {
        let mut warnings = Vec::new();
        if !self.dropped.is_empty() {
            let mut names = self.dropped.iter().take(MOST_NAMED).cloned().collect::<Vec<_>>().join(", ");
            if let Some(more) = self.dropped.len().checked_sub(MOST_NAMED + 1) {
                names.push_str(&format!(" and {} more", more + 1));
            }
            warnings.push(Warning::new(
                code::ARGUMENT_ADJUSTED,
                format!("Left out because it says nothing: {names}."),
            ));
        }
        let more = self.adjusted.len().saturating_sub(MOST_NAMED);
        let named = self.adjusted.into_iter().take(MOST_NAMED);
        warnings.extend(named.map(|text| Warning::new(code::ARGUMENT_ADJUSTED, text)));
        if more > 0 {
            let text = format!("{more} more values were adjusted in the same way.");
            warnings.push(Warning::new(code::ARGUMENT_ADJUSTED, text));
        }
        warnings
    }
}

/// Tidies the arguments in place.
pub(crate) fn tidy(arguments: &mut Map<String, Value>, schema: &Value) -> Tidied {
    let mut tidied = Tidied::default();
    object(arguments, schema, "", 0, &mut tidied);
    tidied
}

fn object(arguments: &mut Map<String, Value>, schema: &Value, path: &str, depth: usize, tidied: &mut Tidied) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
    if depth > MAX_DEPTH {
        return;
    }
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|list| list.iter().any(|entry| entry == name));
    let mut empty = Vec::new();
    for (name, value) in arguments.iter_mut() {
        let Some(property) = properties.get(name) else { continue };
        if !is_required(name) && says_nothing(value, property) {
            empty.push(name.clone());
            continue;
        }
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        self::value(value, property, &path, depth + 1, tidied);
    }
    for name in empty {
        arguments.shift_remove(&name);
        tidied.dropped.push(if path.is_empty() { name } else { format!("{path}.{name}") });
    }
}

fn value(value: &mut Value, schema: &Value, path: &str, depth: usize, tidied: &mut Tidied) {
    match schema.get("type").and_then(Value::as_str) {
        Some("integer") => number(value, schema, path, true, tidied),
        Some("number") => number(value, schema, path, false, tidied),
        Some("string") => spelling(value, schema, path, tidied),
        Some("object") => {
            if let Value::Object(map) = value {
                object(map, schema, path, depth, tidied);
            }
        }
        Some("array") => {
            if let (Value::Array(items), Some(schema)) = (value, schema.get("items"))
                && depth < MAX_DEPTH
            {
                for (index, item) in items.iter_mut().enumerate() {
                    self::value(item, schema, &format!("{path}[{index}]"), depth + 1, tidied);
                }
            }
        }
        _ => {}
    }
}

/// `null`, blank text, `*` and `%` mean "no filter", unless the enum lists the sign itself.
fn says_nothing(value: &Value, schema: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => {
            let text = text.trim();
            let listed = schema
                .get("enum")
                .and_then(Value::as_array)
                .is_some_and(|values| values.iter().any(|value| value == text));
            text.is_empty() || (matches!(text, "*" | "%") && !listed)
        }
        _ => false,
    }
}

/// Text that holds a number becomes one, `5.0` becomes `5`, and what is out of bounds the nearest bound.
fn number(value: &mut Value, schema: &Value, path: &str, whole: bool, tidied: &mut Tidied) {
    let parsed = match value {
        Value::String(text) => match serde_json::from_str::<Number>(text.trim().trim_start_matches('+')) {
            Ok(number) => number,
            Err(_) => return,
        },
        Value::Number(number) => number.clone(),
        _ => return,
    };
    let mut number = if whole {
        match as_whole(&parsed) {
            Some(number) => number,
            None => return,
        }
    } else {
        parsed
    };
    let changed = *value != Value::Number(number.clone());
    let mut bound = None;
    for (keyword, over) in [("minimum", false), ("maximum", true)] {
        let Some(Value::Number(limit)) = schema.get(keyword) else { continue };
        if exceeds(&number, limit, over) {
            number = limit.clone();
            bound = Some((keyword, limit.clone()));
        }
    }
    if let Some((keyword, limit)) = bound {
        tidied.adjusted.push(format!("{path} was {} and is now {limit}, the {keyword}.", shown(value)));
    } else if changed {
        tidied.adjusted.push(format!("{path} was {} and is now the number {number}.", shown(value)));
    } else {
        return;
    }
    *value = Value::Number(number);
}

/// The number if it has no fraction and fits 64 bits.
fn as_whole(number: &Number) -> Option<Number> {
    if number.is_i64() || number.is_u64() {
        return Some(number.clone());
    }
    let float = number.as_f64()?;
    // Beyond 2^53 a float no longer says which integer was meant.
    if float.fract() != 0.0 || float.abs() > 9_007_199_254_740_992.0 {
        return None;
    }
    format!("{float:.0}").parse::<i64>().ok().map(Number::from)
}

fn exceeds(number: &Number, limit: &Number, over: bool) -> bool {
    let ordering = match (number.as_i64(), limit.as_i64()) {
        (Some(number), Some(limit)) => Some(number.cmp(&limit)),
        _ => number.as_f64().zip(limit.as_f64()).and_then(|(number, limit)| number.partial_cmp(&limit)),
    };
    ordering == Some(if over { std::cmp::Ordering::Greater } else { std::cmp::Ordering::Less })
}

/// A value of an enum written in other letters' case becomes the listed one, if just one matches.
fn spelling(value: &mut Value, schema: &Value, path: &str, tidied: &mut Tidied) {
    let (Value::String(text), Some(allowed)) = (&*value, schema.get("enum").and_then(Value::as_array)) else {
        return;
    };
    if allowed.iter().any(|entry| entry == text.as_str()) {
        return;
    }
    let wanted = text.trim();
    let mut matching =
        allowed.iter().filter(|entry| entry.as_str().is_some_and(|entry| entry.eq_ignore_ascii_case(wanted)));
    if let (Some(only), None) = (matching.next(), matching.next()) {
        tidied.adjusted.push(format!("{path} was {} and is now {only}.", shown(value)));
        *value = only.clone();
    }
}

/// The value as it is shown in a warning: never longer than a line.
fn shown(value: &Value) -> String {
    crate::error::sanitise_fragment(&value.to_string(), 40)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn schema() -> Value {
        json!({"type": "object", "properties": {
            "limit": {"type": "integer", "minimum": 1, "maximum": 50},
            "min_total": {"type": "number", "minimum": 0},
            "search": {"type": "string"},
            "order": {"type": "string", "enum": ["ASC", "DESC"]},
            "columns": {"type": "array", "items": {"type": "string"}},
            "scope": {"type": "string", "enum": ["*", "own"]},
            "id": {"type": "integer", "exclusiveMinimum": 0},
            "range": {"type": "object", "properties": {"days": {"type": "integer", "maximum": 366}}}
        }, "required": ["id"]})
    }

    fn tidied(arguments: Value) -> (Value, Vec<String>) {
        let Value::Object(mut map) = arguments else { panic!("object expected") };
        let warnings = tidy(&mut map, &schema()).warnings();
        (Value::Object(map), warnings.into_iter().map(|warning| warning.message).collect())
    }

    #[test]
    fn each_rule_changes_what_it_should() {
        // (given, kept, number of warnings)
        let table = [
            (json!({"id": 1, "search": null}), json!({"id": 1}), 1),
            (json!({"id": 1, "search": "  "}), json!({"id": 1}), 1),
            (json!({"id": 1, "search": " * ", "limit": "%"}), json!({"id": 1}), 1),
            (json!({"id": 1, "scope": "*"}), json!({"id": 1, "scope": "*"}), 0),
            (json!({"id": null}), json!({"id": null}), 0),
            (json!({"id": "7"}), json!({"id": 7}), 1),
            (json!({"id": 5.0}), json!({"id": 5}), 1),
            (json!({"id": 5.5}), json!({"id": 5.5}), 0),
            (json!({"id": "5.5"}), json!({"id": "5.5"}), 0),
            (json!({"id": -3}), json!({"id": -3}), 0),
            (json!({"id": "abc"}), json!({"id": "abc"}), 0),
            (json!({"id": 1, "limit": 500}), json!({"id": 1, "limit": 50}), 1),
            (json!({"id": 1, "limit": "-2"}), json!({"id": 1, "limit": 1}), 1),
            (json!({"id": 1, "min_total": "9.90"}), json!({"id": 1, "min_total": 9.9}), 1),
            (json!({"id": 1, "order": "desc"}), json!({"id": 1, "order": "DESC"}), 1),
            (json!({"id": 1, "range": {"days": 400}}), json!({"id": 1, "range": {"days": 366}}), 1),
            (json!({"id": 1, "columns": ["*"]}), json!({"id": 1, "columns": ["*"]}), 0),
            (json!({"id": 1, "unknown": null}), json!({"id": 1, "unknown": null}), 0),
            (json!({"id": 9_007_199_254_740_993_i64}), json!({"id": 9_007_199_254_740_993_i64}), 0),
        ];
        for (given, kept, warnings) in table {
            let (result, said) = tidied(given.clone());
            assert_eq!(result, kept, "{given}");
            assert_eq!(said.len(), warnings, "{given}: {said:?}");
        }
    }

    #[test]
    fn warnings_say_what_became_of_what() {
        let (_, said) = tidied(json!({"id": 1, "limit": 500, "search": ""}));
        assert_eq!(
            said,
            ["Left out because it says nothing: search.", "limit was 500 and is now 50, the maximum.",]
        );
    }

    #[test]
    fn of_many_changes_the_first_ones_are_named() {
        let schema = json!({"type": "object", "properties": {
            "ids": {"type": "array", "items": {"type": "integer"}},
            "rows": {"type": "array", "items": {"type": "object", "properties": {"x": {"type": "string"}}}}
        }});
        let given = json!({"ids": vec!["1"; 5000], "rows": vec![json!({"x": ""}); 12]});
        let Value::Object(mut map) = given else { panic!("object expected") };
        let tidied = tidy(&mut map, &schema);
        assert_eq!(tidied.changes(), 5012);
        let said: Vec<String> = tidied.warnings().into_iter().map(|warning| warning.message).collect();
        assert_eq!(said.len(), 12);
        assert!(said[0].ends_with("rows[8].x, rows[9].x and 2 more."), "{}", said[0]);
        assert_eq!(said[11], "4990 more values were adjusted in the same way.");
        assert_eq!(map["ids"], json!(vec![1; 5000]));
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            "[ -~]{0,12}".prop_map(Value::from),
            prop_oneof![Just("*"), Just("%"), Just(" 12 "), Just("asc")].prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 16, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
                prop::collection::hash_map("(limit|search|id|range|days|[a-z]{1,3})", inner, 0..5)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn tidying_twice_is_tidying_once_and_invents_no_key(
            map in prop::collection::hash_map("(limit|min_total|search|order|id|range|other)", any_json(), 0..7)
        ) {
            let original: Map<String, Value> = map.into_iter().collect();
            let mut once = original.clone();
            tidy(&mut once, &schema());
            prop_assert!(once.keys().all(|key| original.contains_key(key)));
            prop_assert!(!original.contains_key("id") || once.contains_key("id"));
            prop_assert_eq!(once.get("other"), original.get("other"));
            let mut twice = once.clone();
            prop_assert_eq!(tidy(&mut twice, &schema()).changes(), 0);
            prop_assert_eq!(twice, once);
        }
    }
}
