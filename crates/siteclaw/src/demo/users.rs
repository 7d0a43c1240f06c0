//! Accounts: 60 users in the standard roles, with the secrets that real accounts have (all of them random).

use super::{
    clock::DAY,
    people::{self, Person},
    seed::Rng,
    serialize::{Php, assoc},
    store::{Value, row},
    words,
    world::World,
};

/// How many users have which roles. One has two, one has none.
const ROLES: &[(usize, &[&str])] = &[
    (2, &["administrator"]),
    (3, &["editor"]),
    (6, &["author"]),
    (4, &["contributor"]),
    (2, &["shop_manager"]),
    (1, &["author", "shop_manager"]),
    (33, &["customer"]),
    (8, &["subscriber"]),
    (1, &[]),
];

/// A user.
#[derive(Debug, Clone)]
pub(crate) struct User {
    pub(crate) id: i64,
    pub(crate) login: String,
    pub(crate) roles: &'static [&'static str],
    pub(crate) registered: i64,
    pub(crate) person: Person,
}

impl User {
    /// Whether the user has the role.
    pub(crate) fn is(&self, role: &str) -> bool {
        self.roles.contains(&role)
    }
}

/// Invents the users; number 1 is the administrator who set the site up.
pub(crate) fn plan(world: &mut World) -> Vec<User> {
    let mut rng = world.rng("users");
    let mut roles: Vec<&'static [&'static str]> =
        ROLES.iter().flat_map(|(n, roles)| std::iter::repeat_n(*roles, *n)).collect();
    // The founder stays first, everybody else joined in no particular order.
    if let Some(rest) = roles.get_mut(1..) {
        rng.shuffle(rest);
    }
    let first_day = world.clock.end() - 790 * DAY;
    let count = roles.len() as i64;
    roles
        .into_iter()
        .zip(1..)
        .map(|(roles, id)| {
            let person = world.people.next();
            let login = words::slug(&person.name()).replace('-', "") + &id.to_string();
            // Spread over two years, in the order of the ids.
            let registered = first_day + (id - 1) * (700 * DAY / count) + rng.range(0, 9 * DAY);
            User { id, login, roles, registered, person }
        })
        .collect()
}

/// Adds the rows of all users. `money` tells, per user id, how many orders there are and what was paid for
/// them.
pub(crate) fn add(world: &mut World, users: &[User], money: impl Fn(i64) -> Option<(i64, i64)>) {
    let mut rng = world.rng("accounts");
    let end = world.clock.end();
    for user in users {
        let Person { first, last, email, .. } = &user.person;
        let staff = !user.is("customer") && !user.is("subscriber");
        let url =
            if staff && rng.chance(30) { format!("https://{}.example", user.login) } else { String::new() };
        world.tables.add(
            "users",
            row! {
                "ID" => user.id, "user_login" => &user.login, "user_pass" => password_hash(&mut rng),
                "user_nicename" => &user.login, "user_email" => email,
                "user_url" => url,
                "user_registered" => world.clock.gmt(user.registered),
                "user_activation_key" => if rng.chance(5) {
                    format!("{}:{}", end - rng.range(0, 20) * DAY, fast_hash(&mut rng))
                } else { String::new() },
                "display_name" => format!("{first} {last}"),
            },
        );
        let about = if staff { words::sentence(&mut rng) } else { String::new() };
        let roles = Php::map(user.roles.iter().map(|role| (*role, true)));
        let mut meta: Vec<(&str, Value)> = vec![
            ("nickname", Value::from(&user.login)),
            ("first_name", Value::from(*first)),
            ("last_name", Value::from(*last)),
            ("description", Value::from(about)),
            ("rich_editing", Value::from("true")),
            ("syntax_highlighting", Value::from("true")),
            ("comment_shortcuts", Value::from("false")),
            ("admin_color", Value::from("modern")),
            ("use_ssl", Value::from("0")),
            ("show_admin_bar_front", Value::from("true")),
            ("locale", Value::from("")),
            ("wp_capabilities", Value::from(roles)),
            ("wp_user_level", Value::from(level(user).to_string())),
        ];
        if user.id == 1 {
            meta.push(("dismissed_wp_pointers", Value::from("")));
            meta.push(("show_welcome_panel", Value::from("0")));
        }
        let seen = end - rng.range(1, 60 * 24) * 3600;
        if staff || rng.chance(40) {
            meta.push(("session_tokens", Value::from(sessions(&mut rng, seen, end))));
        }
        if staff && rng.chance(50) {
            meta.push(("last_login", Value::from(seen.to_string())));
        }
        if user.is("administrator") || user.is("editor") {
            meta.push(("_application_passwords", Value::from(application_password(&mut rng, end))));
        }
        if user.is("editor") && rng.chance(50) {
            meta.push(("_two_factor_enabled_providers", Value::from(Php::list(["Two_Factor_Totp"]))));
            meta.push((
                "_two_factor_totp_key",
                Value::from(rng.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 32)),
            ));
        }
        world.tables.metas("usermeta", user.id, meta);
        if user.is("customer") {
            add_customer(world, user, seen, money(user.id));
        }
    }
}

