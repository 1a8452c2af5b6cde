//! What an adversary knows, as Boolean statements over "this person has this value" (survey PM-11).
//!
//! The text form, one statement per line:
//!
//! ```text
//! # what Eshwar told at lunch
//! Eshwar != "Heart disease"
//! Fox = "Flu" -> Eshwar = "Flu"
//! not (Ann = "Flu" and Bruce = "Flu") or Cary = "Cancer"
//! ```
//!
//! `not` binds tightest, then `and`, `or`, and `->`, which groups to the right. Names with spaces or other signs, or
//! that are words of the language, stand in double quotation marks, with `\"` and `\\` for the marks themselves.
//!
//! What it guarantees: text is read or refused with the place of the fault; no message repeats any of the text, and
//! nesting is limited, so that no text can exhaust the stack.

/// A Boolean statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Statement {
    /// Somebody has a value.
    Has {
        /// Who.
        person: u32,
        /// The code of the value.
        value: u32,
    },
    /// It does not hold.
    Not(Box<Statement>),
    /// All hold; with none it is true.
    And(Vec<Statement>),
    /// One of them holds at least; with none it is false.
    Or(Vec<Statement>),
    /// When the first holds, so does the second.
    Implies(Box<Statement>, Box<Statement>),
}

impl Statement {
    /// Whether it holds, given everybody's value as far as known; `None` when what is known does not decide it.
    ///
    /// It looks at each part by itself: a statement that no value can make true may still be called undecided
    /// until the values are known.
    pub fn holds(&self, value_of: &impl Fn(u32) -> Option<u32>) -> Option<bool> {
        match self {
            Self::Has { person, value } => value_of(*person).map(|own| own == *value),
            Self::Not(inner) => inner.holds(value_of).map(|holds| !holds),
            Self::And(parts) => Self::all(parts, value_of),
            Self::Or(parts) => {
                let mut undecided = false;
                for part in parts {
                    match part.holds(value_of) {
                        Some(true) => return Some(true),
                        Some(false) => {}
                        None => undecided = true,
                    }
                }
                (!undecided).then_some(false)
            }
            Self::Implies(when, then) => match (when.holds(value_of), then.holds(value_of)) {
                (Some(false), _) | (_, Some(true)) => Some(true),
                (Some(true), Some(false)) => Some(false),
                _ => None,
            },
        }
    }

    /// Whether all of them hold.
    pub(crate) fn all(parts: &[Self], value_of: &impl Fn(u32) -> Option<u32>) -> Option<bool> {
        let mut undecided = false;
        for part in parts {
            match part.holds(value_of) {
                Some(false) => return Some(false),
                Some(true) => {}
                None => undecided = true,
            }
        }
        (!undecided).then_some(true)
    }

    /// Calls `each` with everybody that it speaks of, as often as it does.
    pub fn people(&self, each: &mut impl FnMut(u32)) {
        match self {
            Self::Has { person, .. } => each(*person),
            Self::Not(inner) => inner.people(each),
            Self::And(parts) | Self::Or(parts) => parts.iter().for_each(|part| part.people(each)),
            Self::Implies(when, then) => {
                when.people(each);
                then.people(each);
            }
        }
    }
}

/// What is wrong with a text of knowledge, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {problem}")]
pub struct KnowledgeError {
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
    /// What is wrong there, and what would be accepted.
    pub problem: &'static str,
}

