//! Joomla: `configuration.php` with the class `JConfig`.
//!
//! Facts: `libraries/vendor/joomla/database/src` holds the drivers and the forms of `$host`,
//! `administrator/components/com_config/forms/application.xml` the meaning of `$dbencryption` and its kin.

use std::path::PathBuf;

use siteclaw_core::ToolError;
use siteclaw_db::{Engine, Tls};
use siteclaw_php::PhpValue;
use siteclaw_tools::root::Root;

use crate::configured::{Read, Traits, config_of, connection, shown};
use crate::connection::{Field, Server, notes, prefix, unsupported};
use crate::evaluated::Evaluated;
use crate::live::{Place, Reading};
use crate::secrets;

pub(crate) const TRAITS: Traits = Traits {
    read,
    core_tables: &[
        "assets",
        "categories",
        "content",
        "extensions",
        "menu",
        "menu_types",
        "modules",
        "template_styles",
        "usergroups",
        "users",
        "viewlevels",
    ],
    counted: Some(("content", "articles")),
    fix: "Check $dbprefix and $db in configuration.php.",
};

fn read(place: &Place, root: &Root) -> Result<Reading<Read>, ToolError> {
    let path = config_of(place, "Joomla", "configuration.php")?;
    let read = Evaluated::plain(place, root, path, |_| {})?;
    let config = &read.config;
    let value = |name: &str| config.property("JConfig", name);
    let field = |name: &str| Field::new(format!("JConfig::${name}"), value(name));
    let mut notes = notes(config, &["JConfig"]);
    notes.extend(read.variables.problem.clone());
    let prefix = prefix(&field("dbprefix"), &mut notes);
    let driver = field("dbtype").optional("mysqli", &mut notes).unwrap_or_else(|| "mysqli".to_owned());
    let engine = match driver.to_ascii_lowercase().as_str() {
        "mysqli" | "mysql" | "pdomysql" => Some(Engine::MySql),
        "pgsql" | "postgresql" => Some(Engine::Postgres),
        _ => None,
    };
    let database = match engine {
        Some(engine) => Server {
            engine,
            host: field("host").or(""),
            port: Field::text("port", None),
            socket: None,
            user: field("user"),
            password: field("password"),
            database: field("db"),
            tls: tls(&value),
            schema: None,
        }
        .settings(&place.options.database, read.origin(), &mut notes),
        None => Err(unsupported("JConfig::$dbtype", &driver)),
    };
    let mut found = read.variables.secrets();
    if let Some(class) = config.class("JConfig") {
        for (name, located) in &class.properties {
            found.extend(secrets::of_value(name, &located.value));
        }
    }
    Ok(Reading {
        connection: connection(database, prefix, notes),
        settings: Read(shown(path, place)),
        secrets: found,
        files: read.files(),
    })
}

/// `$dbencryption`: 0 none, 1 encrypted, 2 with a certificate of the client too.
fn tls<'a>(value: &impl Fn(&str) -> Option<&'a PhpValue>) -> Tls {
    let number = |name: &str| value(name).and_then(PhpValue::as_int).unwrap_or(0);
    if number("dbencryption") == 0 {
        return Tls::Preferred;
    }
    let verified = value("dbsslverifyservercert").and_then(PhpValue::to_bool).unwrap_or(false);
    let ca = value("dbsslca").and_then(PhpValue::to_text).filter(|path| verified && !path.is_empty());
    Tls::Required { ca: ca.map(PathBuf::from) }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn encryption_is_what_the_form_says() {
        let of = |pairs: &[(&str, PhpValue)]| {
            let values: BTreeMap<&str, PhpValue> = pairs.iter().cloned().collect();
            tls(&|name: &str| values.get(name))
        };
        let ca = ("dbsslca", PhpValue::from("/etc/ca.pem"));
        assert_eq!(of(&[]), Tls::Preferred);
        assert_eq!(of(&[("dbencryption", PhpValue::Int(0)), ca.clone()]), Tls::Preferred);
        assert_eq!(of(&[("dbencryption", PhpValue::from("1"))]), Tls::Required { ca: None });
        // An authority counts only where the certificate is to be verified.
        assert_eq!(of(&[("dbencryption", PhpValue::Int(1)), ca.clone()]), Tls::Required { ca: None });
        assert_eq!(
            of(&[("dbencryption", PhpValue::Int(2)), ca, ("dbsslverifyservercert", PhpValue::Bool(true))]),
            Tls::Required { ca: Some("/etc/ca.pem".into()) }
        );
    }
}
