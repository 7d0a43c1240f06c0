//! PrestaShop: `app/config/parameters.php`, or `config/settings.inc.php` of shops older than 1.7.
//!
//! Facts: `config/bootstrap.php` takes the parameters into the old constants; in a value `%%` stands for
//! one `%`, as everywhere in Symfony's parameters; `Db::connect()` puts the port to the host.

use std::path::{Path, PathBuf};

use siteclaw_core::ToolError;
use siteclaw_db::{Engine, Tls};
use siteclaw_php::PhpValue;
use siteclaw_tools::root::Root;

use crate::configured::{Read, Traits, config_of, connection, shown};
use crate::connection::{CONFIG_UNRESOLVED, Field, Server, notes, prefix};
use crate::evaluated::Evaluated;
use crate::live::{Place, Reading};
use crate::secrets;

pub(crate) const TRAITS: Traits = Traits {
    read,
    core_tables: &[
        "category",
        "configuration",
        "currency",
        "customer",
        "employee",
        "lang",
        "module",
        "orders",
        "product",
        "product_lang",
        "shop",
        "shop_url",
    ],
    counted: Some(("product", "products")),
    fix: "Check the prefix and the name of the database in the shop's configuration.",
};

/// The parameters as the shop's own kernel cached them, for shops that keep them in YAML.
const CACHED: [&str; 2] = ["var/cache/prod/appParameters.php", "var/cache/dev/appParameters.php"];

fn read(place: &Place, root: &Root) -> Result<Reading<Read>, ToolError> {
    let path = parameters(place, root)?;
    let read = Evaluated::plain(place, root, &path, |_| {})?;
    let config = &read.config;
    let is_old = path.file_name().is_some_and(|name| name == "settings.inc.php");
    let field = |new: &str, old: &str| {
        if is_old {
            return Field::new(old, config.constant(old));
        }
        let value = config.returned().and_then(|value| value.at(&["parameters", new]));
        Field::new(format!("parameters['{new}']"), value).map(|text| text.replace("%%", "%"))
    };
    let mut notes = notes(config, &["return", "_DB_"]);
    notes.extend(read.variables.problem.clone());
    let prefix = prefix(&field("database_prefix", "_DB_PREFIX_"), &mut notes);
    let database = Server {
        engine: Engine::MySql,
        host: field("database_host", "_DB_SERVER_"),
        port: field("database_port", "_DB_PORT_"),
        socket: None,
        user: field("database_user", "_DB_USER_"),
        password: field("database_password", "_DB_PASSWD_").or(""),
        database: field("database_name", "_DB_NAME_"),
        tls: Tls::Preferred,
        schema: None,
    }
    .settings(&place.options.database, read.origin(), &mut notes);
    let mut found = read.variables.secrets();
    let constants = config.constants.iter().map(|(name, located)| (name.as_str(), &located.value));
    for (name, value) in constants.chain(config.returned().map(|value| ("", value))) {
        for secret in secrets::of_value(name, value) {
            if secret.expose().contains("%%") {
                found.push(secret.expose().replace("%%", "%").into());
            }
            found.push(secret);
        }
    }
    // Its name ends in IV, which says little elsewhere.
    let iv = config.returned().and_then(|value| value.at(&["parameters", "cookie_iv"]));
    found.extend(iv.and_then(PhpValue::to_secret));
    Ok(Reading {
        connection: connection(database, prefix, notes),
        settings: Read(shown(&path, place)),
        secrets: found,
        files: read.files(),
    })
}

/// The file with the parameters as PHP.
fn parameters(place: &Place, root: &Root) -> Result<PathBuf, ToolError> {
    let path = config_of(place, "PrestaShop", "app/config/parameters.php")?;
    if path.extension().is_none_or(|extension| extension != "yml") {
        return Ok(path.to_owned());
    }
    let is_there = |path: &PathBuf| root.relative(path).is_ok_and(|path| root.exists(&path));
    CACHED.iter().map(|name| place.root.join(Path::new(name))).find(is_there).ok_or_else(|| {
        ToolError::new(
            CONFIG_UNRESOLVED,
            format!("{} is YAML, which is not read, and the shop has no cached copy of it.", path.display()),
        )
        .hint("Open the shop once, so that it writes var/cache/prod/appParameters.php.")
    })
}
