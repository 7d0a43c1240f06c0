//! Checking arguments against the schema, with messages a model can act on.

use std::sync::OnceLock;

use jsonschema::Validator;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use serde_json::{Map, Value, json};

use crate::code;
use crate::error::{Code, ToolError, sanitise_fragment};
use crate::names;
use crate::schema::SchemaError;
use crate::validity;

/// The most problems that one refusal lists.
const MAX_PROBLEMS: usize = 8;

/// Checks a value against a JSON Schema of draft 2020-12, as a tool's arguments are checked. The message names each
/// place and rule; remote references are not followed. A schema that is none is an [`INTERNAL`](code::INTERNAL) error.
pub fn check_value(schema: &Value, value: &Value) -> Result<(), ToolError> {
    let unusable = |reason| ToolError::new(code::INTERNAL, format!("The schema cannot be used: {reason}."));
    Checker::new(schema, &[]).map_err(unusable)?.check(value)
}

/// A schema that arguments are checked against.
#[derive(Debug)]
pub(crate) struct Checker {
    schema: Value,
    validator: OnceLock<Result<Validator, SchemaError>>,
    accepted: Vec<String>,
    field_codes: Vec<(&'static str, Code)>,
}

struct Problem {
    rank: u8,
    code: Code,
    path: String,
    rule: &'static str,
    message: String,
    allowed: Option<Value>,
}

/// Makes a schema ready to check values.
pub(crate) fn compile(schema: &Value) -> Result<Validator, SchemaError> {
    jsonschema::draft202012::new(schema).map_err(|error| SchemaError::Invalid(error.to_string()))
}

impl Checker {
    /// Takes a schema that the validator takes, and compiles it when something is checked first: compiling all
    /// tools' schemas takes a third of the time that a server needs to list them.
    pub(crate) fn new(schema: &Value, field_codes: &[(&'static str, Code)]) -> Result<Self, SchemaError> {
        validity::ensure(schema)?;
        let accepted = schema
            .get("properties")
            .and_then(Value::as_object)
            .map(|properties| properties.keys().cloned().collect())
            .unwrap_or_default();
        Ok(Self {
            schema: schema.clone(),
            validator: OnceLock::new(),
            accepted,
            field_codes: field_codes.to_vec(),
        })
    }

    fn validator(&self) -> Result<&Validator, SchemaError> {
        self.validator.get_or_init(|| compile(&self.schema)).as_ref().map_err(Clone::clone)
    }

    /// The names that the tool accepts, in the schema's order.
    pub(crate) fn accepted(&self) -> &[String] {
        &self.accepted
    }

    pub(crate) fn check(&self, arguments: &Value) -> Result<(), ToolError> {
        let validator = self.validator().map_err(|reason| {
            ToolError::new(code::INTERNAL, format!("The arguments cannot be checked: {reason}."))
                .hint("This is a fault of the tool, not of the call.")
        })?;
        if validator.is_valid(arguments) {
            return Ok(());
        }
        let mut problems: Vec<Problem> = validator
            .iter_errors(arguments)
            .take(MAX_PROBLEMS)
            .map(|error| self.problem(error.instance_path().as_str(), error.kind(), error.instance()))
            .collect();
        problems.sort_by_key(|problem| problem.rank);
        Err(self.refusal(&problems))
    }

    fn refusal(&self, problems: &[Problem]) -> ToolError {
        let Some(first) = problems.first() else {
            return ToolError::new(code::INVALID_ARGUMENT, "The arguments do not fit the schema.");
        };
        let message = problems.iter().map(|problem| problem.message.as_str()).collect::<Vec<_>>().join(" ");
        let list: Vec<Value> = problems
            .iter()
            .map(|problem| {
                let mut entry = Map::new();
                entry.insert("path".to_owned(), json!(problem.path));
                entry.insert("rule".to_owned(), json!(problem.rule));
                if let Some(allowed) = &problem.allowed {
                    entry.insert("allowed".to_owned(), allowed.clone());
                }
                Value::Object(entry)
            })
            .collect();
        let error = ToolError::new(first.code, message).with("problems", list);
        if first.code == code::UNKNOWN_ARGUMENT {
            return error.with("accepted_arguments", self.accepted.clone());
        }
        error
    }

    fn problem(&self, pointer: &str, kind: &Kind, value: &Value) -> Problem {
        let path = readable(pointer);
        let at = if path.is_empty() { "The arguments".to_owned() } else { path.clone() };
        let given = sanitise_fragment(&value.to_string(), 60);
        let (rule, text, allowed): (&'static str, String, Option<Value>) = match kind {
            Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
                return self.unknown(&path, unexpected);
            }
            Kind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                let path = join(&path, name);
                let message = format!("{path} is required and missing.");
                return Problem {
                    rank: 1,
                    code: code::MISSING_ARGUMENT,
                    path,
                    rule: "required",
                    message,
                    allowed: None,
                };
            }
            Kind::Type { kind } => {
                let wanted = types(kind);
                let text = format!("{at} must be {}, not {given}.", wanted.join(" or "));
                ("type", text, Some(json!(wanted)))
            }
            Kind::Enum { options } => {
                let list = options
                    .as_array()
                    .map(|list| list.iter().map(Value::to_string).collect::<Vec<_>>().join(", "))
                    .unwrap_or_default();
                ("enum", format!("{at} must be one of {list}, not {given}."), Some((**options).clone()))
            }
            Kind::Constant { expected_value } => {
                ("const", format!("{at} must be {expected_value}."), Some((**expected_value).clone()))
            }
            Kind::Minimum { limit } => bound("minimum", &at, "at least", limit, &given),
            Kind::Maximum { limit } => bound("maximum", &at, "at most", limit, &given),
            Kind::ExclusiveMinimum { limit } => bound("exclusiveMinimum", &at, "more than", limit, &given),
            Kind::ExclusiveMaximum { limit } => bound("exclusiveMaximum", &at, "less than", limit, &given),
            Kind::MinLength { limit } => count("minLength", &at, "at least", *limit, "characters"),
            Kind::MaxLength { limit } => count("maxLength", &at, "at most", *limit, "characters"),
            Kind::MinItems { limit } => count("minItems", &at, "at least", *limit, "items"),
            Kind::MaxItems { limit } => count("maxItems", &at, "at most", *limit, "items"),
            Kind::UniqueItems => ("uniqueItems", format!("{at} must not repeat an item."), None),
            Kind::Pattern { pattern } => (
                "pattern",
                format!("{at} must match the pattern {pattern}, which {given} does not."),
                Some(json!(pattern)),
            ),
            Kind::AnyOf { .. } | Kind::OneOfNotValid { .. } => {
                ("anyOf", format!("{at} has none of the forms that are allowed: {given}."), None)
            }
            _ => ("schema", format!("{at} does not fit the schema: {given}."), None),
        };
        Problem { rank: 2, code: self.code_of(&path), path, rule, message: text, allowed }
    }

