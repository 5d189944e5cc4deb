//! Arguments as the one line that Windows passes to a program, in the way every C program takes it apart again.

use std::ffi::OsStr;
use std::os::windows::ffi::OsStrExt;

const QUOTE: u16 = b'"' as u16;
const BACKSLASH: u16 = b'\\' as u16;

/// The line with the zero at its end, in UTF-16; `None` if an argument holds a zero.
pub(crate) fn command_line<A: AsRef<OsStr>>(program: impl AsRef<OsStr>, arguments: &[A]) -> Option<Vec<u16>> {
    // The first word knows no escapes: it ends at its second quote, and no file has a quote in its name.
    let mut line = vec![QUOTE];
    line.extend(program.as_ref().encode_wide().filter(|unit| *unit != QUOTE));
    line.push(QUOTE);
    for argument in arguments {
        line.push(b' '.into());
        quote(argument.as_ref(), &mut line);
    }
    if line.contains(&0) {
        return None;
    }
    line.push(0);
    Some(line)
}

/// Backslashes count only before a quote: there each is doubled, and the quote gets one of its own.
fn quote(argument: &OsStr, line: &mut Vec<u16>) {
    let special = [b' ', b'\t', b'\n', b'\x0b', b'"'].map(u16::from);
    if !argument.is_empty() && !argument.encode_wide().any(|unit| special.contains(&unit)) {
        line.extend(argument.encode_wide());
        return;
    }
    line.push(QUOTE);
    let mut backslashes = 0;
    for unit in argument.encode_wide() {
        if unit == QUOTE {
            line.extend(std::iter::repeat_n(BACKSLASH, backslashes + 1));
        }
        backslashes = if unit == BACKSLASH { backslashes + 1 } else { 0 };
        line.push(unit);
    }
    line.extend(std::iter::repeat_n(BACKSLASH, backslashes));
    line.push(QUOTE);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_quoted_as_programs_take_them_apart() {
        for (argument, quoted) in [
            ("plain", r#""p q" plain"#),
            ("", r#""p q" """#),
            ("a b", r#""p q" "a b""#),
            (r#"say "hi""#, r#""p q" "say \"hi\"""#),
            (r#"say "hi\""#, r#""p q" "say \"hi\\\"""#),
            (r"C:\dir\", r#""p q" C:\dir\"#),
            (r"C:\a b\", r#""p q" "C:\a b\\""#),
            (r#"\"#, r#""p q" \"#),
            (r#"a\\"b"#, r#""p q" "a\\\\\"b""#),
            ("%PATH% & ^|", r#""p q" "%PATH% & ^|""#),
        ] {
            let line = command_line("p q", &[argument]).unwrap();
            assert_eq!(String::from_utf16(&line).unwrap(), format!("{quoted}\0"));
        }
        assert_eq!(command_line("p", &["a\0b"]), None);
        assert_eq!(command_line("p\0", &[""]), None);
    }
}
