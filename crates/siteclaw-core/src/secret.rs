//! A value that never prints.
//!
//! [`Secret`] wraps passwords, keys and tokens. Its `Debug` shows a fixed mark, it has no `Display` and
//! no `Serialize`, and its bytes are wiped when it is dropped. The text is reached only by
//! [`Secret::expose`], which is easy to find in a review.
//!
//! ```
//! use siteclaw_core::Secret;
//! let password = Secret::new("p'a\"ss");
//! assert_eq!(format!("{password:?}"), "Secret(…)");
//! assert_eq!(password.expose(), "p'a\"ss");
//! ```

use std::fmt;

use zeroize::Zeroize;

/// A text that must not appear in any output, log or error.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Takes the text over.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself. Hand it to the one function that needs it and keep no copy.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Whether the text is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Drop for Secret {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self(text)
    }
}
