//! Which column names mean a secret in any table.
//!
//! A name is taken apart at underscores and at changes of case, and judged by its words, because a
//! substring test hides `passenger_count`, `bypass` and `token_count` and a whole-name test lets
//! `userPasswordHash` through.

/// Words that make a name secret wherever they stand.
const ANYWHERE: &[&str] =
    &["password", "passwords", "passwd", "passphrase", "pwd", "passcode", "passhash", "userpass", "passwort"];

/// Words that make a name secret as its last word.
const LAST: &[&str] = &[
    "pass",
    "secret",
    "secrets",
    "salt",
    "token",
    "cvv",
    "cvc",
    "otp",
    "otep",
    "apikey",
    "apisecret",
    "apitoken",
    "authkey",
    "authtoken",
    "secretkey",
    "privatekey",
    "accesstoken",
    "refreshtoken",
    "mfasecret",
    "totpsecret",
    "credentials",
];

/// Pairs of words (written together) that make a name secret at its end.
const PAIRS: &[&str] = &[
    "apikey",
    "accesskey",
    "sessiontokens",
    "accesstokens",
    "authtokens",
    "refreshtokens",
    "authkey",
    "authorizationkey",
    "secretkey",
    "securekey",
    "privatekey",
    "activationkey",
    "activationcode",
    "verificationcode",
    "confirmationcode",
    "encryptionkey",
    "cryptkey",
    "signingkey",
    "signaturekey",
    "licensekey",
    "licencekey",
    "masterkey",
    "consumerkey",
    "otpkey",
    "totpkey",
    "hmackey",
    "recoverycode",
    "recoverycodes",
    "backupcode",
    "backupcodes",
    "resetkey",
    "resetcode",
    "webhookkey",
    "cardnumber",
    "sshkey",
];

/// First words of yes-or-no columns about a secret.
const QUESTIONS: &[&str] = &[
    "is", "has", "had", "needs", "requires", "require", "force", "forced", "allow", "allows", "can", "must",
    "show",
];

/// Last words of columns that say something about a secret without being one.
const ABOUT: &[&str] = &[
    "at",
    "on",
    "date",
    "datetime",
    "time",
    "timestamp",
    "gmt",
    "count",
    "counts",
    "length",
    "len",
    "expires",
    "expiry",
    "expired",
    "expiration",
    "changed",
    "updated",
    "created",
    "required",
    "strength",
    "policy",
    "attempts",
    "age",
    "id",
    "ids",
    "type",
    "ttl",
    "lifetime",
    "status",
    "enabled",
    "limit",
    "name",
    "version",
    "format",
    "size",
    "min",
    "max",
    "days",
    "usage",
];

/// Last words that leave the meaning as it is: the hash of a token is as secret as the token.
const NEUTRAL: &[&str] = &[
    "hash",
    "hashed",
    "digest",
    "value",
    "encrypted",
    "enc",
    "plain",
    "raw",
    "text",
    "data",
    "pem",
    "md5",
    "sha1",
    "sha256",
    "bcrypt",
    "old",
    "new",
    "tmp",
    "temp",
];

/// Whether a column of this name and type holds a secret whatever its table. Dates, times and yes-or-no
/// columns never do. For the name of something else the type is empty.
pub fn is_secret_name(name: &str, data_type: &str) -> bool {
    if is_date_or_flag(data_type) {
        return false;
    }
    let words = name_words(name);
    let mut words = words.as_slice();
    if words.first().is_some_and(|first| words.len() > 1 && QUESTIONS.contains(&first.as_str())) {
        return false;
    }
    while let [start @ .., last] = words {
        let bare = last.trim_end_matches(|c: char| c.is_ascii_digit());
        if start.is_empty() || !(bare.is_empty() || NEUTRAL.contains(&last.as_str())) {
            break;
        }
        words = start;
    }
    let Some(last) = words.last() else { return false };
    if ABOUT.contains(&last.as_str()) {
        return false;
    }
    let last = last.trim_end_matches(|c: char| c.is_ascii_digit());
    if LAST.contains(&last) {
        return true;
    }
    if let [.., before, _] = words
        && PAIRS.contains(&format!("{before}{last}").as_str())
    {
        return true;
    }
    words.iter().any(|word| {
        let word = word.trim_end_matches(|c: char| c.is_ascii_digit());
        ANYWHERE.contains(&word) || word.ends_with("password") || word.ends_with("passwd")
    })
}