fn add_customer(world: &mut World, user: &User, seen: i64, money: Option<(i64, i64)>) {
    let p = &user.person;
    for kind in ["billing", "shipping"] {
        let fields = [
            ("first_name", p.first),
            ("last_name", p.last),
            ("company", p.company),
            ("address_1", p.street.as_str()),
            ("city", p.city),
            ("state", p.state),
            ("postcode", p.postcode.as_str()),
            ("country", p.country),
        ];
        for (field, value) in fields.into_iter().filter(|(_, value)| !value.is_empty()) {
            world.tables.meta("usermeta", user.id, &format!("{kind}_{field}"), value);
        }
    }
    world.tables.meta("usermeta", user.id, "billing_email", &p.email);
    world.tables.meta("usermeta", user.id, "billing_phone", &p.phone);
    world.tables.meta("usermeta", user.id, "last_update", seen.to_string());
    // WooCommerce keeps the day only.
    world.tables.meta("usermeta", user.id, "wc_last_active", (seen - seen.rem_euclid(DAY)).to_string());
    if let Some((orders, spent)) = money {
        world.tables.meta("usermeta", user.id, "paying_customer", "1");
        world.tables.meta("usermeta", user.id, "wc_order_count_wp", orders.to_string());
        world.tables.meta("usermeta", user.id, "wc_money_spent_wp", super::money::text(spent));
    }
}

fn level(user: &User) -> i64 {
    user.roles
        .iter()
        .map(|role| match *role {
            "administrator" => 10,
            "shop_manager" => 9,
            "editor" => 7,
            "author" => 2,
            "contributor" => 1,
            _ => 0,
        })
        .max()
        .unwrap_or(0)
}

/// A hash in the form of WordPress 6.8 and later, or of phpass before it. No password belongs to it.
fn password_hash(rng: &mut Rng) -> String {
    const ALPHABET: &str = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    if rng.chance(70) {
        // A bcrypt salt of 16 bytes fills 21 characters and two bits of the next.
        format!(
            "$wp$2y$10${}{}{}",
            rng.text(ALPHABET, 21),
            rng.word(&[".", "O", "e", "u"]),
            rng.text(ALPHABET, 31)
        )
    } else {
        format!("$P$B{}", rng.text(ALPHABET, 30))
    }
}

fn fast_hash(rng: &mut Rng) -> String {
    let text = rng.text("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", 40);
    format!("$generic${text}")
}

fn sessions(rng: &mut Rng, last: i64, end: i64) -> Php {
    let count = 1 + rng.below(2) as i64;
    let one = |rng: &mut Rng, login: i64| {
        let session = assoc! {
            "expiration" => end.max(login) + 2 * DAY, "ip" => people::address(rng),
            "ua" => people::browser(rng), "login" => login,
        };
        (rng.hex(64), session)
    };
    Php::map((0..count).rev().map(|age| one(rng, last - age * 5 * DAY)).collect::<Vec<_>>())
}

fn application_password(rng: &mut Rng, end: i64) -> Php {
    let created = end - rng.range(30, 400) * DAY;
    let used = rng.chance(60).then(|| end - rng.range(0, 25) * DAY);
    let name = rng.word(&["Mobile app", "Stock import", "Newsletter tool", "Backup"]);
    let (uuid, hash) = (rng.uuid(), fast_hash(rng));
    let address = people::address(rng);
    Php::list([assoc! {
        "uuid" => uuid, "app_id" => "", "name" => name, "password" => hash, "created" => created,
        "last_used" => used.map_or(Php::Null, Php::Int),
        "last_ip" => if used.is_some() { Php::Text(address) } else { Php::Null },
    }])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_have_the_lengths_of_the_real_ones() {
        let mut rng = Rng::stream(5, "hashes");
        let hashes: Vec<String> = (0..60).map(|_| password_hash(&mut rng)).collect();
        assert!(
            hashes.iter().any(|h| h.starts_with("$wp$2y$10$"))
                && hashes.iter().any(|h| h.starts_with("$P$B"))
        );
        assert!(hashes.iter().all(|h| h.len() == if h.starts_with("$wp$") { 63 } else { 34 }));
        assert_eq!(fast_hash(&mut rng).len(), 49);
    }
}
