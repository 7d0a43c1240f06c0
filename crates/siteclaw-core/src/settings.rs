//! Settings of a tool: a typed struct, checked like arguments.
//!
//! A tool states its settings' type with [`ToolSpec::settings`](crate::ToolSpec::settings), so that they can be
//! listed, and is made with a value of it. Whoever configures tools turns the written form into that value here.
//!
//! ```
//! #[derive(serde::Deserialize, schemars::JsonSchema, Default)]
//! #[serde(default)]
//! struct Settings {
//!     /// Bytes of a response that are kept.
//!     max_bytes: u32,
//! }
//! let written = serde_json::json!({"max_bytes": 4096});
//! let settings: Settings = siteclaw_core::parse_settings("http_request", &written).unwrap();
//! assert_eq!(settings.max_bytes, 4096);
//!
//! let misspelt = serde_json::json!({"max_byte": 1});
//! let error = siteclaw_core::parse_settings::<Settings>("http_request", &misspelt).err().unwrap();
//! assert!(error.message().contains("Did you mean 'max_bytes'?"));
//! ```

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::code;
use crate::error::{ToolError, sanitise_fragment};
use crate::schema;
use crate::validate::Checker;

/// The settings of a tool from their written form. An unknown key is refused with the nearest one, a wrong
/// value with what is allowed; the messages name the tool.
pub fn parse<S: DeserializeOwned + JsonSchema>(tool: &str, written: &Value) -> Result<S, ToolError> {
    let unusable = |reason: String| {
        ToolError::new(code::INTERNAL, format!("The settings of '{tool}' have no usable schema: {reason}."))
    };
    let schema = schema::of::<S>().map_err(|error| unusable(error.to_string()))?;
    let checker = Checker::new(&schema, &[]).map_err(|error| unusable(error.to_string()))?;
    checker.check(written).map_err(|error| {
        let mut named =
            ToolError::new(error.code(), format!("The settings of '{tool}' are wrong: {}", error.message()));
        for (key, value) in error.context() {
            named = named.with(key, value.clone());
        }
        named
    })?;
    S::deserialize(written).map_err(|error| {
        let text = sanitise_fragment(&error.to_string(), 200);
        ToolError::new(
            code::INVALID_ARGUMENT,
            format!("The settings of '{tool}' were not understood: {text}."),
        )
    })
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Debug, Deserialize, JsonSchema, PartialEq)]
    #[serde(default)]
    struct Settings {
        /// Programs that may run.
        allow: Vec<String>,
        #[schemars(range(min = 1))]
        timeout: u32,
    }

    impl Default for Settings {
        fn default() -> Self {
            Self { allow: vec!["ls".to_owned()], timeout: 5 }
        }
    }

    #[test]
    fn what_is_not_written_keeps_its_default() {
        let settings: Settings = parse("shell_exec", &json!({"timeout": 9})).unwrap();
        assert_eq!(settings, Settings { allow: vec!["ls".to_owned()], timeout: 9 });
    }

    #[test]
    fn wrong_settings_are_refused_with_tool_key_and_rule() {
        for (written, part) in [
            (json!({"timout": 9}), "Did you mean 'timeout'?"),
            (json!({"timeout": 0}), "timeout must be at least 1, not 0."),
            (json!({"allow": "ls"}), "allow must be array"),
            (json!([]), "must be object"),
        ] {
            let error = parse::<Settings>("shell_exec", &written).unwrap_err();
            assert!(error.message().starts_with("The settings of 'shell_exec' are wrong: "), "{error}");
            assert!(error.message().contains(part), "{error}");
        }
    }
}
