//! The magazine: 300 posts in every status over two years, with their revisions.

use super::{
    clock::{Clock, DAY},
    media::Media,
    seed::Rng,
    store::Value,
    terms::Terms,
    users::User,
    words::{self, block, heading, list, paragraph, sentence, slug},
    world::{Post, URL, World},
};

/// How many posts have which status.
pub(crate) const STATUSES: &[(usize, &str)] = &[
    (232, "publish"),
    (28, "draft"),
    (12, "pending"),
    (10, "private"),
    (8, "future"),
    (6, "trash"),
    (4, "auto-draft"),
];
/// Drafts that once had a date set, so that their UTC date is not zero.
const DATED_DRAFTS: usize = 6;
const PROTECTED: usize = 3;
const STICKY: usize = 3;

/// Titles that are hard to print, search or make a slug of.
const ODD_TITLES: &[&str] = &[
    "Crème brûlée &amp; other torches",
    "“Third wave”, explained by a baker’s daughter",
    "コーヒー: a week in Kyoto",
    "100% whole grain – is it worth it?",
    "☕ Twelve cups before noon",
    "Salt/fat/acid: notes from a <em>very</em> small kitchen",
];

/// The magazine's posts, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Magazine {
    /// Published posts without a password: id and moment.
    pub(crate) published: Vec<(i64, i64)>,
    pub(crate) sticky: Vec<i64>,
    pub(crate) trashed: Vec<i64>,
}