fn is_date_or_flag(data_type: &str) -> bool {
    let data_type = data_type.trim().to_ascii_lowercase();
    ["date", "time", "bool", "year", "interval"].iter().any(|start| data_type.starts_with(start))
        || data_type == "tinyint(1)"
        || data_type == "bit(1)"
}

/// The words of a name in lower case: `userPasswordHash`, `USER_PASSWORD` and `user-password` alike.
pub fn name_words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let chars: Vec<char> = name.chars().collect();
    for (at, &c) in chars.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| chars.get(at)).copied().unwrap_or('_');
        let after = chars.get(at + 1).copied().unwrap_or('_');
        let starts = c.is_uppercase() && (!before.is_uppercase() || after.is_lowercase());
        if !c.is_alphanumeric() || starts {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.push_str(&super::pattern::fold(&c.to_string()));
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_at_separators_and_changes_of_case() {
        assert_eq!(name_words("userPasswordHash"), ["user", "password", "hash"]);
        assert_eq!(name_words("APIKey"), ["api", "key"]);
        assert_eq!(name_words("USER_PASS"), ["user", "pass"]);
        assert_eq!(name_words("two-factor.secret"), ["two", "factor", "secret"]);
        assert!(name_words("__").is_empty());
    }

    #[test]
    fn secrets_are_known_by_their_words() {
        for name in [
            "password",
            "passwd",
            "pass",
            "pwd",
            "user_pass",
            "password_hash",
            "userPasswordHash",
            "secret",
            "client_secret",
            "private_key",
            "api_key",
            "apiKey",
            "APIKEY",
            "api_token",
            "access_token",
            "refresh_token",
            "remember_token",
            "auth_token",
            "secret_key",
            "session_token",
            "session_tokens",
            "salt",
            "user_activation_key",
            "reset_password_token",
            "two_factor_secret",
            "otpKey",
            "secure_key",
            "two_factor_recovery_codes",
            "token",
            "token_hash",
            "hash_salt",
            "smtp_password",
            "password2",
            "mailserver_pass",
            "hashed_token",
            "newpassword",
            "PASSWORD",
            "rp_token",
            "consumer_secret",
            "consumer_key",
            "license_key",
            "api_key_2",
            "password_hint",
            "api_\u{212A}ey",
        ] {
            assert!(is_secret_name(name, "varchar(100)"), "{name}");
        }
    }

    #[test]
    fn ordinary_names_stay_free() {
        for name in [
            "passenger_count",
            "bypass",
            "token_count",
            "tokens_used",
            "pass_count",
            "first_pass_yield",
            "compass",
            "password_changed_at",
            "password_count",
            "is_password_protected",
            "has_secret",
            "key",
            "meta_key",
            "option_key",
            "sort_key",
            "primary_key",
            "foreign_key",
            "secretary",
            "salted_caramel",
            "saltiness",
            "keyboard",
            "author",
            "token_type",
            "api_key_id",
            "passport_country",
            "passive",
            "input_tokens",
            "total_tokens",
            "status",
            "post_title",
            "access_level",
            "activation",
            "session_id",
            "requires_password",
            "",
        ] {
            assert!(!is_secret_name(name, "varchar(100)"), "{name}");
        }
    }

    #[test]
    fn dates_and_flags_are_never_secret() {
        assert!(!is_secret_name("last_password", "datetime"));
        assert!(!is_secret_name("password", "tinyint(1)"));
        assert!(!is_secret_name("email_token", "timestamp with time zone"));
        assert!(is_secret_name("password", "tinytext"));
        assert!(is_secret_name("password", ""));
    }
}
