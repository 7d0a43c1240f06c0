//! Questions to the environment and the request.

use super::machine::Machine;
use crate::config::Access;
use crate::unknown::{Absent, Cause};
use crate::value::PhpValue;

impl Machine<'_> {
    /// The functions that read variables; nothing for other functions.
    pub(super) fn environment_call(
        &mut self,
        name: &str,
        arguments: &[PhpValue],
        line: u32,
    ) -> Option<PhpValue> {
        let variable = || arguments.first().and_then(PhpValue::as_str);
        Some(match name {
            "getenv" | "apache_getenv" => match variable() {
                Some(variable) => match self.variable_of_environment(variable, false, line) {
                    Some(value) => PhpValue::from(value),
                    None => self.absent_variable(variable, Absent::False, line),
                },
                None => self.unknown(Cause::Call(name.to_owned()), line),
            },
            "env" => match variable() {
                Some(variable) => match self.variable_of_environment(variable, arguments.len() > 1, line) {
                    Some(value) => typed(&value, self.file.env_package.get()),
                    None => arguments.get(1).cloned().unwrap_or_default(),
                },
                None => self.unknown(Cause::Call(name.to_owned()), line),
            },
            "getenv_docker" => match variable() {
                Some(variable) => self.docker_variable(variable, arguments.get(1), line),
                None => self.unknown(Cause::Call(name.to_owned()), line),
            },
            "putenv" => {
                if let Some((name, value)) = variable().and_then(|setting| setting.split_once('='))
                    && self.doubt(name).is_none()
                {
                    self.put.insert(name.to_owned(), value.to_owned());
                }
                PhpValue::Bool(true)
            }
            "php_sapi_name" => PhpValue::from("cli"),
            "phpversion" if arguments.is_empty() => PhpValue::from(super::constants::version()),
            _ => return None,
        })
    }

    /// The official image's helper: the content of the file that `NAME_FILE` names, else `NAME`, else the
    /// default. A set but empty variable counts.
    fn docker_variable(&mut self, name: &str, default: Option<&PhpValue>, line: u32) -> PhpValue {
        let file = format!("{name}_FILE");
        match self.optional_variable(&file).filter(|path| !path.is_empty() && path != "0") {
            Some(path) => match self.content(&path, Access::Read, line) {
                PhpValue::Str(text) => {
                    let bytes = text.as_bytes();
                    let end = bytes
                        .iter()
                        .rposition(|byte| !matches!(byte, b'\r' | b'\n'))
                        .map_or(0, |last| last + 1);
                    PhpValue::from(bytes.get(..end).unwrap_or_default().to_vec())
                }
                other => other,
            },
            None => match self.variable_of_environment(name, default.is_some(), line) {
                Some(value) => PhpValue::from(value),
                None => default.cloned().unwrap_or_default(),
            },
        }
    }

    /// An entry of a superglobal. What the files assigned themselves comes first; `$_ENV` and `$_SERVER`
    /// then look like the environment; values of the request are unset to `isset`, else unknown.
    pub(super) fn superglobal(&mut self, global: &str, key: &PhpValue, line: u32) -> PhpValue {
        let Some(name) = key.to_text() else {
            return PhpValue::Unknown(self.reason(key, line).used());
        };
        if global == "GLOBALS" {
            return match self.scopes.first().and_then(|scope| scope.variables.get(&name)) {
                Some(located) => located.value.clone(),
                None => self.absent(Cause::Variable(name), line, Absent::Unset),
            };
        }
        let assigned = self.scopes.first().and_then(|scope| scope.variables.get(global));
        if let Some(value) = assigned.and_then(|located| located.value.get(&name)) {
            return value.clone();
        }
        if !matches!(global, "_SERVER" | "_ENV") || is_of_request(&name) {
            return self.absent(Cause::Request(format!("${global}['{name}']")), line, Absent::Unset);
        }
        // putenv() changes what getenv() sees and not these.
        match self.environment.get(&name) {
            Some(value) => PhpValue::from(value),
            None => {
                self.note_missing(&name, false, line);
                self.absent_variable(&name, Absent::Null, line)
            }
        }
    }
}

/// Whether the web server sets this entry of `$_SERVER`. Such a name is never looked up in the
/// environment: `HTTP_PROXY` is a header of the visitor's.
fn is_of_request(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "HTTPS",
        "DOCUMENT_ROOT",
        "CONTEXT_DOCUMENT_ROOT",
        "GATEWAY_INTERFACE",
        "PATH_INFO",
        "PATH_TRANSLATED",
        "ORIG_PATH_INFO",
        "PHP_SELF",
        "PHP_AUTH_USER",
        "PHP_AUTH_PW",
        "QUERY_STRING",
        "argv",
        "argc",
    ];
    const PREFIXES: &[&str] = &["HTTP_", "SERVER_", "REMOTE_", "REQUEST_", "SCRIPT_", "SSL_", "REDIRECT_"];
    NAMES.contains(&name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// What `env()` makes of a variable's text. Laravel's knows `true`, `false`, `null` and `empty`, also in
/// parentheses; oscarotero/env, which Bedrock uses, also makes integers of digits.
fn typed(value: &str, env_package: bool) -> PhpValue {
    let lower = value.to_ascii_lowercase();
    let word = match lower.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
        Some(inner) if !env_package => inner,
        _ => &lower,
    };
    match word {
        "true" => return PhpValue::Bool(true),
        "false" => return PhpValue::Bool(false),
        "null" => return PhpValue::Null,
        "empty" if !env_package => return PhpValue::from(""),
        _ => {}
    }
    if env_package
        && !value.is_empty()
        && value.bytes().all(|byte| byte.is_ascii_digit())
        && let Ok(number) = value.parse::<i64>()
    {
        return PhpValue::Int(number);
    }
    for quote in ['"', '\''] {
        let inner = value.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
        if let Some(inner) = inner {
            return PhpValue::from(inner);
        }
    }
    PhpValue::from(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn env_types_by_family() {
        let text = PhpValue::from;
        for (value, laravel, bedrock) in [
            ("true", PhpValue::Bool(true), PhpValue::Bool(true)),
            ("(False)", PhpValue::Bool(false), text("(False)")),
            ("NULL", PhpValue::Null, PhpValue::Null),
            ("empty", text(""), text("empty")),
            ("0123", text("0123"), PhpValue::Int(123)),
            ("\"x\"", text("x"), text("x")),
            ("yes", text("yes"), text("yes")),
            ("", text(""), text("")),
        ] {
            assert_eq!(typed(value, false), laravel, "{value}");
            assert_eq!(typed(value, true), bedrock, "{value}");
        }
    }

    #[test]
    fn headers_are_not_environment() {
        assert!(is_of_request("HTTP_PROXY") && is_of_request("REMOTE_ADDR") && is_of_request("HTTPS"));
        assert!(!is_of_request("DB_HOST") && !is_of_request("SERVERLESS"));
    }
}