/// Reads one statement. The resolvers give the numbers of people and the codes of values.
///
/// ```
/// use privet_attack::worlds::{Statement, parse_statement};
/// let person = |name: &str| (name == "Eshwar").then_some(4);
/// let value = |text: &str| (text == "Heart disease").then_some(0);
/// let read = parse_statement(r#"Eshwar != "Heart disease""#, &person, &value)?;
/// assert_eq!(read, Statement::Not(Box::new(Statement::Has { person: 4, value: 0 })));
/// # Ok::<(), privet_attack::worlds::KnowledgeError>(())
/// ```
///
/// # Errors
/// When the text is no statement, or it names a person or value that is not known.
pub fn parse_statement(
    text: &str,
    person: &dyn Fn(&str) -> Option<u32>,
    value: &dyn Fn(&str) -> Option<u32>,
) -> Result<Statement, KnowledgeError> {
    let mut reader = Reader { rest: text, column: 1, depth: 0, person, value };
    let statement = reader.implication();
    let statement = statement.and_then(|statement| match reader.look()? {
        Token::End => Ok(statement),
        _ => Err(reader.fault("the statement should end here, or go on with `and`, `or` or `->`")),
    });
    statement.map_err(|(column, problem)| KnowledgeError { line: 1, column, problem })
}

/// Reads a file of knowledge: one statement per line; empty lines and lines that begin with `#` say nothing.
///
/// # Errors
/// As for one statement; the error tells the line.
pub fn parse_knowledge(
    text: &str,
    person: &dyn Fn(&str) -> Option<u32>,
    value: &dyn Fn(&str) -> Option<u32>,
) -> Result<Vec<Statement>, KnowledgeError> {
    let lines = text.lines().enumerate().filter(|(_, line)| {
        let line = line.trim_start();
        !line.is_empty() && !line.starts_with('#')
    });
    let read = lines.map(|(number, line)| {
        parse_statement(line, person, value).map_err(|fault| KnowledgeError { line: number + 1, ..fault })
    });
    read.collect()
}

/// Deeper than this is no knowledge of a person.
const MOST_DEPTH: u32 = 100;

type Fault = (usize, &'static str);

struct Reader<'a> {
    rest: &'a str,
    column: usize,
    depth: u32,
    person: &'a dyn Fn(&str) -> Option<u32>,
    value: &'a dyn Fn(&str) -> Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    End,
    Open,
    Close,
    Equal,
    Unequal,
    Arrow,
    And,
    Or,
    Not,
    Name(String),
}