/// Adds the posts.
pub(crate) fn add(world: &mut World, terms: &mut Terms, users: &[User], media: &Media) -> Magazine {
    let mut rng = world.rng("posts");
    let end = world.clock.end();
    let mut plan: Vec<(i64, &'static str)> = STATUSES
        .iter()
        .flat_map(|(n, status)| std::iter::repeat_n(*status, *n))
        .map(|status| (date(&mut rng, &world.clock, status), status))
        .collect();
    plan.sort_unstable();
    let mut writers = Writers::new(users);
    let mut seen = Vec::new();
    let mut magazine = Magazine::default();
    let mut drafts = 0;
    for (number, (at, status)) in plan.into_iter().enumerate() {
        let title = match (status, ODD_TITLES.get(number / 40)) {
            ("auto-draft", _) => "Auto Draft".to_owned(),
            (_, Some(odd)) if number % 40 == 7 => (*odd).to_owned(),
            _ => fresh_title(&mut rng, &mut seen),
        };
        let id = world.post_id();
        drafts += usize::from(status == "draft");
        let dated = match status {
            "draft" => drafts <= DATED_DRAFTS,
            "pending" | "auto-draft" => false,
            _ => true,
        };
        let name = slug(&title);
        let content =
            if status == "auto-draft" { String::new() } else { body(&mut rng, media, world, &magazine) };
        let protected = status == "publish" && number % 70 == 30 && number / 70 < PROTECTED;
        let edited = if rng.chance(45) { rng.range(1, 40) * DAY } else { rng.range(0, 7200) };
        let modified =
            if status == "future" { end - rng.range(1, 9) * DAY } else { (at + edited).min(end - 60) };
        let post = Post {
            status,
            author: writers.next(&mut rng, status),
            dated,
            modified,
            title,
            excerpt: if rng.chance(40) && status != "auto-draft" {
                sentence(&mut rng)
            } else {
                String::new()
            },
            name: match status {
                "draft" | "pending" | "auto-draft" => String::new(),
                "trash" => format!("{name}__trashed"),
                _ => name.clone(),
            },
            password: if protected { rng.alnum(10) } else { String::new() },
            comments_open: end - at < 500 * DAY,
            pings_open: true,
            content,
            ..Post::new("post", id, at)
        };
        match status {
            "publish" if !protected => magazine.published.push((id, at)),
            "trash" => magazine.trashed.push(id),
            _ => {}
        }
        if status != "auto-draft" {
            classify(&mut rng, terms, id);
            add_meta(world, &mut rng, &post, &name, media);
            add_revisions(world, &mut rng, &post);
        }
        world.add_post(post);
    }
    magazine.sticky = magazine.published.iter().rev().step_by(17).take(STICKY).map(|(id, _)| *id).collect();
    magazine
}

fn date(rng: &mut Rng, clock: &Clock, status: &str) -> i64 {
    let end = clock.end();
    let day = match status {
        "future" => end + rng.range(2, 60) * DAY,
        "draft" | "pending" | "auto-draft" => end - rng.range(1, 120) * DAY,
        _ => end - rng.range(1, 729) * DAY,
    };
    clock.on_day(day, rng.range(7, 22) as i8, rng.range(0, 59) as i8) + rng.range(0, 59)
}

fn fresh_title(rng: &mut Rng, seen: &mut Vec<String>) -> String {
    let mut title = words::title(rng);
    // Seven hundred titles are possible, so a few more draws find a new one; the number is the way out.
    for _ in 0..50 {
        if !seen.contains(&title) {
            break;
        }
        title = words::title(rng);
    }
    if seen.contains(&title) {
        title = format!("{title}, part {}", seen.len());
    }
    seen.push(title.clone());
    title
}

/// Who writes what: contributors may not publish.
struct Writers {
    publishing: Vec<i64>,
    all: Vec<i64>,
}

impl Writers {
    fn new(users: &[User]) -> Self {
        let with = |roles: &[&str]| -> Vec<i64> {
            users.iter().filter(|u| roles.iter().any(|r| u.is(r))).map(|u| u.id).collect()
        };
        Writers {
            publishing: with(&["administrator", "editor", "author"]),
            all: with(&["editor", "author", "contributor"]),
        }
    }

    fn next(&mut self, rng: &mut Rng, status: &str) -> i64 {
        let from =
            if matches!(status, "draft" | "pending" | "auto-draft") { &self.all } else { &self.publishing };
        rng.pick(from).copied().unwrap_or(1)
    }
}

fn body(rng: &mut Rng, media: &Media, world: &World, magazine: &Magazine) -> String {
    let mut blocks = vec![block(&paragraph(rng))];
    if rng.chance(45)
        && let Some((id, url)) = rng.pick(&media.magazine)
    {
        let alt = if rng.chance(75) { "A view of the kitchen" } else { "" };
        blocks.push(format!(
            "<!-- wp:image {{\"id\":{id},\"sizeSlug\":\"large\"}} -->\n<figure class=\"wp-block-image \
             size-large\"><img src=\"{url}\" alt=\"{alt}\" class=\"wp-image-{id}\"/></figure>\n<!-- \
              /wp:image -->"
        ));
    }
    for _ in 0..1 + rng.below(3) {
        let title = words::title(rng);
        blocks.push(heading(&title));
        blocks.push(block(&paragraph(rng)));
    }
    if rng.chance(30) {
        let items: Vec<String> = (0..3 + rng.below(3)).map(|_| sentence(rng)).collect();
        blocks.push(list(&items));
    }
    if rng.chance(35)
        && let Some(post) = rng.pick(&magazine.published).and_then(|(id, _)| world.post(*id))
    {
        blocks
            .push(block(&format!("See also <a href=\"{URL}/magazine/{}/\">{}</a>.", post.name, post.title)));
    }
    match rng.below(40) {
        0 => blocks.push(block(&format!(
            "More in <a href=\"{URL}/magazine/the-page-that-moved/\">an older \
         post</a>."
        ))),
        1 => blocks.push(block(
            "<img src=\"http://copper-crema.example/wp-content/uploads/2019/05/oven.jpg\" \
             class=\"alignleft\"/>",
        )),
        2..=7 => blocks
            .push(block(&format!("All <a href=\"{URL}/product-category/brewing/kettles/\">kettles</a>."))),
        _ => {}
    }
    blocks.push(block(&paragraph(rng)));
    blocks.join("\n\n")
}

fn classify(rng: &mut Rng, terms: &mut Terms, id: i64) {
    // "Travel" and "never used" stay empty.
    let pick = |rng: &mut Rng, terms: &Terms, taxonomy: &str| {
        let ids: Vec<i64> = terms
            .of(taxonomy)
            .filter(|t| !matches!(t.slug.as_str(), "travel" | "never-used"))
            .map(|t| t.id)
            .collect();
        rng.pick(&ids).copied().unwrap_or(0)
    };
    for _ in 0..1 + rng.below(2) {
        let term = pick(rng, terms, "category");
        terms.attach(id, term);
    }
    for _ in 0..rng.below(5) {
        let term = pick(rng, terms, "post_tag");
        terms.attach(id, term);
    }
}

fn add_meta(world: &mut World, rng: &mut Rng, post: &Post, name: &str, media: &Media) {
    let mut meta = vec![("_edit_last", Value::from(post.author.to_string()))];
    if rng.chance(20) {
        meta.push(("_edit_lock", Value::from(format!("{}:{}", post.modified, post.author))));
    }
    if rng.chance(62)
        && let Some((picture, _)) = rng.pick(&media.magazine)
    {
        meta.push(("_thumbnail_id", Value::from(picture.to_string())));
        // The picture belongs to the post it was first used in.
        if let Some(file) = world.post_mut(*picture)
            && file.parent == 0
        {
            file.parent = post.id;
        }
    }
    if rng.chance(70) {
        meta.push(("_yoast_wpseo_focuskw", Value::from(name.split('-').next_back().unwrap_or_default())));
        meta.push(("_yoast_wpseo_metadesc", Value::from(sentence(rng))));
    }
    if rng.chance(30) {
        meta.push(("_yoast_wpseo_title", Value::from(format!("{} %%sep%% %%sitename%%", post.title))));
    }
    if rng.chance(5) {
        meta.push(("_wp_old_slug", Value::from(format!("{name}-draft"))));
    }
    if post.status == "trash" {
        meta.push(("_wp_trash_meta_status", Value::from("publish")));
        meta.push(("_wp_trash_meta_time", Value::from(post.modified.to_string())));
        meta.push(("_wp_desired_post_slug", Value::from(name)));
    }
    world.tables.metas("postmeta", post.id, meta);
}

fn add_revisions(world: &mut World, rng: &mut Rng, post: &Post) {
    let kept = if rng.chance(40) { 1 + rng.below(3) } else { 0 };
    for n in 0..kept {
        let autosave = n == 0 && rng.chance(8);
        let id = world.post_id();
        let saved = post.modified - (kept - n) as i64 * 900;
        let at = if post.status == "future" { saved } else { saved.max(post.at) };
        let kind = if autosave { "autosave" } else { "revision" };
        world.add_post(Post {
            status: "inherit",
            author: post.author,
            title: post.title.clone(),
            // An earlier state: the last block was not there yet.
            content: post.content.rsplit_once("\n\n").map_or("", |(earlier, _)| earlier).to_owned(),
            excerpt: post.excerpt.clone(),
            name: format!("{}-{kind}-v1", post.id),
            parent: post.id,
            ..Post::new("revision", id, at)
        });
    }
}
