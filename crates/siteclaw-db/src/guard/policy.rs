//! What a site keeps from the model: whole tables, columns, and rows of key-value tables.
//!
//! A platform builds one policy from its catalogue of secrets. Columns whose names mean a secret
//! anywhere (`password_hash`, `api_key`, …) need no entry; `allow_column` makes an exception.
//!
//! ```
//! use siteclaw_db::guard::{SecretRows, SqlPolicy};
//! let policy = SqlPolicy::new()
//!     .deny_table("wp_woocommerce_api_keys", None)
//!     .secret_column("wp_wc_webhooks", "secret")
//!     .secret_rows(
//!         SecretRows::new("wp_*options", "option_name", &["option_value"])
//!             .exact(&["mailserver_pass"])
//!             .containing(&["password", "secret"]),
//!     )
//!     .allow_column("wp_posts", "post_password");
//! assert!(policy.is_secret_column("wp_users", "user_pass", "varchar(255)"));
//! assert!(!policy.is_secret_column("wp_posts", "post_password", "varchar(255)"));
//! ```

use super::pattern::{NamePattern, fold};
use super::secret_names::is_secret_name;

/// What stands in a result where a secret would be.
pub const MASK: &str = "[masked]";

/// The tables, columns and rows that a site keeps from model-written SQL.
#[derive(Clone, Debug, Default)]
pub struct SqlPolicy {
    denied: Vec<DeniedTable>,
    secret_columns: Vec<(NamePattern, NamePattern)>,
    secret_names: Vec<String>,
    allowed_columns: Vec<(NamePattern, NamePattern)>,
    rows: Vec<SecretRows>,
}

/// A table that may not be read at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeniedTable {
    /// The name or pattern.
    pub pattern: NamePattern,
    /// What serves instead, as a sentence for the model, such as "Use wp_option."
    pub use_instead: Option<String>,
}

/// A key-value table: in rows whose key names a secret, the value is masked; other rows are free.
///
/// Keys are compared without regard to case (in SQLite: of ASCII letters). Conditions on the value see the
/// masked value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretRows {
    pub(super) table: NamePattern,
    pub(super) key: String,
    pub(super) values: Vec<String>,
    pub(super) exact: Vec<String>,
    pub(super) prefixes: Vec<String>,
    pub(super) suffixes: Vec<String>,
    pub(super) parts: Vec<String>,
    pub(super) harmless: Vec<String>,
}

impl SecretRows {
    /// Describes a table (name or pattern), its key column and the columns with values.
    pub fn new(table: &str, key: &str, values: &[&str]) -> Self {
        Self {
            table: NamePattern::new(table),
            key: key.to_owned(),
            values: owned(values),
            exact: Vec::new(),
            prefixes: Vec::new(),
            suffixes: Vec::new(),
            parts: Vec::new(),
            harmless: Vec::new(),
        }
    }

    /// Adds whole keys.
    #[must_use]
    pub fn exact(mut self, keys: &[&str]) -> Self {
        self.exact.extend(lowered(keys));
        self
    }

    /// Adds beginnings of keys.
    #[must_use]
    pub fn starting(mut self, prefixes: &[&str]) -> Self {
        self.prefixes.extend(lowered(prefixes));
        self
    }

    /// Adds ends of keys.
    #[must_use]
    pub fn ending(mut self, suffixes: &[&str]) -> Self {
        self.suffixes.extend(lowered(suffixes));
        self
    }

    /// Adds texts that make a key secret wherever they stand in it.
    #[must_use]
    pub fn containing(mut self, parts: &[&str]) -> Self {
        self.parts.extend(lowered(parts));
        self
    }

    /// Adds harmless words, without which a key is looked through for parts and ends a second time: so that
    /// `monkey` has no `key` in it and `monkey_api_key` has. They are taken out in this order.
    #[must_use]
    pub fn disregarding(mut self, texts: &[&str]) -> Self {
        self.harmless.extend(lowered(texts));
        self
    }

    /// Whether a row with this key is masked.
    pub fn covers(&self, key: &str) -> bool {
        let key = key.to_lowercase();
        let within = |key: &str| {
            self.suffixes.iter().any(|suffix| key.ends_with(suffix))
                || self.parts.iter().any(|part| key.contains(part))
        };
        let rest = || self.harmless.iter().fold(key.clone(), |key, text| key.replace(text, "."));
        self.exact.contains(&key)
            || self.prefixes.iter().any(|prefix| key.starts_with(prefix))
            || (within(&key) && within(&rest()))
    }
}

