//! `wp_plugins`: what is installed, active and out of date.
//!
//! Files are the source; the database only says what is active. When it cannot be reached the list goes on
//! without that, because this is when somebody looks for a broken plugin.

mod input;
mod stored;

use std::collections::BTreeSet;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use siteclaw_core::{Code, Ctx, Reply, ToolError, ToolSpec, code};
use siteclaw_tools::root::RelPath;

use self::input::{Checked, Input, Kind, Status};
use self::stored::Stored;
use crate::files::below;
use crate::wordpress::columns::Columns;
use crate::wordpress::listing::{self, Answer, Listing, Page, stated};
use crate::wordpress::modes::{INVALID_STATUS, Mode, Row};
use crate::wordpress::plugin_files::{self, Plugin};
use crate::wordpress::settings::CONFIG_UNRESOLVED;
use crate::wordpress::site::Snapshot;
use crate::wordpress::text;
use crate::wordpress::version::compare;

type Plan = listing::Plan<WpPlugins>;

const CORRUPT_OPTION: Code = Code::new("CORRUPT_OPTION");

const DESCRIPTION: usize = 200;

/// Lists plugins.
pub(crate) struct WpPlugins;

/// A page of plugins.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Plugins {
    /// The plugins, with the requested columns.
    plugins: Vec<Row>,
}

/// Counts.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Counts {
    /// Plugins that pass the filters.
    total: usize,
    /// Those of them that are active. These four counts are absent while the database cannot be reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    active: Option<usize>,
    /// Those that are not.
    #[serde(skip_serializing_if = "Option::is_none")]
    inactive: Option<usize>,
    /// Those for which a newer version is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    update_available: Option<usize>,
    /// Active entries whose file is gone; they are not in the other counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<usize>,
}

impl Listing for WpPlugins {
    type Input = Input;
    type Checked = Checked;
    type Pages = Page<50, 200>;
    type Rows = Plugins;
    type Counts = Counts;

    const AREA: &'static str = "wordpress.plugins";
    const COLUMNS: Columns = Columns::new(
        &["name", "version", "active", "author"],
        &["slug", "description", "url", "update_available", "network_active", "file", "kind", "missing"],
    )
    .blocked(&["package", "download_link"], &[]);
    const FILTERS: &'static [&'static str] = &["status", "kind", "search"];

    fn spec() -> ToolSpec {
        stated(
            "wp_plugins",
            "Lists installed plugins with version, author and whether they are active, or counts them.\nKnows pending \
             updates, must-use plugins, drop-ins and active plugins whose files are missing.",
        )
        .title("Plugins")
        .field_code("status", INVALID_STATUS)
        .domains(&["plugins", "extensions"])
        .tags(&[
            "plugin", "plugins", "extension", "extensions", "addon", "active", "inactive", "installed", "activated",
            "deactivated", "version",
        ])
        .intents(&["list plugins", "which plugins are active", "show installed extensions"])
        .example("which plugins are active", json!({"status": "active"}))
        .example("are there plugin updates", json!({"columns": ["name", "version", "update_available"]}))
        .example("how many plugins are installed", json!({"aggregate": true}))
    }

    fn facts() -> Value {
        json!({"statuses": ["all", "active", "inactive"], "kinds": ["plugin", "must-use", "drop-in", "all"]})
    }

    fn source(_: &Snapshot) -> &'static str {
        "files"
    }

    async fn answer(
        ctx: &Ctx,
        snapshot: &Arc<Snapshot>,
        plan: &Plan,
    ) -> Result<Reply<Answer<Self>>, ToolError> {
        let (stored, trouble) = stored(snapshot, plan).await?;
        let reader = Arc::clone(snapshot);
        let kind = plan.own.kind;
        let found = ctx.blocking(move |_| Ok(on_disk(&reader, kind))).await?;
        let rows = filtered(plan, all(found, &stored, plan.own.kind));
        let object_cache = beneath(snapshot, &snapshot.settings.content.join("object-cache.php"))
            .is_some_and(|path| snapshot.root.exists(&path));
        let reply = match plan.mode {
            Mode::Aggregate => {
                let present: Vec<&Found> = rows.iter().filter(|row| !row.missing).collect();
                let known = |count: usize| trouble.is_none().then_some(count);
                let active = present.iter().filter(|row| row.is_active()).count();
                plan.counts(Counts {
                    total: present.len(),
                    active: known(active),
                    inactive: known(present.len() - active),
                    update_available: known(present.iter().filter(|row| row.update.is_some()).count()),
                    missing: known(rows.len() - present.len()),
                })
            }
            _ => page(plan, &rows),
        };
        let reply = reply.meta("updates_last_checked", stored.checked());
        let reply = match stored.age(ctx.now()) {
            _ if trouble.is_some() => reply.meta("updates", "unknown: the database cannot be reached"),
            Some(hours) => reply.meta("updates_age_hours", hours),
            None if object_cache => reply.meta("updates", "unknown: an object cache may hold them"),
            None => reply.meta("updates", "unknown: the site has never looked for updates"),
        };
        let reply = match trouble {
            Some(text) => reply.warn(code::DATABASE_UNAVAILABLE, text),
            None if stored.corrupt => reply.warn(
                CORRUPT_OPTION,
                "The option active_plugins cannot be decoded, so WordPress loads none of its plugins. See it with wp_option; \
                 it can be put right in the database or from a backup.",
            ),
            None => reply,
        };
        Ok(reply.meta("object_cache", object_cache))
    }
}

