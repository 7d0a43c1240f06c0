//! What all parts of the demo share: the clock, the rows, the posts whose counts are still open, and the
//! files.

use std::collections::BTreeMap;

use super::{
    DemoError, DemoOptions,
    clock::{Clock, NO_DATE},
    people::People,
    seed::Rng,
    store::{Row, Tables, row},
};

/// The shop's host. Reserved by RFC 2606: no such site can exist.
pub(crate) const HOST: &str = "copper-crema.example";
/// The shop's address, without a slash at the end.
pub(crate) const URL: &str = "https://copper-crema.example";

/// A file of the site: its path below the root, with `/`, and its bytes.
#[derive(Debug)]
pub(crate) struct SiteFile {
    pub(crate) path: String,
    pub(crate) bytes: Vec<u8>,
}

/// The site while it is being made up.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) seed: u64,
    pub(crate) clock: Clock,
    pub(crate) people: People,
    pub(crate) tables: Tables,
    pub(crate) files: Vec<SiteFile>,
    posts: BTreeMap<i64, Post>,
    last_post: i64,
}

impl World {
    /// Starts with nothing but the options.
    pub(crate) fn new(options: &DemoOptions) -> Result<Self, DemoError> {
        Ok(World {
            seed: options.seed,
            clock: Clock::new(options.ends_on)?,
            people: People::new(options.seed),
            tables: Tables::default(),
            files: Vec::new(),
            posts: BTreeMap::new(),
            last_post: 0,
        })
    }

    /// Starts a stream of chance.
    pub(crate) fn rng(&self, stream: &str) -> Rng {
        Rng::stream(self.seed, stream)
    }

    /// Takes the next post id. Orders share these ids with posts.
    pub(crate) fn post_id(&mut self) -> i64 {
        self.last_post += 1;
        self.last_post
    }

    /// Adds a post; it is written when its comments have been counted.
    pub(crate) fn add_post(&mut self, post: Post) {
        self.posts.insert(post.id, post);
    }

    /// A post by id.
    pub(crate) fn post(&self, id: i64) -> Option<&Post> {
        self.posts.get(&id)
    }

    /// A post by id, to be changed.
    pub(crate) fn post_mut(&mut self, id: i64) -> Option<&mut Post> {
        self.posts.get_mut(&id)
    }

    /// All posts by id.
    pub(crate) fn posts(&self) -> impl Iterator<Item = &Post> {
        self.posts.values()
    }

    /// Adds a file.
    pub(crate) fn file(&mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>) {
        self.files.push(SiteFile { path: path.into(), bytes: bytes.into() });
    }

    /// Turns the posts into rows.
    pub(crate) fn finish_posts(&mut self) {
        for post in self.posts.values() {
            self.tables.add("posts", post.row(&self.clock));
        }
    }
}

/// A row of the posts table, with dates still as moments.
#[derive(Debug, Clone)]
pub(crate) struct Post {
    pub(crate) id: i64,
    pub(crate) kind: &'static str,
    pub(crate) status: &'static str,
    pub(crate) author: i64,
    pub(crate) at: i64,
    /// Whether the UTC date is set; a draft that never had a date has none.
    pub(crate) dated: bool,
    pub(crate) modified: i64,
    pub(crate) title: String,
    pub(crate) content: String,
    pub(crate) excerpt: String,
    pub(crate) name: String,
    pub(crate) password: String,
    pub(crate) comments_open: bool,
    pub(crate) pings_open: bool,
    pub(crate) parent: i64,
    pub(crate) guid: String,
    pub(crate) order: i64,
    pub(crate) mime: &'static str,
    pub(crate) comments: i64,
}

impl Post {
    /// A published post without content, closed for comments.
    pub(crate) fn new(kind: &'static str, id: i64, at: i64) -> Self {
        let guid = match kind {
            "post" | "revision" => format!("{URL}/?p={id}"),
            "page" => format!("{URL}/?page_id={id}"),
            _ => format!("{URL}/?post_type={kind}&p={id}"),
        };
        Post {
            id,
            kind,
            status: "publish",
            author: 1,
            at,
            dated: true,
            modified: at,
            title: String::new(),
            content: String::new(),
            excerpt: String::new(),
            name: String::new(),
            password: String::new(),
            comments_open: false,
            pings_open: false,
            parent: 0,
            guid,
            order: 0,
            mime: "",
            comments: 0,
        }
    }

    fn row(&self, clock: &Clock) -> Row {
        let open = |yes| if yes { "open" } else { "closed" };
        row! {
            "ID" => self.id, "post_author" => self.author, "post_date" => clock.local(self.at),
            "post_date_gmt" => if self.dated { clock.gmt(self.at) } else { NO_DATE.to_owned() },
            "post_content" => &self.content, "post_title" => &self.title, "post_excerpt" => &self.excerpt,
            "post_status" => self.status, "comment_status" => open(self.comments_open),
            "ping_status" => open(self.pings_open), "post_password" => &self.password,
            "post_name" => &self.name, "post_modified" => clock.local(self.modified),
            "post_modified_gmt" => clock.gmt(self.modified), "post_parent" => self.parent,
            "guid" => &self.guid, "menu_order" => self.order, "post_type" => self.kind,
            "post_mime_type" => self.mime, "comment_count" => self.comments,
        }
    }
}
