//! Which C library a binary asks for, read from its symbol table.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::failure::{Context, Failure, Result};

/// A version of the GNU C library: major, minor (2.2.5 counts as 2.2).
pub(crate) type Version = (u32, u32);

/// The newest version among a binary's dynamic symbols.
pub(crate) fn needed_by(binary: &Path, objdump: &Path) -> Result<Version> {
    let mut command = Command::new(objdump);
    command.arg("-T").arg(binary).stdin(Stdio::null());
    let output = command.output().context(|| format!("running {command:?}"))?;
    if !output.status.success() {
        return Err(Failure::new(format!("{command:?} failed ({})", output.status)));
    }
    let table = String::from_utf8_lossy(&output.stdout);
    newest(&table).ok_or_else(|| Failure::new(format!("{} names no version of glibc", binary.display())))
}

fn newest(table: &str) -> Option<Version> {
    table.split("GLIBC_").skip(1).filter_map(version).max()
}

fn version(text: &str) -> Option<Version> {
    let end = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(text.len());
    let mut numbers = text.get(..end)?.split('.').map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        let table = "\
0000000000000000      DF *UND*  0000000000000000 (GLIBC_2.2.5) free
0000000000000000      DF *UND*  0000000000000000 (GLIBC_2.17)  clock_gettime
0000000000000000      DF *UND*  0000000000000000 (GLIBC_2.9)   pipe2
0000000000000000      DF *UND*  0000000000000000 (GCC_3.0)     _Unwind_Resume
0000000000000000      DF *UND*  0000000000000000  GLIBC_PRIVATE __libc
";
        assert_eq!(newest(table), Some((2, 17)));
        assert_eq!(newest("0000 w D *UND* 0000 (GCC_4.2.0) x"), None);
    }
}
