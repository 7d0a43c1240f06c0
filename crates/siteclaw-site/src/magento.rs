//! Magento, Adobe Commerce and Mage-OS: `app/etc/env.php`, which returns one array.
//!
//! Facts: `Magento\Framework\DB\Adapter\Pdo\Mysql` takes a host with a slash for a socket and one with a
//! colon for host and port; `Magento\Framework\App\DeploymentConfig\Reader` knows the placeholder
//! `#env(NAME)` and `#env(NAME, "default")`.

use std::path::PathBuf;

use siteclaw_core::ToolError;
use siteclaw_db::{Engine, Tls};
use siteclaw_php::{Environment, PhpValue};
use siteclaw_tools::root::Root;

use crate::configured::{Read, Traits, config_of, connection, shown};
use crate::connection::{Field, Server, notes, prefix};
use crate::evaluated::Evaluated;
use crate::live::{Place, Reading};
use crate::secrets;

pub(crate) const TRAITS: Traits = Traits {
    read,
    core_tables: &[
        "catalog_category_entity",
        "catalog_product_entity",
        "core_config_data",
        "customer_entity",
        "eav_attribute",
        "eav_entity_type",
        "sales_order",
        "setup_module",
        "store",
        "store_group",
        "store_website",
    ],
    counted: Some(("catalog_product_entity", "products")),
    fix: "Check table_prefix and dbname under db in app/etc/env.php.",
};

fn read(place: &Place, root: &Root) -> Result<Reading<Read>, ToolError> {
    let path = config_of(place, "Magento", "app/etc/env.php")?;
    let read = Evaluated::plain(place, root, path, |_| {})?;
    let config = &read.config;
    let environment = read.variables.environment(&place.options);
    let at = |keys: &[&str]| config.returned().and_then(|value| value.at(keys));
    let field = |keys: &[&str]| replaced(keys, at(keys), &environment);
    let of = |key: &str| field(&["db", "connection", "default", key]);
    let mut notes = notes(config, &["return"]);
    notes.extend(read.variables.problem.clone());
    let prefix = prefix(&field(&["db", "table_prefix"]), &mut notes);
    let ca = at(&["db", "connection", "default", "driver_options", "1009"]).and_then(PhpValue::to_text);
    let ca = ca.filter(|path| !path.is_empty()).map(PathBuf::from);
    let database = Server {
        engine: Engine::MySql,
        host: of("host").or(""),
        port: of("port"),
        socket: at(&["db", "connection", "default", "unix_socket"]).map(|_| of("unix_socket")),
        user: of("username"),
        password: of("password").or(""),
        database: of("dbname"),
        tls: if ca.is_some() { Tls::Required { ca } } else { Tls::Preferred },
        schema: None,
    }
    .settings(&place.options.database, read.origin(), &mut notes);
    let mut found = read.variables.secrets();
    if let Some(value) = config.returned() {
        found.extend(secrets::of_value("", value));
    }
    // Several keys of the encryption stand in one text, and each is a secret of its own.
    let keys = at(&["crypt", "key"]).and_then(PhpValue::to_text).unwrap_or_default();
    found.extend(keys.split_whitespace().map(siteclaw_core::Secret::new));
    Ok(Reading {
        connection: connection(database, prefix, notes),
        settings: Read(shown(path, place)),
        secrets: found,
        files: read.files(),
    })
}

/// A value, or what its placeholder stands for.
fn replaced(keys: &[&str], value: Option<&PhpValue>, environment: &impl Environment) -> Field {
    let name = keys.iter().map(|key| format!("['{key}']")).collect::<String>();
    let placeholder =
        value.and_then(PhpValue::as_str).and_then(|text| text.strip_prefix("#env(")?.strip_suffix(')'));
    let Some(inner) = placeholder else { return Field::new(name, value) };
    let (variable, default) = match inner.split_once(',') {
        Some((variable, default)) => (variable.trim(), default.trim().strip_prefix('"')),
        None => (inner.trim(), None),
    };
    let default = default.and_then(|text| text.strip_suffix('"'));
    match environment.get(variable).filter(|value| !value.is_empty() || default.is_none()) {
        Some(value) => Field::text(name, Some(&value)),
        None if default.is_some() => Field::text(name, default),
        None => Field::lacking(name, format!("it comes from the variable {variable}, which is not set here")),
    }
}
