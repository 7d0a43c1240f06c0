//! Comments of the magazine, reviews of products, and notes on orders: one table, ids in order of time.

use super::{
    clock::{DAY, HOUR},
    orders::{Order, Status},
    people::{self, Person},
    posts::Magazine,
    products::Product,
    seed::Rng,
    serialize::assoc,
    store::{Value, row},
    users::User,
    words::sentence,
    world::{HOST, World},
};

/// Comments on posts by `comment_approved`; the replies to reviews below are approved too.
const COMMENTS: &[(usize, &str)] = &[(372, "1"), (34, "0"), (36, "spam"), (8, "trash")];
const PINGBACKS: &[(usize, &str)] = &[(12, "1"), (6, "0"), (10, "spam"), (2, "trash")];
const REPLIES_TO_REVIEWS: usize = 20;
const REVIEWS: &[(usize, &str)] = &[(214, "1"), (24, "0"), (16, "spam"), (6, "trash")];

const PRAISE: &[&str] = &[
    "Exactly what I was looking for.",
    "Works every morning, and looks good on the shelf.",
    "Fast delivery, careful packing.",
    "My second one, bought for my sister.",
    "Better than the one it replaced.",
    "Heavy, but that is what I wanted.",
    "The taste won over the whole office.",
    "Bought after reading the guide in the magazine.",
];
const COMPLAINTS: &[&str] = &[
    "The lid does not close well.",
    "Smaller than it looks in the picture.",
    "Arrived with a dent; the shop was kind about it.",
    "Not for induction, which I found out too late.",
    "The handle gets hot.",
    "Too bitter for me.",
];
const SPAM: &[&str] = &[
    "Cheap watches, best price, visit https://spam.example/watches now!!!",
    "Great post. I make 500 a day from home: https://spam.example/money",
    "Hello dear admin, your site misses many keywords. https://spam.example/seo",
    "<a href=\"https://spam.example/pills\">pills</a> <a href=\"https://spam.example/loans\">loans</a>",
];

