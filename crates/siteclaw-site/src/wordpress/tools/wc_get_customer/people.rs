//! What is known of customers besides their orders, from the table that WooCommerce keeps for Analytics.

use std::collections::BTreeMap;

use siteclaw_core::ToolError;
use siteclaw_db::Statement;

use crate::wordpress::condition::Condition;
use crate::wordpress::modes::containing;
use crate::wordpress::site::Snapshot;

/// Customers that a search may find.
const MOST_FOUND: i64 = 1_000;

/// Whose orders belong together: a member, or a guest by the e-mail in lower case.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) user: i64,
    pub(super) mail: String,
}

/// A customer.
#[derive(Clone, Debug, Default)]
pub(super) struct Person {
    pub(super) name: String,
    pub(super) email: String,
    pub(super) country: String,
    pub(super) city: String,
    pub(super) postcode: String,
    /// When the account was made, in UTC; empty for guests.
    pub(super) registered: String,
}

/// The customers whose name, login or e-mail holds the text.
pub(super) async fn search(snapshot: &Snapshot, text: &str) -> Result<Vec<Key>, ToolError> {
    let mut filter = Condition::default();
    for word in text.split_whitespace() {
        filter.same(
            "(u.email LIKE ? ESCAPE '!' OR u.first_name LIKE ? ESCAPE '!' OR u.last_name LIKE ? ESCAPE '!' \
             OR u.username LIKE ? ESCAPE '!')",
            containing(word),
        );
    }
    let statement = filter
        .bind(Statement::new(format!(
            "SELECT u.user_id, u.email FROM {{wc_customer_lookup}} u WHERE {} ORDER BY u.customer_id LIMIT ?",
            filter.text()
        )))
        .bind(MOST_FOUND);
    let mut found = Vec::new();
    for row in snapshot.rows(&statement).await?.iter() {
        let user = row.opt_i64("user_id")?.unwrap_or(0);
        let mail = row.opt_text("email")?.unwrap_or_default().to_lowercase();
        found.push(Key { user, mail: if user > 0 { String::new() } else { mail } });
    }
    found.sort();
    found.dedup();
    Ok(found)
}

/// What is known of these customers.
pub(super) async fn of(snapshot: &Snapshot, keys: &[Key]) -> Result<BTreeMap<Key, Person>, ToolError> {
    let mut people = BTreeMap::new();
    if keys.is_empty() || !snapshot.has_table("wc_customer_lookup").await? {
        return Ok(people);
    }
    let statement = Statement::new(
        "SELECT u.user_id, u.email, u.first_name, u.last_name, u.country, u.city, u.postcode, \
         CAST(u.date_registered AS CHAR) AS registered FROM {wc_customer_lookup} u \
         WHERE u.user_id IN (?*) OR (u.user_id IS NULL AND u.email IN (?*)) ORDER BY u.customer_id",
    )
    .bind_list(keys.iter().map(|key| key.user).filter(|user| *user > 0))
    .bind_list(keys.iter().filter(|key| key.user == 0).map(|key| key.mail.as_str()));
    for row in snapshot.rows(&statement).await?.iter() {
        let text =
            |column: &str| -> Result<String, ToolError> { Ok(row.opt_text(column)?.unwrap_or_default()) };
        let user = row.opt_i64("user_id")?.unwrap_or(0);
        let email = text("email")?;
        let key = Key { user, mail: if user > 0 { String::new() } else { email.to_lowercase() } };
        let name = format!("{} {}", text("first_name")?, text("last_name")?);
        let person = Person {
            name: name.trim().to_owned(),
            email,
            country: text("country")?,
            city: text("city")?,
            postcode: text("postcode")?,
            registered: text("registered")?,
        };
        people.entry(key).or_insert(person);
    }
    Ok(people)
}
