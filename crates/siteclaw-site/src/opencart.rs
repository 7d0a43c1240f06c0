//! OpenCart: `config.php`, a list of constants.
//!
//! Facts: `system/library/db/` holds the drivers; `DB_SSL_*` of 4.1 hold certificates, not paths; the
//! command-line installer of 4.1 writes `&amp;` for `&` into the password.

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
        "category",
        "currency",
        "customer",
        "language",
        "order",
        "order_status",
        "product",
        "product_description",
        "setting",
        "user",
    ],
    counted: Some(("product", "products")),
    fix: "Check DB_PREFIX and DB_DATABASE in config.php.",
};

fn read(place: &Place, root: &Root) -> Result<Reading<Read>, ToolError> {
    let path = config_of(place, "OpenCart", "config.php with DB_DRIVER and DB_PREFIX")?;
    let read = Evaluated::plain(place, root, path, |_| {})?;
    let config = &read.config;
    let field = |name: &str| Field::new(name, config.constant(name));
    let mut notes = notes(config, &["DB_"]);
    notes.extend(read.variables.problem.clone());
    let prefix = prefix(&field("DB_PREFIX"), &mut notes);
    let driver = field("DB_DRIVER").optional("mysqli", &mut notes).unwrap_or_else(|| "mysqli".to_owned());
    let engine = match driver.to_ascii_lowercase().as_str() {
        "mysqli" | "mysql" | "mpdo" | "pdo" => Some(Engine::MySql),
        "pgsql" | "postgre" => Some(Engine::Postgres),
        _ => None,
    };
    let text = |name: &str| config.constant(name).and_then(PhpValue::to_text).unwrap_or_default();
    let database = match engine {
        Some(engine) => Server {
            engine,
            host: field("DB_HOSTNAME"),
            port: field("DB_PORT"),
            socket: None,
            user: field("DB_USERNAME"),
            password: field("DB_PASSWORD"),
            database: field("DB_DATABASE"),
            tls: if text("DB_SSL_CA").is_empty() { Tls::Preferred } else { Tls::Required { ca: None } },
            schema: None,
        }
        .settings(&place.options.database, read.origin(), &mut notes),
        None => Err(unsupported("DB_DRIVER", &driver)),
    };
    let password = text("DB_PASSWORD");
    let plain = html_escape::decode_html_entities(&password);
    if plain != password && place.options.database.password.is_none() {
        notes.push(
            "DB_PASSWORD holds an HTML entity such as &amp;, which OpenCart's installer writes for & by mistake. \
             If the login is refused, give the plain password in [site.database] of your siteclaw.toml."
                .to_owned(),
        );
    }
    let mut found = read.variables.secrets();
    found.push(plain.into_owned().into());
    for (name, located) in &config.constants {
        found.extend(secrets::of_value(name, &located.value));
    }
    Ok(Reading {
        connection: connection(database, prefix, notes),
        settings: Read(shown(path, place)),
        secrets: found,
        files: read.files(),
    })
}
