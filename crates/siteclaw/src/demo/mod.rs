//! The demo shop: a WordPress and WooCommerce site on SQLite, made up from a seed.
//!
//! [`create`] writes a whole site folder (configuration, plugin and theme headers, uploads, logs, database)
//! in the layout of WordPress's own SQLite integration: 300 posts, 500 comments, 60 users, 200 products, 400
//! orders. The same seed and date give the same bytes. All people, hosts and secrets are invented; WordPress
//! itself is not part of it, so the site can be looked at but not run.
//!
//! It never touches a folder that it did not make: a folder is replaced only when it carries the demo's own
//! marker file and that is asked for, anything else that is not empty is refused. The site is built beside
//! its final place and renamed, so a run that is cut short leaves no half-made site; only a killed process
//! leaves its building folder, `.NAME.siteclaw-demo-PID`, behind. Nothing is written elsewhere.
//!
//! ```no_run
//! # async fn f() -> Result<(), siteclaw::demo::DemoError> {
//! use siteclaw::demo::{self, DemoOptions};
//! let demo = demo::create("demo-shop".as_ref(), &DemoOptions::default()).await?;
//! for count in &demo.counts {
//!     println!("{:>6} {}", count.count, count.kind);
//! }
//! # Ok(()) }
//! ```

mod analytics;
mod checkout;
mod clock;
mod comments;
mod coupons;
mod cron;
mod files;
mod log;
mod md5;
mod media;
mod money;
mod options;
mod order_rows;
mod orders;
mod pages;
mod people;
mod place;
mod plugins;
mod png;
mod posts;
mod product_rows;
mod products;
mod roles;
mod schema;
mod seed;
mod serialize;
mod shelves;
mod shop;
mod store;
mod summary;
mod terms;
#[cfg(test)]
mod tests;
mod updates;
mod users;
mod words;
mod world;
mod write;

use std::{io, path::Path, path::PathBuf};

use jiff::civil::Date;

pub use summary::{Count, Summary};

/// What to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DemoOptions {
    /// Decides everything that is left to chance. Default 1.
    pub seed: u64,
    /// The day all data ends on, in UTC at 18:00; from 2001 to 2099. Default 2026-11-30.
    pub ends_on: Date,
    /// Makes the demo anew where a demo is already; only a folder with the demo's marker is replaced.
    pub fresh: bool,
}

impl Default for DemoOptions {
    fn default() -> Self {
        DemoOptions { seed: 1, ends_on: jiff::civil::date(2026, 11, 30), fresh: false }
    }
}

/// Why there is no demo shop.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DemoError {
    /// The date lies outside the years for which plausible data can be made.
    #[error("the demo's data cannot end on {date}: give a day from 2001-01-01 to 2099-12-31")]
    Date {
        /// The date asked for.
        date: String,
    },
    /// The folder holds something else.
    #[error("{} is not empty and is not a demo shop: choose a new or an empty folder", .dir.display())]
    Foreign {
        /// The folder.
        dir: PathBuf,
    },
    /// The path is a file or a link.
    #[error("{} is not a folder (a link counts as something else): choose a new or an empty folder", .dir.display())]
    NotAFolder {
        /// The path.
        dir: PathBuf,
    },
    /// `.`, `..` and `/` have no name of their own beside which a demo could be built.
    #[error("{} does not name a folder: give one with a name, such as demo-shop", .dir.display())]
    Unnamed {
        /// The path.
        dir: PathBuf,
    },
    /// The folder is a demo with other options, or of another release.
    #[error("{} holds a demo shop made with other settings ({what}): ask for a fresh one to replace it", .dir.display())]
    Other {
        /// The folder.
        dir: PathBuf,
        /// What differs.
        what: String,
    },
    /// The folder is a demo that has lost its database.
    #[error("{} is a demo shop without its database: ask for a fresh one to replace it", .dir.display())]
    Damaged {
        /// The folder.
        dir: PathBuf,
    },
    /// A file could not be read or written.
    #[error("cannot {action} {}: {source}", .path.display())]
    File {
        /// What was tried.
        action: &'static str,
        /// Where.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// SQLite refused a statement.
    #[error("the demo's database could not be written: {0}")]
    Database(#[from] sqlx::Error),
    /// A generator named a column that the schema lacks: a mistake in this program.
    #[error("the demo's schema has no {column}: this is a mistake in siteclaw, please report it")]
    Column {
        /// Table, or table and column.
        column: String,
    },
}

/// Makes the demo shop in `dir`, or finds it there.
///
/// A complete demo with the same seed and date is reused as it is; [`find`] takes one of any date. `dir` may be missing (parents are created)
/// or empty. All of it takes about a second, most of which keeps its thread busy: this is a command's
/// business, not a server's.
///
/// # Errors
///
/// [`DemoError`] when the folder holds anything but a demo with these options, when the date is out of range,
/// or when files or the database cannot be written. The folder is then as it was.
pub async fn create(dir: &Path, options: &DemoOptions) -> Result<Summary, DemoError> {
    if !options.fresh
        && let Some((summary, ends_on)) = place::find(dir)?
    {
        place::same(&summary, &ends_on, options)?;
        return Ok(summary);
    }
    let building = place::Building::start(dir, options)?;
    let made = make(options)?;
    let summary = summary::Summary::of(dir, options, &made);
    building.write_files(&made.files)?;
    write::database(&building.path(files::DATABASE), &made.tables).await?;
    building.finish(summary, options)
}

/// Finds a complete demo shop in `dir`, whatever its seed and date; `None` when the folder is missing or empty.
///
/// # Errors
///
/// [`DemoError`] when the folder holds anything else, a demo of another release, or one without its database.
pub fn find(dir: &Path) -> Result<Option<Summary>, DemoError> {
    Ok(place::find(dir)?.map(|(summary, _)| summary))
}

/// Makes up the whole site in memory.
fn make(options: &DemoOptions) -> Result<world::World, DemoError> {
    let mut world = world::World::new(options)?;
    let world_mut = &mut world;
    let users = users::plan(world_mut);
    let mut terms = terms::Terms::new();
    let staff: Vec<i64> = users.iter().filter(|u| u.is("author") || u.is("editor")).map(|u| u.id).collect();
    let pages = pages::add(world_mut);
    let media = media::add(world_mut, &staff);
    let magazine = posts::add(world_mut, &mut terms, &users, &media);
    pages::add_menu(world_mut, &mut terms, &pages, magazine.trashed.first().copied().unwrap_or(0));
    let mut products = products::plan(world_mut, &terms, &media);
    product_rows::add(world_mut, &mut terms, &products);
    let mut coupons = coupons::plan(world_mut);
    let orders = orders::plan(world_mut, &users, &mut products, &mut coupons);
    let items = order_rows::add(world_mut, &orders, &products, &coupons);
    analytics::add(world_mut, &orders, &items, &products, &users, &coupons);
    comments::add(world_mut, &users, &magazine, &mut products, &orders);
    product_rows::finish(world_mut, &mut terms, &products);
    coupons::add(world_mut, &coupons);
    users::add(world_mut, &users, |id| orders::spent(&orders, id));
    shop::add_setup(world_mut);
    shop::add_traffic(world_mut, &orders, &products);
    cron::add_queue(world_mut, &orders.iter().map(|o| o.id).collect::<Vec<_>>(), &products::ends(&products));
    let parts = options::Parts { terms: &terms, pages: &pages, media: &media, magazine: &magazine };
    options::add(world_mut, &parts);
    terms.finish(world_mut);
    world_mut.finish_posts();
    files::add(world_mut);
    log::add(world_mut);
    Ok(world)
}
