//! Files and spans.

use std::fmt;

/// Index of a file in a [`SourceMap`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// A place in a file: lines and columns start at 1, columns count bytes of the decoded text, the
/// end is exclusive. Line 0 means "nowhere", the place of what no source text stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    pub file: FileId,
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
}

impl Span {
    pub const NOWHERE: Span = Span { file: FileId(0), line: 0, column: 0, end_line: 0, end_column: 0 };

    pub fn is_nowhere(self) -> bool {
        self.line == 0
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}-{}:{}", self.file.0, self.line, self.column, self.end_line, self.end_column)
    }
}

/// The files of one analysis, in the order they were read.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<(String, String)>,
}

impl SourceMap {
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        self.files.push((name.into(), text.into()));
        FileId(self.files.len() as u32 - 1)
    }

    pub fn name(&self, file: FileId) -> &str {
        self.files.get(file.0 as usize).map_or("", |f| &f.0)
    }

    pub fn text(&self, file: FileId) -> &str {
        self.files.get(file.0 as usize).map_or("", |f| &f.1)
    }

    /// Names and texts.
    pub fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|f| (f.0.as_str(), f.1.as_str()))
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|f| f.0.as_str())
    }

    /// The text of one line, without its end.
    pub fn line(&self, file: FileId, line: u32) -> &str {
        self.text(file).split('\n').nth(line.saturating_sub(1) as usize).unwrap_or("").trim_end_matches('\r')
    }

    /// The byte offsets of a span, clamped to the text.
    pub fn range(&self, span: Span) -> std::ops::Range<usize> {
        let text = self.text(span.file);
        let offset = |line: u32, column: u32| {
            let start: usize =
                text.split_inclusive('\n').take(line.saturating_sub(1) as usize).map(str::len).sum();
            let mut at = (start + column.saturating_sub(1) as usize).min(text.len());
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        let start = offset(span.line, span.column);
        start..offset(span.end_line, span.end_column).max(start)
    }
}

/// Turns bytes into text: UTF-8 with or without mark, otherwise Latin-1, whose bytes are the
/// first 256 code points. Line ends become `\n`. A NUL byte means that this is no source text.
pub fn decode(bytes: &[u8]) -> Result<String, NotText> {
    if let Some(at) = bytes.iter().position(|&b| b == 0) {
        return Err(NotText { at });
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.trim_start_matches('\u{feff}').to_owned(),
        Err(_) => bytes.iter().map(|&b| b as char).collect(),
    };
    if !text.contains(['\r', '\u{c}', '\u{1a}']) {
        return Ok(text);
    }
    Ok(text.replace("\r\n", "\n").replace(['\r', '\u{c}', '\u{1a}'], "\n"))
}

/// The file holds a NUL byte at this offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotText {
    pub at: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latin_1_and_utf_8_and_every_line_end_decode() {
        assert_eq!(decode(b"caf\xe9\r\nb\rc").unwrap(), "café\nb\nc");
        assert_eq!(decode("\u{feff}é".as_bytes()).unwrap(), "é");
        assert_eq!(decode(b"a\0").unwrap_err().at, 1);
    }

    #[test]
    fn a_span_finds_its_bytes() {
        let mut map = SourceMap::default();
        let file = map.add("a.adb", "one\ntwo three\n");
        let span = Span { file, line: 2, column: 5, end_line: 2, end_column: 10 };
        assert_eq!(&map.text(file)[map.range(span)], "three");
        assert_eq!(map.line(file, 2), "two three");
    }
}
