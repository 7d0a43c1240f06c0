//! Variables, and the file that is being evaluated.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use php_ast::{ByteStr, FunctionDecl, Span};
use php_rs_parser::source_map::SourceMap;

use crate::config::Located;

/// The variables of the file level or of one function call.
#[derive(Default)]
pub(super) struct Scope {
    pub(super) variables: HashMap<String, Located>,
    /// Key of the class whose constructor runs.
    pub(super) this: Option<String>,
    /// Names that a `global` statement ties to the file level.
    pub(super) globals: Vec<String>,
    /// Variables that hold the text of `WORDPRESS_CONFIG_EXTRA` and may be given to `eval`.
    pub(super) extra: Vec<String>,
}

/// One included file or one function call, for `return` and for what ends with it.
pub(super) struct Frame {
    /// Open speculations when it began; what comes on top of them ends with the frame.
    pub(super) base: usize,
    /// How many branches the current statement is inside of.
    pub(super) nested: u32,
    /// A `return` under an undecided condition makes the value unknown.
    pub(super) may_return: Option<crate::Unknown>,
}

/// A parsed file.
pub(super) struct FileContext<'a> {
    pub(super) path: Arc<Path>,
    /// What spans point into.
    pub(super) text: &'a str,
    /// `__DIR__`
    pub(super) folder: PathBuf,
    pub(super) map: SourceMap,
    /// Whether the text stands for bytes that are not UTF-8; see [`decode`].
    pub(super) escaped: bool,
    /// Class names by their alias in lower case.
    pub(super) imports: RefCell<HashMap<String, String>>,
    pub(super) namespace: RefCell<String>,
    /// Whether `env()` is the one of oscarotero/env, which makes integers of digits; Laravel's does not.
    pub(super) env_package: Cell<bool>,
}

impl FileContext<'_> {
    /// The source of a node.
    pub(super) fn slice(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    pub(super) fn line(&self, span: Span) -> u32 {
        self.map.offset_to_line_col(span.start).line + 1
    }

    /// The bytes of a literal.
    pub(super) fn bytes(&self, text: &ByteStr<'_, '_>) -> Vec<u8> {
        self.unescape(text.as_bytes())
    }

    pub(super) fn unescape(&self, bytes: &[u8]) -> Vec<u8> {
        if self.escaped { unescape(bytes) } else { bytes.to_vec() }
    }
}

/// A function that a file declares.
#[derive(Clone)]
pub(super) struct Function<'a> {
    pub(super) declaration: &'a FunctionDecl<'a, 'a>,
    pub(super) file: Rc<FileContext<'a>>,
}

/// First of the 256 private characters that stand for bytes which are not UTF-8.
const ESCAPE: u32 = 0x10_F000;

/// The text of a file, and whether bytes were escaped in it. The parser takes UTF-8 only; a file in an
/// older encoding keeps its bytes because each foreign one becomes a private character, which
/// [`FileContext::bytes`] turns back.
pub(super) fn decode(bytes: Vec<u8>) -> (String, bool) {
    let bytes = match String::from_utf8(bytes) {
        Ok(text) => return (text, false),
        Err(error) => error.into_bytes(),
    };
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 2);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().filter_map(|byte| char::from_u32(ESCAPE + u32::from(*byte))));
    }
    (text, true)
}

fn unescape(bytes: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for next in chunk.valid().chars() {
            match u32::from(next).checked_sub(ESCAPE).and_then(|code| u8::try_from(code).ok()) {
                Some(byte) => plain.push(byte),
                None => plain.extend_from_slice(next.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        plain.extend_from_slice(chunk.invalid());
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_bytes_survive() {
        let latin = b"<?php $x = 'caf\xe9 \xff\x80 \xc3\xa9';".to_vec();
        let (text, escaped) = decode(latin.clone());
        assert!(escaped);
        assert_eq!(unescape(text.as_bytes()), latin);
        assert_eq!(decode("é".as_bytes().to_vec()), ("é".to_owned(), false));
    }
}