/// What the database says, or, when it cannot be reached, nothing and why. A filter that only the database can
/// answer stays an error.
async fn stored(snapshot: &Snapshot, plan: &Plan) -> Result<(Stored, Option<String>), ToolError> {
    let mut answer = Stored::read(snapshot).await;
    // The door tries again only after an error, and this is to be none.
    if matches!(&answer, Err(error) if is_out_of_reach(error) && error.is_retryable()) {
        answer = Stored::read(snapshot).await;
    }
    match answer {
        Ok(stored) => Ok((stored, None)),
        Err(error) if is_out_of_reach(&error) && plan.own.status == Status::All => {
            let hint = error.hint_text().map(|hint| format!(" {hint}")).unwrap_or_default();
            let text = format!("Which plugins are active is not known. {}{hint}", error.message());
            Ok((Stored { unknown: true, ..Stored::default() }, Some(text)))
        }
        Err(error) => Err(error),
    }
}

fn is_out_of_reach(error: &ToolError) -> bool {
    error.code() == code::DATABASE_UNAVAILABLE || error.code() == CONFIG_UNRESOLVED
}

/// A plugin with what is known of its state.
struct Found {
    plugin: Plugin,
    kind: &'static str,
    /// `None` while the database cannot be reached.
    active: Option<bool>,
    network_active: Option<bool>,
    missing: bool,
    update: Option<String>,
}

impl Found {
    fn is_active(&self) -> bool {
        self.active == Some(true)
    }
}

fn beneath(snapshot: &Snapshot, path: &std::path::Path) -> Option<RelPath> {
    below(&snapshot.root, path)
}

/// The wanted sorts of plugins on disk.
fn on_disk(snapshot: &Snapshot, kind: Kind) -> Vec<(Plugin, &'static str)> {
    let settings = &snapshot.settings;
    let mut found = Vec::new();
    let mut take = |wanted: Kind, name: &'static str, plugins: Vec<Plugin>| {
        if kind == Kind::All || kind == wanted {
            found.extend(plugins.into_iter().map(|plugin| (plugin, name)));
        }
    };
    let list = |path: &std::path::Path, read: fn(&siteclaw_tools::root::Root, &RelPath) -> Vec<Plugin>| {
        beneath(snapshot, path).map(|path| read(&snapshot.root, &path)).unwrap_or_default()
    };
    take(Kind::Plugin, "plugin", list(&settings.plugins, plugin_files::installed));
    take(Kind::MustUse, "must-use", list(&settings.must_use, plugin_files::must_use));
    take(Kind::DropIn, "drop-in", list(&settings.content, plugin_files::drop_ins));
    found
}