    fn unknown(&self, path: &str, unexpected: &[String]) -> Problem {
        let name = unexpected.first().map(String::as_str).unwrap_or_default();
        let shown = sanitise_fragment(name, 64);
        let path = join(path, &shown);
        let hint = names::suggestion(name, self.accepted.iter().map(String::as_str));
        let accepted = if self.accepted.is_empty() {
            "The tool takes no arguments.".to_owned()
        } else {
            format!("Accepted: {}.", self.accepted.join(", "))
        };
        let message = match hint {
            Some(hint) => format!("There is no argument '{path}'. {hint} {accepted}"),
            None => format!("There is no argument '{path}'. {accepted}"),
        };
        Problem {
            rank: 0,
            code: code::UNKNOWN_ARGUMENT,
            path,
            rule: "additionalProperties",
            message,
            allowed: None,
        }
    }

    /// The code for a bad value: the field's own, that of paging, or the general one.
    fn code_of(&self, path: &str) -> Code {
        let field = path.split(['.', '[']).next().unwrap_or_default();
        if let Some((_, code)) = self.field_codes.iter().find(|(name, _)| *name == field) {
            return *code;
        }
        match field {
            "limit" => code::INVALID_LIMIT,
            "offset" => code::INVALID_OFFSET,
            _ => code::INVALID_ARGUMENT,
        }
    }
}

fn bound(
    rule: &'static str,
    at: &str,
    words: &str,
    limit: &Value,
    given: &str,
) -> (&'static str, String, Option<Value>) {
    (rule, format!("{at} must be {words} {limit}, not {given}."), Some(limit.clone()))
}

fn count(
    rule: &'static str,
    at: &str,
    words: &str,
    limit: u64,
    unit: &str,
) -> (&'static str, String, Option<Value>) {
    let unit = if limit == 1 { unit.trim_end_matches('s') } else { unit };
    (rule, format!("{at} must have {words} {limit} {unit}."), Some(json!(limit)))
}

fn types(kind: &TypeKind) -> Vec<String> {
    match kind {
        TypeKind::Single(single) => vec![single.to_string()],
        TypeKind::Multiple(set) => set.iter().map(|kind| kind.to_string()).collect(),
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// `/filters/0/name` as `filters[0].name`.
fn readable(pointer: &str) -> String {
    let mut path = String::new();
    for part in pointer.split('/').skip(1) {
        let part = part.replace("~1", "/").replace("~0", "~");
        if !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()) {
            path.push_str(&format!("[{part}]"));
        } else {
            path = join(&path, &sanitise_fragment(&part, 64));
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATUS: Code = Code::new("INVALID_STATUS");

    fn checker() -> Checker {
        let schema = json!({"type": "object", "properties": {
            "limit": {"type": "integer", "minimum": 1},
            "post_status": {"type": "string", "enum": ["publish", "draft"]},
            "columns": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
            "id": {"type": "integer", "exclusiveMinimum": 0},
            "search": {"type": "string", "maxLength": 3}
        }, "required": ["id"], "additionalProperties": false});
        Checker::new(&schema, &[("post_status", STATUS)]).unwrap()
    }

    #[test]
    fn each_refusal_has_its_code_and_says_path_rule_and_allowed_values() {
        let table = [
            (json!({}), "MISSING_ARGUMENT", "id is required and missing."),
            (
                json!({"id": 1, "limt": 3}),
                "UNKNOWN_ARGUMENT",
                "There is no argument 'limt'. Did you mean 'limit'? Accepted: limit, post_status, columns, id, search.",
            ),
            (json!({"id": 1, "limit": "many"}), "INVALID_LIMIT", "limit must be integer, not \"many\"."),
            (
                json!({"id": 1, "post_status": "live"}),
                "INVALID_STATUS",
                "post_status must be one of \"publish\", \"draft\", not \"live\".",
            ),
            (json!({"id": 0}), "INVALID_ARGUMENT", "id must be more than 0, not 0."),
            (json!({"id": 1, "columns": ["a", 2]}), "INVALID_ARGUMENT", "columns[1] must be string, not 2."),
            (
                json!({"id": 1, "columns": ["a", "b", "c"]}),
                "INVALID_ARGUMENT",
                "columns must have at most 2 items.",
            ),
            (
                json!({"id": 1, "search": "long"}),
                "INVALID_ARGUMENT",
                "search must have at most 3 characters.",
            ),
            (
                json!({"id": [], "x": 1}),
                "UNKNOWN_ARGUMENT",
                "There is no argument 'x'. Accepted: limit, post_status, columns, id, search. id must be integer, not [].",
            ),
        ];
        for (arguments, code, message) in table {
            let error = checker().check(&arguments).unwrap_err();
            assert_eq!((error.code().as_str(), error.message()), (code, message), "{arguments}");
        }
        assert!(checker().check(&json!({"id": 1, "limit": 2})).is_ok());
    }

    #[test]
    fn an_unusable_schema_is_refused_at_once() {
        let schema = json!({"type": "object", "properties": {"a": {"type": "strin"}}});
        assert!(matches!(Checker::new(&schema, &[]), Err(SchemaError::Invalid(_))));
    }

    #[test]
    fn a_program_can_read_the_problem() {
        let error = checker().check(&json!({"id": 1, "post_status": "live"})).unwrap_err();
        assert_eq!(
            error.context()["problems"],
            json!([{"path": "post_status", "rule": "enum", "allowed": ["publish", "draft"]}])
        );
        let error = checker().check(&json!({"id": 1, "nope": 1})).unwrap_err();
        assert_eq!(
            error.context()["accepted_arguments"],
            json!(["limit", "post_status", "columns", "id", "search"])
        );
    }
}
