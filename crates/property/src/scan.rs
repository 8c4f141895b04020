//! Words and signs of property files.
//!
//! One scanner serves all languages for event sequences, although they disagree about what a word is. In INCA's and
//! FLAVERS' examples, events are called `r=0` or `a:b`, so signs belong to the names of symbols. Names of the program
//! have dots, and indices in parentheses. The reader therefore says with each request which of the two it expects, and
//! the scanner reads the same characters accordingly.
//!
//! Tokens are read one at a time and never stored, because what a character means is known only when it is reached.
//! Looking ahead copies the scanner, which shares the text. Comments begin with `--`, `//` or `#`. Every token has a
//! position, and a mistake is reported with what was expected and what was found.

use std::rc::Rc;

use crate::{Position, Wrong};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    Word(String),
    Text(String),
    Sign(&'static str),
    End,
}

const SIGNS: [&str; 24] = [
    "->", ":=", "/=", ";", ":", "(", ")", "{", "}", "[", "]", ",", ".", "|", "*", "+", "?", "^", "~", "=",
    "-", "<", ">", "!",
];

/// Which characters words are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Words {
    /// Of events: `r=0` and `a:b` are words.
    Symbols,
    /// Of programs: names with dots, and with indices in parentheses.
    Names,
}

/// Reads tokens one at a time, as the place demands.
#[derive(Clone)]
pub struct Scanner {
    /// Shared, because looking ahead copies the scanner.
    chars: Rc<[char]>,
    at: usize,
    line: u32,
    column: u32,
}

impl Scanner {
    pub fn new(text: &str) -> Self {
        Scanner { chars: text.chars().collect(), at: 0, line: 1, column: 1 }
    }

    /// What was read between a position in the text and here.
    pub fn since(&self, start: usize) -> String {
        self.chars[start..self.at].iter().collect::<String>().trim().to_owned()
    }

    pub fn offset(&self) -> usize {
        self.at
    }

    pub fn peek_char(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    pub fn advance(&mut self) {
        match self.chars.get(self.at) {
            Some('\n') => {
                self.line += 1;
                self.column = 1;
            }
            _ => self.column += 1,
        }
        self.at += 1;
    }

    pub fn skip_space(&mut self) {
        while let Some(c) = self.peek_char(0) {
            let comment = (c == '-' && self.peek_char(1) == Some('-'))
                || (c == '/' && self.peek_char(1) == Some('/'))
                || c == '#';
            if comment {
                while self.peek_char(0).is_some_and(|c| c != '\n') {
                    self.advance();
                }
            } else if c.is_whitespace() {
                self.advance();
            } else {
                break;
            }
        }
    }

    pub fn position(&mut self) -> Position {
        self.skip_space();
        (self.line, self.column)
    }

    pub fn next(&mut self, words: Words) -> Result<Token, Wrong> {
        self.skip_space();
        let position = (self.line, self.column);
        let Some(c) = self.peek_char(0) else { return Ok(Token::End) };
        if c == '"' {
            self.advance();
            let start = self.at;
            while self.peek_char(0).is_some_and(|c| c != '"') {
                self.advance();
            }
            if self.peek_char(0).is_none() {
                return Err(Wrong::at(position, "this text does not end"));
            }
            let text = self.chars[start..self.at].iter().collect();
            self.advance();
            return Ok(Token::Text(text));
        }
        if c.is_alphanumeric() || c == '_' {
            let start = self.at;
            while self.goes_on(words) {
                self.advance();
            }
            return Ok(Token::Word(self.chars[start..self.at].iter().collect()));
        }
        for sign in SIGNS {
            if sign.chars().enumerate().all(|(i, c)| self.peek_char(i) == Some(c)) {
                sign.chars().for_each(|_| self.advance());
                return Ok(Token::Sign(sign));
            }
        }
        Err(Wrong::at(position, format!("unexpected `{c}`")))
    }

    /// Whether the word goes on; an index in parentheses is stepped over up to its end.
    fn goes_on(&mut self, words: Words) -> bool {
        let Some(c) = self.peek_char(0) else { return false };
        if c.is_alphanumeric() || c == '_' {
            return true;
        }
        match (words, c) {
            (Words::Symbols, '=' | '<' | '>' | '!' | ':') => true,
            (Words::Names, '@' | '#') => true,
            (Words::Names, '.') => self.peek_char(1).is_some_and(|c| c.is_alphanumeric()),
            (Words::Names, '(') => {
                let rest = &self.chars[self.at + 1..];
                let end = rest.iter().position(|c| *c == ')');
                let inside = |c: &char| c.is_alphanumeric() || matches!(c, '_' | ',' | ' ');
                match end {
                    Some(end) if end > 0 && rest[..end].iter().all(inside) => {
                        (0..=end).for_each(|_| self.advance());
                        true
                    }
                    _ => false,
                }
            }
            _ => false,
        }
    }

    pub fn peek(&self, words: Words) -> Result<Token, Wrong> {
        self.clone().next(words)
    }

    /// Takes a word or sign if it comes next.
    pub fn take(&mut self, wanted: &str, words: Words) -> bool {
        let mut ahead = self.clone();
        let found = match ahead.next(words) {
            Ok(Token::Word(word)) => word.eq_ignore_ascii_case(wanted),
            Ok(Token::Sign(sign)) => sign == wanted,
            _ => false,
        };
        if found {
            *self = ahead;
        }
        found
    }

    pub fn expect(&mut self, wanted: &str, words: Words) -> Result<(), Wrong> {
        match self.take(wanted, words) {
            true => Ok(()),
            false => Err(self.wrong(&format!("expected `{wanted}`"), words)),
        }
    }

    pub fn word(&mut self, what: &str, words: Words) -> Result<String, Wrong> {
        let mut ahead = self.clone();
        match ahead.next(words)? {
            Token::Word(word) => {
                *self = ahead;
                Ok(word)
            }
            _ => Err(self.wrong(&format!("expected {what}"), words)),
        }
    }

    pub fn wrong(&mut self, message: &str, words: Words) -> Wrong {
        let found = match self.peek(words) {
            Ok(Token::Word(word)) => format!("found `{word}`"),
            Ok(Token::Text(text)) => format!("found \"{text}\""),
            Ok(Token::Sign(sign)) => format!("found `{sign}`"),
            Ok(Token::End) => "the text ends here".into(),
            Err(wrong) => return wrong,
        };
        Wrong::at(self.position(), format!("{message}; {found}"))
    }
}
