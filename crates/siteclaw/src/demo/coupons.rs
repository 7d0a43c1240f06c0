//! Coupons: valid, expired, used up.

use super::{
    clock::DAY,
    money,
    serialize::assoc,
    store::Value,
    words::sentence,
    world::{Post, World},
};

/// What a coupon takes off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Off {
    Percent(i64),
    /// Cents off the cart.
    Cart(i64),
}

/// How long a coupon lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ends {
    Never,
    DaysAgo(i64),
    DaysAhead(i64),
    /// With the last use that its limit allows.
    UsedUp,
}

use Ends::{DaysAgo, DaysAhead, Never, UsedUp};
use Off::{Cart, Percent};

/// Code, discount, days since its start, end, status.
const COUPONS: &[(&str, Off, i64, Ends, &str)] = &[
    ("welcome10", Percent(10), 700, Never, "publish"),
    ("coffee5", Cart(500), 600, Never, "publish"),
    ("newsletter", Percent(5), 500, Never, "publish"),
    ("friends15", Percent(15), 400, Never, "publish"),
    ("roastery", Cart(750), 320, Never, "publish"),
    ("winter20", Percent(20), 40, DaysAhead(45), "publish"),
    ("friday25", Percent(25), 6, DaysAhead(3), "publish"),
    ("pan-deal", Cart(1500), 30, DaysAhead(30), "publish"),
    ("sint5", Cart(500), 20, DaysAhead(6), "publish"),
    ("thanks-again", Percent(10), 200, DaysAhead(200), "publish"),
    ("team", Percent(30), 500, Never, "publish"),
    ("pickup3", Cart(300), 90, DaysAhead(90), "publish"),
    ("spring10", Percent(10), 300, DaysAgo(200), "publish"),
    ("summer15", Percent(15), 190, DaysAgo(95), "publish"),
    ("autumn10", Percent(10), 95, DaysAgo(12), "publish"),
    ("easter", Cart(400), 260, DaysAgo(230), "publish"),
    ("kingsday", Percent(27), 222, DaysAgo(215), "publish"),
    ("birthday", Cart(1000), 365, DaysAgo(330), "publish"),
    ("old-partner", Percent(12), 700, DaysAgo(420), "publish"),
    ("launch25", Percent(25), 365, UsedUp, "publish"),
    ("press10", Percent(10), 365, UsedUp, "publish"),
    ("market-stall", Cart(250), 365, UsedUp, "publish"),
    ("wip-january", Percent(15), 3, Never, "draft"),
    ("mistake90", Percent(90), 150, Never, "trash"),
];

/// A coupon and its uses.
#[derive(Debug)]
pub(crate) struct Coupon {
    pub(crate) id: i64,
    pub(crate) code: &'static str,
    pub(crate) off: Off,
    from: i64,
    until: Option<i64>,
    ends: Ends,
    status: &'static str,
    /// User ids or mail addresses, one a use.
    pub(crate) used_by: Vec<String>,
}

impl Coupon {
    /// Whether an order at that moment may use it.
    pub(crate) fn valid(&self, at: i64) -> bool {
        self.status == "publish" && self.from <= at && self.until.is_none_or(|until| at < until)
    }

    /// Whether its limit of uses is reached.
    pub(crate) fn used_up(&self) -> bool {
        self.ends == UsedUp
    }
}

/// Makes up the coupons.
pub(crate) fn plan(world: &mut World) -> Vec<Coupon> {
    let end = world.clock.end();
    COUPONS
        .iter()
        .map(|(code, off, days, ends, status)| Coupon {
            id: world.post_id(),
            code,
            off: *off,
            from: end - days * DAY,
            until: match ends {
                DaysAgo(days) => Some(world.clock.on_day(end - days * DAY, 0, 0)),
                DaysAhead(days) => Some(world.clock.on_day(end + days * DAY, 0, 0)),
                Never | UsedUp => None,
            },
            ends: *ends,
            status,
            used_by: Vec::new(),
        })
        .collect()
}

/// Adds the coupons' rows, once all their uses are known.
pub(crate) fn add(world: &mut World, coupons: &[Coupon]) {
    let mut rng = world.rng("coupons");
    for coupon in coupons {
        let uses = coupon.used_by.len() as i64;
        let trashed = coupon.status == "trash";
        world.add_post(Post {
            status: coupon.status,
            title: coupon.code.to_owned(),
            excerpt: if rng.chance(60) { sentence(&mut rng) } else { String::new() },
            name: if trashed { format!("{}__trashed", coupon.code) } else { coupon.code.to_owned() },
            ..Post::new("shop_coupon", coupon.id, coupon.from)
        });
        let (kind, amount) = match coupon.off {
            Percent(n) => ("percent", n.to_string()),
            Cart(cents) => ("fixed_cart", money::text(cents)),
        };
        let limit = match coupon.ends {
            UsedUp => uses.max(1),
            _ if rng.chance(25) => uses + rng.range(10, 60),
            _ => 0,
        };
        let yes = |yes: bool| if yes { "yes" } else { "no" };
        let mut meta = vec![
            ("discount_type", Value::from(kind)),
            ("coupon_amount", Value::from(amount)),
            ("individual_use", Value::from(yes(coupon.code == "team"))),
            ("usage_limit", Value::from(limit.to_string())),
            ("usage_limit_per_user", Value::from(if coupon.code == "welcome10" { "1" } else { "0" })),
            ("limit_usage_to_x_items", Value::Null),
            ("usage_count", Value::from(uses.to_string())),
            ("date_expires", coupon.until.map(|until| until.to_string()).into()),
            ("free_shipping", Value::from(yes(coupon.code == "pickup3"))),
            ("exclude_sale_items", Value::from(yes(coupon.code == "friday25"))),
            ("minimum_amount", Value::from(if coupon.code == "pan-deal" { "60.00" } else { "" })),
        ];
        if coupon.code == "team" {
            let mails = super::serialize::Php::list([format!("*@{}", super::world::HOST)]);
            meta.push(("customer_email", Value::from(mails)));
            meta.push(("product_categories", Value::from(assoc! {})));
        }
        if trashed {
            meta.push(("_wp_trash_meta_status", Value::from("publish")));
            meta.push(("_wp_trash_meta_time", Value::from((coupon.from + DAY).to_string())));
            meta.push(("_wp_desired_post_slug", Value::from(coupon.code)));
        }
        meta.extend(coupon.used_by.iter().map(|who| ("_used_by", Value::from(who))));
        world.tables.metas("postmeta", coupon.id, meta);
    }
}
