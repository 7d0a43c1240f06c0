//! Headers of plugins and themes: names are in lower case and short, values are of one line and hold no end
//! of a comment.

#![no_main]

use libfuzzer_sys::fuzz_target;
use siteclaw_php::file_header;

fuzz_target!(|data: &[u8]| {
    let header = file_header(data);
    for (name, value) in header.iter() {
        assert!(!name.is_empty() && name.len() <= 64 && name == name.to_ascii_lowercase(), "{name:?}");
        assert!(!value.contains(['\n', '\r']), "{value:?}");
        assert!(!value.contains("*/") && !value.contains("?>") && value.trim() == value, "{value:?}");
        assert_eq!(header.get(name), Some(value).filter(|value| !value.is_empty()));
    }
});