impl Reader<'_> {
    fn fault(&self, problem: &'static str) -> Fault {
        (self.column, problem)
    }

    fn skip(&mut self, characters: usize) {
        let bytes: usize = self.rest.chars().take(characters).map(char::len_utf8).sum();
        self.rest = &self.rest[bytes..]; // why: the sum of the lengths of the first characters is a boundary
        self.column += characters;
    }

    /// The next token and how many characters it has, without going past it. Spaces are skipped.
    fn peek(&mut self) -> Result<(Token, usize), Fault> {
        let spaces = self.rest.chars().take_while(|c| c.is_whitespace()).count();
        self.skip(spaces);
        let fixed = [("(", Token::Open), (")", Token::Close), ("->", Token::Arrow), ("!=", Token::Unequal)];
        let fixed = fixed.into_iter().chain([("=", Token::Equal)]);
        for (sign, token) in fixed {
            if self.rest.starts_with(sign) {
                return Ok((token, sign.len()));
            }
        }
        if self.rest.starts_with('"') {
            return self.quoted();
        }
        let mut word = String::new();
        let mut characters = self.rest.chars().peekable();
        while let Some(c) = characters.next() {
            // A hyphen is part of a name unless it begins an arrow.
            let hyphen = c == '-' && characters.peek() != Some(&'>');
            if !(c.is_alphanumeric() || matches!(c, '_' | '.' | '*' | '/' | ':' | '+') || hyphen) {
                if word.is_empty() {
                    return Err(
                        self.fault("this sign means nothing here; put names with signs into quotation marks")
                    );
                }
                break;
            }
            word.push(c);
        }
        let length = word.chars().count();
        let token = match &*word {
            "" => Token::End,
            "and" => Token::And,
            "or" => Token::Or,
            "not" => Token::Not,
            _ => Token::Name(word),
        };
        Ok((token, length))
    }

    fn quoted(&self) -> Result<(Token, usize), Fault> {
        let mut name = String::new();
        let mut characters = self.rest.chars().enumerate().skip(1);
        while let Some((at, c)) = characters.next() {
            match c {
                '"' => return Ok((Token::Name(name), at + 1)),
                '\\' => match characters.next() {
                    Some((_, c @ ('"' | '\\'))) => name.push(c),
                    _ => return Err((self.column + at, "after \\ only \" or \\ may stand")),
                },
                c => name.push(c),
            }
        }
        Err(self.fault("the quotation marks are not closed"))
    }

    fn look(&mut self) -> Result<Token, Fault> {
        self.peek().map(|(token, _)| token)
    }

    /// Goes past the next token when it is this one.
    fn accept(&mut self, wanted: &Token) -> Result<bool, Fault> {
        let (token, length) = self.peek()?;
        let found = token == *wanted;
        if found {
            self.skip(length);
        }
        Ok(found)
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Fault>) -> Result<T, Fault> {
        if self.depth == MOST_DEPTH {
            return Err(self.fault("this is nested too deeply; at most 100 levels are read"));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn implication(&mut self) -> Result<Statement, Fault> {
        let when = self.joined(&Token::Or)?;
        if !self.accept(&Token::Arrow)? {
            return Ok(when);
        }
        let then = self.deeper(Self::implication)?;
        Ok(Statement::Implies(Box::new(when), Box::new(then)))
    }

    /// Parts joined by `or`, or within them by `and`.
    fn joined(&mut self, by: &Token) -> Result<Statement, Fault> {
        let or = *by == Token::Or;
        let part = |reader: &mut Self| if or { reader.joined(&Token::And) } else { reader.unary() };
        let first = part(self)?;
        let mut parts = Vec::new();
        while self.accept(by)? {
            parts.push(part(self)?);
        }
        if parts.is_empty() {
            return Ok(first);
        }
        parts.insert(0, first);
        Ok(if or { Statement::Or(parts) } else { Statement::And(parts) })
    }

    fn unary(&mut self) -> Result<Statement, Fault> {
        if self.accept(&Token::Not)? {
            return Ok(Statement::Not(Box::new(self.deeper(Self::unary)?)));
        }
        if self.accept(&Token::Open)? {
            let inner = self.deeper(Self::implication)?;
            if !self.accept(&Token::Close)? {
                return Err(self.fault("a closing parenthesis is missing here"));
            }
            return Ok(inner);
        }
        let resolve = self.person;
        let person = self.name(
            resolve,
            "a statement begins with a person, `not` or a parenthesis",
            "this person is not known",
        )?;
        let equal = self.accept(&Token::Equal)?;
        if !equal && !self.accept(&Token::Unequal)? {
            return Err(self.fault("after a person = or != must stand"));
        }
        let resolve = self.value;
        let value =
            self.name(resolve, "a value must stand here", "this is no value of the sensitive column")?;
        let has = Statement::Has { person, value };
        Ok(if equal { has } else { Statement::Not(Box::new(has)) })
    }

    fn name(
        &mut self,
        resolve: &dyn Fn(&str) -> Option<u32>,
        missing: &'static str,
        unknown: &'static str,
    ) -> Result<u32, Fault> {
        match self.peek()? {
            (Token::Name(name), length) => {
                let found = resolve(&name).ok_or_else(|| self.fault(unknown))?;
                self.skip(length);
                Ok(found)
            }
            _ => Err(self.fault(missing)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn person(name: &str) -> Option<u32> {
        ["Ann", "Bruce", "and", "Jean-Luc", "a \"b\" \\"].iter().position(|n| *n == name).map(|p| p as u32)
    }

    fn value(text: &str) -> Option<u32> {
        ["Flu", "Heart disease", "3.5"].iter().position(|n| *n == text).map(|p| p as u32)
    }

    fn read(text: &str) -> Result<Statement, KnowledgeError> {
        parse_statement(text, &person, &value)
    }

    fn has(person: u32, value: u32) -> Statement {
        Statement::Has { person, value }
    }

    fn not(statement: Statement) -> Statement {
        Statement::Not(Box::new(statement))
    }

    fn implies(when: Statement, then: Statement) -> Statement {
        Statement::Implies(Box::new(when), Box::new(then))
    }

    #[test]
    fn reads_the_language() {
        assert_eq!(read("Ann=Flu").unwrap(), has(0, 0));
        assert_eq!(read(r#" Bruce != "Heart disease" "#).unwrap(), not(has(1, 1)));
        assert_eq!(read(r#""and" = 3.5"#).unwrap(), has(2, 2));
        assert_eq!(read("Jean-Luc = Flu->Ann = Flu").unwrap(), implies(has(3, 0), has(0, 0)));
        assert_eq!(read(r#""a \"b\" \\" = Flu"#).unwrap(), has(4, 0));
        let right = implies(has(0, 0), implies(has(1, 0), has(0, 2)));
        assert_eq!(read("Ann=Flu -> Bruce=Flu -> Ann=3.5").unwrap(), right);
        let bound = Statement::Or(vec![
            Statement::And(vec![not(has(0, 0)), has(1, 0), has(0, 2)]),
            implies(has(0, 0), has(1, 1)),
        ]);
        let text = r#"not Ann=Flu and Bruce=Flu and Ann=3.5 or (Ann=Flu -> Bruce="Heart disease")"#;
        assert_eq!(read(text).unwrap(), bound);
    }

    #[test]
    fn faults_point_at_the_place_and_repeat_nothing() {
        for (text, column) in [
            ("", 1),
            ("Ann", 4),
            ("Ann = ", 7),
            ("Ann = Mumps", 7),
            ("Zoë = Flu", 1),
            ("Ann = Flu Bruce = Flu", 11),
            ("(Ann = Flu", 11),
            ("Ann = Flu)", 10),
            ("Ann = \"Flu", 7),
            ("Ann = \"F\\lu\"", 9),
            ("Ann = Flu & Ann = Flu", 11),
            ("Ann = Flu ->", 13),
            ("and = Flu", 1),
        ] {
            let fault = read(text).unwrap_err();
            assert_eq!((fault.line, fault.column), (1, column), "{text}: {fault}");
            assert!(!fault.problem.contains("Mumps") && !fault.problem.contains("Zoë"));
        }
        let file = "# lunch\n\n  Ann = Flu\nAnn = Flu or\n";
        assert_eq!(parse_knowledge(file, &person, &value).unwrap_err().line, 4);
        assert_eq!(parse_knowledge("# x\nAnn = Flu\r\n", &person, &value).unwrap(), [has(0, 0)]);
    }

    #[test]
    fn deep_nesting_is_refused() {
        for deep in ["(", "not ", "Ann = Flu -> "] {
            assert!(read(&deep.repeat(100_000)).unwrap_err().problem.contains("nested"));
        }
    }

    #[test]
    fn undecided_until_known() {
        let knows = |known: Option<u32>| move |person: u32| if person == 0 { known } else { None };
        let statement = implies(has(0, 0), has(1, 0));
        assert_eq!(statement.holds(&knows(None)), None);
        assert_eq!(statement.holds(&knows(Some(0))), None);
        assert_eq!(statement.holds(&knows(Some(1))), Some(true));
        assert_eq!(Statement::And(vec![has(1, 0), has(0, 0)]).holds(&knows(Some(1))), Some(false));
        assert_eq!(Statement::Or(vec![]).holds(&knows(None)), Some(false));
        assert_eq!(Statement::And(vec![]).holds(&knows(None)), Some(true));
    }

    proptest! {
        /// Whatever the text, it is read or refused within it.
        #[test]
        fn any_text_is_read_or_refused(text in r#"[a-zé"\\=!()> \-]{0,30}|(Ann|Flu|=|!=|and|or|not|->|\(|\)| ){0,20}"#) {
            if let Err(fault) = read(&text) {
                prop_assert!(fault.column <= text.chars().count() + 1);
            }
        }
    }
}