/// What is on disk with its state, then the active entries whose file is gone.
fn all(found: Vec<(Plugin, &'static str)>, stored: &Stored, kind: Kind) -> Vec<Found> {
    let known = !stored.unknown;
    let mut rows: Vec<Found> = found
        .into_iter()
        .map(|(plugin, kind)| {
            let network_active = stored.network.contains(&plugin.file);
            let update = stored
                .updates
                .get(&plugin.file)
                .filter(|version| compare(version, &plugin.version).is_gt())
                .cloned();
            Found {
                active: match kind {
                    "plugin" => known.then(|| network_active || stored.active.contains(&plugin.file)),
                    _ => Some(true),
                },
                network_active: known.then_some(network_active),
                missing: false,
                update: update.filter(|_| kind == "plugin"),
                kind,
                plugin,
            }
        })
        .collect();
    if matches!(kind, Kind::Plugin | Kind::All) {
        let present: BTreeSet<&str> =
            rows.iter().filter(|row| row.kind == "plugin").map(|row| row.plugin.file.as_str()).collect();
        let gone: Vec<Found> = stored
            .active
            .union(&stored.network)
            .filter(|file| !present.contains(file.as_str()))
            .map(|file| Found {
                plugin: Plugin { file: file.clone(), name: file.clone(), ..Plugin::default() },
                kind: "plugin",
                active: Some(true),
                network_active: Some(stored.network.contains(file)),
                missing: true,
                update: None,
            })
            .collect();
        rows.extend(gone);
    }
    rows
}

fn filtered(plan: &Plan, rows: Vec<Found>) -> Vec<Found> {
    let wanted = plan.own.search.as_ref().map(|text| text.to_lowercase());
    rows.into_iter()
        .filter(|row| match plan.own.status {
            Status::All => true,
            Status::Active => row.is_active(),
            Status::Inactive => row.active == Some(false),
        })
        .filter(|row| wanted.as_ref().is_none_or(|text| row.plugin.name.to_lowercase().contains(text)))
        .collect()
}

fn page(plan: &Plan, rows: &[Found]) -> Reply<Answer<WpPlugins>> {
    let page = plan.own.page;
    let [offset, limit] = [page.offset(), page.limit()].map(|n| usize::try_from(n).unwrap_or(usize::MAX));
    let plugins: Vec<Row> = rows.iter().skip(offset).take(limit).map(|row| shown(row, plan)).collect();
    let missing: Vec<&str> =
        rows.iter().filter(|row| row.missing).map(|row| row.plugin.file.as_str()).collect();
    let written = plan.wanted(&["name", "author", "description"]);
    let mut reply = plan.rows(Plugins { plugins });
    if !missing.is_empty() {
        reply = reply.meta("missing_files", json!(missing));
    }
    if !written.is_empty() {
        reply = reply.meta("untrusted_fields_returned", json!(written)).warn(
            code::UNTRUSTED_CONTENT,
            format!("{} are texts of the plugins' authors.", written.join(", ")),
        );
    }
    reply.list("plugins", page.of(i64::try_from(rows.len()).unwrap_or(i64::MAX)))
}

fn shown(row: &Found, plan: &Plan) -> Row {
    let plugin = &row.plugin;
    plan.columns
        .iter()
        .map(|&column| {
            let value = match column {
                "name" => json!(text::plain(&plugin.name)),
                "version" => json!(plugin.version),
                "active" => json!(row.active),
                "author" => json!(text::plain(&plugin.author)),
                "slug" => json!(plugin.slug()),
                "description" => json!(text::cut(&text::plain(&plugin.description), DESCRIPTION)),
                "url" => json!(plugin.url),
                "update_available" if row.active.is_none() => Value::Null,
                "update_available" => row.update.as_ref().map_or(json!(false), |version| json!(version)),
                "network_active" => json!(row.network_active),
                "file" => json!(plugin.file),
                "kind" => json!(row.kind),
                _ => json!(row.missing),
            };
            (column.to_owned(), value)
        })
        .collect()
}
