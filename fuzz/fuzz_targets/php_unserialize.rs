//! Serialised PHP values: decoding gives a value or the place where reading stopped, and every value has a
//! JSON form that can be written and read again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use siteclaw_php::{begins_serialized, is_serialized, unserialize};

fuzz_target!(|data: &[u8]| {
    match unserialize(data) {
        Ok(value) => {
            let json = value.to_json();
            let text = json.to_string();
            let again: serde_json::Value = serde_json::from_str(&text).expect("the JSON can be read");
            assert_eq!(again.to_string(), text);
            let _ = format!("{value:?}");
        }
        Err(corrupt) => assert!(corrupt.position <= data.len(), "{corrupt} in {} bytes", data.len()),
    }
    if let Ok(text) = std::str::from_utf8(data) {
        let _ = (is_serialized(text), begins_serialized(text));
    }
});