/// A comment that has no id yet.
struct Draft {
    post: i64,
    at: i64,
    author: String,
    email: String,
    url: String,
    ip: String,
    agent: String,
    content: String,
    approved: &'static str,
    kind: &'static str,
    /// Place of the comment it answers.
    parent: Option<usize>,
    user: i64,
    meta: Vec<(&'static str, Value)>,
}

/// Adds all of them, counts them on their posts, and counts approved ratings in `products`.
pub(crate) fn add(
    world: &mut World,
    users: &[User],
    magazine: &Magazine,
    products: &mut [Product],
    orders: &[Order],
) {
    let mut rng = world.rng("comments");
    let mut drafts = Vec::new();
    add_discussion(world, &mut rng, users, magazine, &mut drafts);
    add_reviews(world, users, products, orders, &mut drafts);
    add_notes(world, orders, &mut drafts);
    write(world, drafts);
}

fn write(world: &mut World, drafts: Vec<Draft>) {
    let mut order: Vec<usize> = (0..drafts.len()).collect();
    order.sort_by_key(|i| drafts.get(*i).map(|d| (d.at, *i)));
    let mut ids = vec![0_i64; drafts.len()];
    for (place, id) in order.iter().zip(1..) {
        if let Some(slot) = ids.get_mut(*place) {
            *slot = id;
        }
    }
    let mut rows: Vec<(i64, Draft)> = ids.iter().copied().zip(drafts).collect();
    rows.sort_by_key(|(id, _)| *id);
    for (id, draft) in rows {
        world.tables.add(
            "comments",
            row! {
                "comment_ID" => id, "comment_post_ID" => draft.post, "comment_author" => draft.author,
                "comment_author_email" => draft.email, "comment_author_url" => draft.url,
                "comment_author_IP" => draft.ip, "comment_date" => world.clock.local(draft.at),
                "comment_date_gmt" => world.clock.gmt(draft.at), "comment_content" => draft.content,
                "comment_approved" => draft.approved, "comment_agent" => draft.agent,
                "comment_type" => draft.kind,
                "comment_parent" => draft.parent.and_then(|p| ids.get(p)).copied().unwrap_or(0),
                "user_id" => draft.user,
            },
        );
        world.tables.metas("commentmeta", id, draft.meta);
        if draft.approved == "1"
            && let Some(post) = world.post_mut(draft.post)
        {
            post.comments += 1;
        }
    }
}

fn spread(rng: &mut Rng, counts: &[(usize, &'static str)]) -> Vec<&'static str> {
    let mut all: Vec<&'static str> = counts.iter().flat_map(|(n, s)| std::iter::repeat_n(*s, *n)).collect();
    rng.shuffle(&mut all);
    all
}

fn blank(rng: &mut Rng, person: &Person, user: i64) -> Draft {
    Draft {
        post: 0,
        at: 0,
        author: person.name(),
        email: person.email.clone(),
        url: String::new(),
        ip: people::address(rng),
        agent: people::browser(rng),
        content: String::new(),
        approved: "1",
        kind: "comment",
        parent: None,
        user,
        meta: Vec::new(),
    }
}

fn add_discussion(
    world: &mut World,
    rng: &mut Rng,
    users: &[User],
    magazine: &Magazine,
    drafts: &mut Vec<Draft>,
) {
    let end = world.clock.end();
    let old: Vec<(i64, i64)> =
        magazine.published.iter().copied().filter(|(_, at)| end - at > 2 * DAY).collect();
    for approved in spread(rng, COMMENTS) {
        let own = rng.chance(22) && approved != "spam";
        let (user, person) = match rng.pick(users).filter(|_| own) {
            Some(user) => (user.id, user.person.clone()),
            None => (0, world.people.next()),
        };
        let mut draft = blank(rng, &person, user);
        let answered: Vec<usize> = drafts
            .iter()
            .enumerate()
            .filter(|(_, d)| d.approved == "1" && end - d.at > 4 * DAY)
            .map(|(i, _)| i)
            .collect();
        let parent = if approved != "spam" && rng.chance(30) { rng.pick(&answered).copied() } else { None };
        match parent.and_then(|p| drafts.get(p)) {
            Some(parent) => (draft.post, draft.at) = (parent.post, parent.at + rng.range(900, 3 * DAY)),
            None => {
                let (post, at) = rng.pick(&old).copied().unwrap_or_default();
                // Most people answer in the first days.
                let span = (end - at - HOUR).min(if rng.chance(70) { 9 * DAY } else { 120 * DAY });
                (draft.post, draft.at) = (post, at + rng.range(600, span.max(601)));
            }
        }
        draft.parent = parent;
        draft.approved = approved;
        draft.content = if approved == "spam" { rng.word(SPAM).to_owned() } else { remark(rng) };
        if approved == "spam" || rng.chance(8) {
            draft.url = format!("https://{}.example", super::words::slug(&person.name()));
        }
        check(rng, &mut draft);
        drafts.push(draft);
    }
    for approved in spread(rng, PINGBACKS) {
        let (post, at) = rng.pick(&old).copied().unwrap_or_default();
        let mut draft = blank(rng, &Person::default(), 0);
        draft.author =
            format!("{} &#8211; a food blog", rng.word(&["Crumbs", "Slow Sunday", "The Tamper", "Kade 12"]));
        draft.email = String::new();
        draft.url = format!("https://blog-{}.example/{}/", rng.range(1, 9), rng.range(100, 999));
        (draft.post, draft.at, draft.kind, draft.approved) =
            (post, (at + rng.range(DAY, 40 * DAY)).min(end - HOUR), "pingback", approved);
        draft.content = format!("[&#8230;] {} [&#8230;]", sentence(rng));
        check(rng, &mut draft);
        drafts.push(draft);
    }
}

fn remark(rng: &mut Rng) -> String {
    const OPENINGS: &[&str] =
        &["Thank you for this.", "I disagree.", "A question:", "Same here.", "Lovely piece.", ""];
    let opening = rng.word(OPENINGS);
    format!("{opening} {}", sentence(rng)).trim().to_owned()
}

/// What the spam filter left behind.
fn check(rng: &mut Rng, draft: &mut Draft) {
    let event = match draft.approved {
        "spam" => "check-spam",
        "trash" => "status-trash",
        _ if rng.chance(15) => "check-ham",
        _ => return,
    };
    if draft.approved != "trash" {
        draft
            .meta
            .push(("akismet_result", Value::from(if draft.approved == "spam" { "true" } else { "false" })));
    } else {
        draft.meta.push(("_wp_trash_meta_status", Value::from("1")));
        draft.meta.push(("_wp_trash_meta_time", Value::from((draft.at + HOUR).to_string())));
    }
    let history = assoc! { "time" => draft.at as f64 + 0.25, "event" => event };
    draft.meta.push(("akismet_history", Value::from(history)));
}

fn add_reviews(
    world: &mut World,
    users: &[User],
    products: &mut [Product],
    orders: &[Order],
    drafts: &mut Vec<Draft>,
) {
    let mut rng = world.rng("reviews");
    let rng = &mut rng;
    let end = world.clock.end();
    let finished: Vec<&Order> =
        orders.iter().filter(|o| o.status == Status::Completed && end - o.at > 25 * DAY).collect();
    let shown: Vec<usize> =
        products.iter().enumerate().filter(|(_, p)| p.status == "publish").map(|(i, _)| i).collect();
    let first = drafts.len();
    for approved in spread(rng, REVIEWS) {
        // Somebody who bought it, or anybody.
        let buyer = rng.chance(62);
        let bought = rng.pick(&finished).copied().filter(|_| buyer);
        let (product, mut draft) = match bought.and_then(|o| rng.pick(&o.lines).map(|l| (o, l))) {
            Some((order, line)) => {
                let mut draft = blank(rng, &order.person, order.user);
                draft.at = order.completed.unwrap_or(order.at) + rng.range(3 * DAY, 15 * DAY);
                (line.product, draft)
            }
            None => {
                let person = world.people.next();
                let mut draft = blank(rng, &person, 0);
                draft.at = end - rng.range(HOUR, 360 * DAY);
                (rng.pick(&shown).copied().unwrap_or(0), draft)
            }
        };
        let Some(product) = products.get_mut(product) else { continue };
        let stars = rng.weighted(&[(50, 5_usize), (27, 4), (12, 3), (6, 2), (5, 1)]).unwrap_or(5);
        draft.at = draft.at.min(end - 900);
        (draft.post, draft.kind, draft.approved) = (product.id, "review", approved);
        draft.content = match approved {
            "spam" => rng.word(SPAM).to_owned(),
            _ if stars > 3 => format!("{} {}", rng.word(PRAISE), sentence(rng)),
            _ => rng.word(COMPLAINTS).to_owned(),
        };
        draft.meta = vec![
            ("rating", Value::from(stars.to_string())),
            ("verified", Value::from(if bought.is_some() { "1" } else { "0" })),
        ];
        check(rng, &mut draft);
        if approved == "1"
            && let Some(slot) = stars.checked_sub(1).and_then(|i| product.ratings.get_mut(i))
        {
            *slot += 1;
        }
        drafts.push(draft);
    }
    add_answers(rng, users, first, end, drafts);
}

/// The shop answers some reviews, the bad ones first.
fn add_answers(rng: &mut Rng, users: &[User], first: usize, end: i64, drafts: &mut Vec<Draft>) {
    let stars = |d: &Draft| d.meta.first().map(|(_, v)| format!("{v:?}")).unwrap_or_default();
    let mut answered: Vec<usize> = drafts
        .iter()
        .enumerate()
        .skip(first)
        .filter(|(_, d)| d.approved == "1" && end - d.at > 5 * DAY)
        .map(|(i, _)| i)
        .collect();
    answered.sort_by_key(|i| drafts.get(*i).map(|d| (stars(d), d.at)));
    let Some(manager) = users.iter().find(|u| u.is("shop_manager")) else { return };
    for parent in answered.into_iter().take(REPLIES_TO_REVIEWS) {
        let mut draft = blank(rng, &manager.person, manager.id);
        let Some(review) = drafts.get(parent) else { continue };
        (draft.post, draft.at, draft.parent) =
            (review.post, review.at + rng.range(HOUR, 3 * DAY), Some(parent));
        draft.content = "Thank you for telling us. We have written to you by mail.".to_owned();
        drafts.push(draft);
    }
}

fn add_notes(world: &mut World, orders: &[Order], drafts: &mut Vec<Draft>) {
    let mut rng = world.rng("notes");
    for order in orders {
        let mut note = |at: i64, text: String, to_customer: bool| {
            let mut draft = blank(&mut rng, &Person::default(), 0);
            draft.author = "WooCommerce".to_owned();
            draft.email = format!("woocommerce@{HOST}");
            draft.agent = "WooCommerce".to_owned();
            draft.ip = String::new();
            (draft.post, draft.at, draft.content, draft.kind) = (order.id, at, text, "order_note");
            draft.meta = if to_customer {
                vec![("is_customer_note", Value::from("1"))]
            } else {
                vec![("note_group", Value::from("order_update"))]
            };
            drafts.push(draft);
        };
        let change = |from: Status, to: Status| {
            format!("Order status changed from {} to {}.", from.label(), to.label())
        };
        match order.status {
            Status::CheckoutDraft | Status::Pending | Status::Trash => {}
            Status::OnHold => note(order.at + 2, change(Status::Pending, Status::OnHold), false),
            Status::Failed => {
                note(order.at + 9, "The card was declined by the bank.".to_owned(), false);
                note(order.at + 9, change(Status::Pending, Status::Failed), false);
            }
            Status::Cancelled => note(order.at + HOUR, change(Status::Pending, Status::Cancelled), false),
            Status::Processing | Status::Completed | Status::Refunded => {
                let paid = order.paid.unwrap_or(order.at);
                if !order.transaction.is_empty() {
                    note(
                        paid,
                        format!(
                            "Payment of {} arrived ({}).",
                            super::money::text(order.total()),
                            order.method.1
                        ),
                        false,
                    );
                }
                note(paid, change(Status::Pending, Status::Processing), false);
            }
        }
        if let Some(done) = order.completed {
            if order.id % 3 == 0 {
                note(done - 60, "Your parcel has left our warehouse.".to_owned(), true);
            }
            note(done, change(Status::Processing, Status::Completed), false);
        }
        for refund in order.refunds.iter().filter(|r| r.full) {
            note(refund.at, change(Status::Processing, Status::Refunded), false);
        }
    }
}