/// Empty texts are dropped: as a part they would mask every row.
fn lowered<'a>(texts: &'a [&'a str]) -> impl Iterator<Item = String> + 'a {
    texts.iter().filter(|text| !text.is_empty()).map(|text| text.to_lowercase())
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

impl SqlPolicy {
    /// A policy that masks only columns whose names mean a secret anywhere.
    pub fn new() -> Self {
        Self::default()
    }

    /// Closes a table (name or pattern), with a sentence about what serves instead.
    #[must_use]
    pub fn deny_table(mut self, pattern: &str, use_instead: Option<&str>) -> Self {
        let use_instead = use_instead.map(ToOwned::to_owned);
        self.denied.push(DeniedTable { pattern: NamePattern::new(pattern), use_instead });
        self
    }

    /// Masks a column in a table; both may be patterns.
    #[must_use]
    pub fn secret_column(mut self, table: &str, column: &str) -> Self {
        self.secret_columns.push((NamePattern::new(table), NamePattern::new(column)));
        self
    }

    /// Masks columns of this whole name in every table, beside the built-in names.
    #[must_use]
    pub fn secret_name(mut self, column: &str) -> Self {
        self.secret_names.push(fold(column));
        self
    }

    /// Frees a column that a name rule would mask; `secret_column` is stronger. Both may be patterns.
    #[must_use]
    pub fn allow_column(mut self, table: &str, column: &str) -> Self {
        self.allowed_columns.push((NamePattern::new(table), NamePattern::new(column)));
        self
    }

    /// Masks values in rows of a key-value table.
    #[must_use]
    pub fn secret_rows(mut self, rows: SecretRows) -> Self {
        self.rows.push(rows);
        self
    }

    /// The entry that closes a table, if one does.
    pub fn denied(&self, table: &str) -> Option<&DeniedTable> {
        self.denied.iter().find(|denied| denied.pattern.matches(table))
    }

    /// Whether a column is masked in every row. `data_type` is the server's own word for its type.
    pub fn is_secret_column(&self, table: &str, column: &str, data_type: &str) -> bool {
        let fits = |(of, name): &(NamePattern, NamePattern)| of.matches(table) && name.matches(column);
        if self.secret_columns.iter().any(fits) {
            return true;
        }
        let by_name = is_secret_name(column, data_type) || self.secret_names.contains(&fold(column));
        by_name && !self.allowed_columns.iter().any(fits)
    }

    /// The row rules that hold for a table.
    pub fn row_rules<'a>(&'a self, table: &'a str) -> impl Iterator<Item = &'a SecretRows> {
        self.rows.iter().filter(move |rows| rows.table.matches(table))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_explicit_secret_column_is_stronger_than_an_exception() {
        let policy = SqlPolicy::new()
            .secret_column("orders", "note")
            .allow_column("*", "note")
            .allow_column("t", "password");
        assert!(policy.is_secret_column("ORDERS", "Note", "text"));
        assert!(!policy.is_secret_column("t", "password", "text"));
        assert!(policy.is_secret_column("u", "password", "text"));
        assert!(SqlPolicy::new().secret_name("protect_code").is_secret_column("x", "PROTECT_CODE", ""));
    }

    #[test]
    fn keys_are_covered_without_regard_to_case() {
        let rows = SecretRows::new("o", "k", &["v"])
            .exact(&["smtp"])
            .starting(&["_stripe_"])
            .ending(&["_key"])
            .containing(&["token", ""]);
        for (key, expected) in [
            ("smtp", true),
            ("SMTP", true),
            ("smtp_host", false),
            ("_Stripe_id", true),
            ("x_stripe_", false),
            ("api_KEY", true),
            ("keys", false),
            ("myTOKENs", true),
            ("blogname", false),
            ("GRÖSSE_KEY", true),
            ("", false),
        ] {
            assert_eq!(rows.covers(key), expected, "{key}");
        }
    }

    #[test]
    fn harmless_words_hide_no_secret_beside_them() {
        let rows = SecretRows::new("o", "k", &["v"])
            .ending(&["key"])
            .containing(&["pass"])
            .disregarding(&["monkey", "passage"]);
        for (key, expected) in [
            ("Monkey", false),
            ("passage_title", false),
            ("monkey_key", true),
            ("passage_pass", true),
            ("passpassage", true),
            ("key", true),
        ] {
            assert_eq!(rows.covers(key), expected, "{key}");
        }
    }
}
