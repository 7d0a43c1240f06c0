//! Masking: a secret that was learnt never survives, in text or in JSON, and masking twice is masking once.
//!
//! The first line of the input is the secret, the rest the text around it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};
use siteclaw_core::{Masker, Secret};

fuzz_target!(|input: &str| {
    let (secret, text) = input.split_once('\n').unwrap_or((input, ""));
    let masker = Masker::new([7; 32]);
    masker.learn([Secret::new(secret)]);

    let masked = masker.mask(text).into_owned();
    assert_eq!(masker.mask(&masked), masked, "masked twice");

    // Shorter ones are words, and one made of a placeholder's own letters may stand in a placeholder.
    let in_placeholders = |c: char| "⟦⟧secret:0123456789abcdef".contains(c);
    if secret.chars().count() < 6 || secret.contains(['⟦', '⟧']) || secret.chars().all(in_placeholders) {
        return;
    }
    let around = format!("{text}{secret}{text}");
    let masked = masker.mask(&around).into_owned();
    assert!(!masked.contains(secret), "{secret:?} survived in {masked:?}");
    assert_eq!(masker.mask(&masked), masked, "masked twice");

    let mut value = json!({"rows": [around, {secret: secret}], "as_json": json!([secret]).to_string()});
    masker.mask_value(&mut value);
    assert!(!holds(&value, secret), "{secret:?} survived in {value}");
});

fn holds(value: &Value, secret: &str) -> bool {
    match value {
        Value::String(text) => text.contains(secret),
        Value::Array(items) => items.iter().any(|item| holds(item, secret)),
        Value::Object(map) => map.iter().any(|(key, item)| key.contains(secret) || holds(item, secret)),
        _ => false,
    }
}
