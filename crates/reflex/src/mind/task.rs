//! A task in plain imperative English, as a list of steps.
//!
//! `Open "P", type "T", and save it as "F".` Names are in double quotes; verbs lead. What is not understood is left out, and a
//! task of which nothing is understood has no steps.

mod step;

pub(crate) use step::Step;

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Task {
    pub(crate) steps: Vec<Step>,
    /// A message that may come at any time: words of it, and the button that answers it.
    pub(crate) message: Option<(String, String)>,
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Word(String),
    Quoted(String),
    /// The end of a sentence.
    Stop,
}

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    for (n, part) in text.split(['"', '“', '”']).enumerate() {
        if n % 2 == 1 {
            tokens.push(Token::Quoted(part.to_owned()));
            continue;
        }
        for word in part.split_whitespace() {
            let bare = word.trim_matches(['.', ',', ';', '!']);
            if !bare.is_empty() {
                tokens.push(Token::Word(bare.to_lowercase()));
            }
            if word.ends_with(['.', '!']) {
                tokens.push(Token::Stop);
            }
        }
    }
    tokens
}

struct Parser<'a> {
    tokens: &'a [Token],
    task: Task,
}

/// Reads a task.
pub(crate) fn read(text: &str) -> Task {
    let tokens = tokens(text);
    let mut parser = Parser { tokens: &tokens, task: Task::default() };
    while let Some((first, rest)) = parser.tokens.split_first() {
        parser.tokens = rest;
        if let Token::Word(verb) = first {
            parser.clause(verb);
        }
    }
    let steps = &mut parser.task.steps;
    if steps.iter().any(|s| matches!(s, Step::Page(_))) {
        steps.push(Step::Apply);
    }
    parser.task
}

impl Parser<'_> {
    fn word(&mut self, word: &str) -> bool {
        let hit = matches!(self.tokens.first(), Some(Token::Word(w)) if w == word);
        if hit {
            self.tokens = &self.tokens[1..];
        }
        hit
    }

    fn words(&mut self, words: &[&str]) -> bool {
        let before = self.tokens;
        let hit = words.iter().all(|word| self.word(word));
        if !hit {
            self.tokens = before;
        }
        hit
    }

    fn quoted(&mut self) -> Option<String> {
        let Some((Token::Quoted(text), rest)) = self.tokens.split_first() else { return None };
        self.tokens = rest;
        Some(text.clone())
    }

    /// The next quoted text of this sentence, with what stands before it passed over.
    fn next_quoted(&mut self) -> Option<String> {
        let at = self.tokens.iter().position(|t| !matches!(t, Token::Word(_)))?;
        let Token::Quoted(text) = &self.tokens[at] else { return None };
        self.tokens = &self.tokens[at + 1..];
        Some(text.clone())
    }

    /// Words up to a quoted text or the end of the sentence.
    fn plain(&mut self) -> Vec<String> {
        let mut words = Vec::new();
        while let Some((Token::Word(word), rest)) = self.tokens.split_first() {
            words.push(word.clone());
            self.tokens = rest;
        }
        words
    }

    /// `with Ctrl+S`.
    fn chord(&mut self) -> Option<String> {
        let [Token::Word(with), Token::Word(keys), rest @ ..] = self.tokens else { return None };
        let chord = (with == "with" && keys.contains('+')).then(|| keys.clone())?;
        self.tokens = rest;
        Some(chord)
    }

    /// `"A"`, `"A" and "B"`, `"A", "B" and "C"`.
    fn all_quoted(&mut self) -> Vec<String> {
        let mut all = Vec::new();
        loop {
            let before = self.tokens;
            self.word("and");
            match self.quoted() {
                Some(text) => all.push(text),
                None => {
                    self.tokens = before;
                    return all;
                }
            }
        }
    }

    /// `"A" with "B", "C" with "D" and "E" with "F"`.
    fn pairs(&mut self, with: &str) -> Vec<(String, String)> {
        let mut pairs = Vec::new();
        loop {
            let before = self.tokens;
            self.word("and");
            let pair = self.quoted().filter(|_| self.word(with)).zip(self.quoted());
            match pair {
                Some(pair) => pairs.push(pair),
                None => {
                    self.tokens = before;
                    return pairs;
                }
            }
        }
    }

    /// `[the file] "F" [in the folder "D"]` as a folder and a name.
    fn file(&mut self) -> Option<(String, String)> {
        self.words(&["the", "file"]);
        let name = self.quoted()?;
        let folder = if self.words(&["in", "the", "folder"]) { self.quoted() } else { None };
        Some((folder.unwrap_or_default(), name))
    }

    fn clause(&mut self, verb: &str) {
        let steps = match verb {
            "open" => self.open(),
            "type" | "write" | "enter" => self.type_text(),
            "add" => self.next_quoted().map(Step::AddLine).into_iter().collect(),
            "save" => self.save(),
            "if" => {
                let words = self.plain();
                let about = words
                    .iter()
                    .skip_while(|w| *w != "about")
                    .skip(1)
                    .take_while(|w| !w.starts_with("appear"));
                let about: Vec<&str> = about.map(String::as_str).collect();
                self.task.message = self.quoted().map(|answer| (about.join(" "), answer));
                Vec::new()
            }
            "copy" => self.copy(),
            "answer" if self.word("their") || self.word("its") => {
                let said = self.next_quoted();
                for step in &mut self.task.steps {
                    if let Step::Close { answer, .. } = step {
                        answer.clone_from(&said);
                    }
                }
                Vec::new()
            }
            "answer" if self.words(&["the", "message", "about"]) => self.message(),
            // It comes of the step before, which answers it.
            "answer" if self.words(&["the", "question", "about", "it"]) => Vec::new(),
            "answer" => {
                let mut pairs = Vec::new();
                while let Some(pair) = self.next_quoted().zip(self.next_quoted()) {
                    pairs.push(pair);
                }
                vec![Step::Answer(pairs)]
            }
            "compute" | "calculate" => self.compute(),
            "scroll" => vec![Step::ToEnd],
            "press" | "click" => self.quoted().map(Step::Press).into_iter().collect(),
            "in" if self.words(&["the", "window"]) => self.quoted().map(Step::Front).into_iter().collect(),
            "in" => {
                let program = self.quoted().map(Step::Program);
                let page = if self.word("under") { self.quoted().map(Step::Page) } else { None };
                program.into_iter().chain(page).collect()
            }
            "turn" => {
                let on = self.word("on") || !self.word("off");
                self.all_quoted().into_iter().map(|name| Step::Turn { name, on }).collect()
            }
            "choose" | "select" if self.named_in_menu() => self.menu(),
            "choose" if self.named_in_menu_of() => self.menu_of(),
            "give" if self.words(&["it", "the", "name"]) => {
                self.quoted().map(Step::Prompt).into_iter().collect()
            }
            "select" if self.words(&["the", "whole", "text"]) => {
                self.chord().map(Step::Keys).into_iter().collect()
            }
            "select" if !self.pair_follows("for") => self.quoted().map(Step::Row).into_iter().collect(),
            "choose" | "select" => {
                self.pairs("for").into_iter().map(|(value, name)| Step::Choose { value, name }).collect()
            }
            "fill" => {
                self.word("in");
                self.pairs("with").into_iter().map(|(name, value)| Step::Fill { name, value }).collect()
            }
            "delete" | "remove" => self.on_file(|_| {
                use super::words::DELETE;
                Some(vec![Step::PressAny(DELETE), Step::Confirm(DELETE)])
            }),
            "rename" => self.on_file(|parser| {
                let to = if parser.word("to") { parser.quoted()? } else { return None };
                Some(vec![Step::PressAny(super::words::RENAME), Step::Prompt(to)])
            }),
            "close" => {
                self.word("the");
                let _ = self.word("windows") || self.word("window");
                let (titles, chord) = (self.all_quoted(), self.chord());
                let close = |title| match &chord {
                    Some(chord) => Step::CloseByKeys { title, chord: chord.clone() },
                    None => Step::Close { title, answer: None },
                };
                titles.into_iter().map(close).collect()
            }
            "drag" => self.drag(),
            "move" => self.go_elsewhere(),
            "make" => self.folder(),
            "minimise" | "maximise" => {
                let whole = verb == "maximise";
                self.next_quoted().map(|title| Step::Sized { title, whole }).into_iter().collect()
            }
            "bring" => {
                let Some(title) = self.next_quoted() else { return };
                self.words(&["to", "the", "front"]);
                match self.chord() {
                    Some(chord) => vec![Step::FrontByKeys { title, chord }],
                    None => vec![Step::Front(title)],
                }
            }
            _ => Vec::new(),
        };
        self.task.steps.extend(steps);
    }

    fn open(&mut self) -> Vec<Step> {
        let is_file = matches!(self.tokens, [Token::Word(the), Token::Word(file), ..] if the == "the" && file == "file");
        let Some((folder, name)) = self.file() else { return Vec::new() };
        if is_file {
            if !folder.is_empty() && self.words(&["by", "a", "double", "click"]) {
                return vec![Step::Path { path: format!("/{folder}"), entry: None }, Step::Twice(name)];
            }
            let path = if folder.is_empty() { name } else { format!("/{folder}/{name}") };
            return vec![Step::Path { path, entry: None }];
        }
        if let Some(chord) = self.chord() {
            return vec![Step::Keys(chord), Step::Command(name)];
        }
        if self.words(&["by", "a", "double", "click"]) {
            return vec![Step::Icon(name)];
        }
        if name.starts_with('/') {
            let entry = if self.word("with") { self.quoted() } else { None };
            return vec![Step::Path { path: name, entry }];
        }
        vec![Step::Program(name)]
    }

    /// `the message about N with "B"`; several are one step, as any may lie over the others.
    fn message(&mut self) -> Vec<Step> {
        let about = self.plain();
        let about =
            about.iter().take_while(|w| *w != "with").map(String::as_str).collect::<Vec<_>>().join(" ");
        let Some(answer) = self.quoted() else { return Vec::new() };
        if let Some(Step::Messages(messages)) = self.task.steps.last_mut() {
            messages.push((about, answer));
            return Vec::new();
        }
        vec![Step::Messages(vec![(about, answer)])]
    }

    /// Whether `"I" in the menu "M"` comes next.
    fn named_in_menu(&self) -> bool {
        let word = |token: &Token, text: &str| matches!(token, Token::Word(word) if word == text);
        matches!(self.tokens, [Token::Quoted(_), a, b, c, Token::Quoted(_), ..] if word(a, "in") && word(b, "the") && word(c, "menu"))
    }

    /// Whether `"I" in the menu of` comes next.
    fn named_in_menu_of(&self) -> bool {
        let word = |token: &Token, text: &str| matches!(token, Token::Word(word) if word == text);
        matches!(self.tokens, [Token::Quoted(_), a, b, c, d, ..] if word(a, "in") && word(b, "the") && word(c, "menu") && word(d, "of"))
    }

    fn menu_of(&mut self) -> Vec<Step> {
        let Some(item) = self.quoted() else { return Vec::new() };
        self.words(&["in", "the", "menu", "of", "the"]);
        let file = if self.word("file") { self.quoted() } else { None };
        vec![Step::MenuOf { file, item }]
    }

    fn save(&mut self) -> Vec<Step> {
        if self.words(&["the", "text", "of", "the", "window"]) {
            let title = self.quoted().map(|title| title.trim_start_matches('*').to_owned()).map(Step::Front);
            let save = self.chord().map_or(Step::Save, Step::Keys);
            return title.into_iter().chain([save]).collect();
        }
        let named = ["it", "the text", ""].iter().any(|what| {
            let words: Vec<&str> = what.split_whitespace().chain(["as"]).collect();
            self.words(&words)
        });
        let name = if named { self.quoted() } else { None };
        self.word("it");
        match (self.chord(), name) {
            (Some(chord), Some(name)) => vec![Step::Keys(chord), Step::NameThere(name)],
            (Some(chord), None) => vec![Step::Keys(chord)],
            (None, Some(name)) => vec![Step::SaveAs(name)],
            (None, None) => vec![Step::Save],
        }
    }

    /// `the file "F" from the window "W" into the window "X"`, or `"L" to about N`.
    fn drag(&mut self) -> Vec<Step> {
        if self.words(&["the", "file"]) {
            let names = (self.quoted(), self.next_quoted(), self.next_quoted());
            let (Some(name), Some(from), Some(to)) = names else { return Vec::new() };
            return vec![Step::CarryOver { name, from, to }];
        }
        let Some(name) = self.quoted() else { return Vec::new() };
        let to = self.plain().iter().find_map(|word| word.parse().ok());
        to.map(|to| Step::Slide { name, to }).into_iter().collect()
    }

    /// `the file "F" in the folder "D" into the folder "E"`, or `the windows "W" and "X" to the other display`.
    fn go_elsewhere(&mut self) -> Vec<Step> {
        if matches!(self.tokens, [_, Token::Word(file), ..] if file == "file") {
            let Some(((folder, name), to)) = self.file().zip(self.next_quoted()) else { return Vec::new() };
            return vec![Step::Path { path: format!("/{folder}"), entry: None }, Step::Carry { name, to }];
        }
        self.word("the");
        let _ = self.word("windows") || self.word("window");
        let titles = self.all_quoted();
        let other = self.words(&["to", "the", "other", "display"]);
        titles.into_iter().filter(|_| other).map(Step::OtherDisplay).collect()
    }

    fn menu(&mut self) -> Vec<Step> {
        let pair = self.quoted().zip(self.next_quoted());
        pair.map(|(item, menu)| Step::Item { menu, item }).into_iter().collect()
    }

    /// Whether `"A" with "B"` comes next, for any word in place of `with`.
    fn pair_follows(&self, with: &str) -> bool {
        matches!(self.tokens, [Token::Quoted(_), Token::Word(word), Token::Quoted(_), ..] if word == with)
    }

    /// `the folder "E" in the folder "D"`, to be made.
    fn folder(&mut self) -> Vec<Step> {
        let Some((name, folder)) = self.next_quoted().zip(self.next_quoted()) else { return Vec::new() };
        vec![
            Step::Path { path: format!("/{folder}"), entry: None },
            Step::PressAny(super::words::NEW_FOLDER),
            Step::Prompt(name),
        ]
    }

    fn type_text(&mut self) -> Vec<Step> {
        let shown = self.word("the");
        if shown && self.word("result") {
            let sum = self.task.steps.iter().rev().find_map(|step| match step {
                Step::Compute(sum) => super::steps::value_of(sum),
                _ => None,
            });
            return sum.map(|sum| Step::Type(sum.to_string())).into_iter().collect();
        }
        let Some(text) = self.quoted() else { return Vec::new() };
        if !shown || !self.word("that") {
            // Keys have said already where it goes.
            let there = matches!(self.task.steps.last(), Some(Step::Keys(_) | Step::Command(_)));
            return vec![if there { Step::TypeThere(text) } else { Step::Type(text) }];
        }
        self.quoted().map(|window| Step::TypeShown { label: text, window }).into_iter().collect()
    }

    fn copy(&mut self) -> Vec<Step> {
        use super::words::{COPY, EDIT, PASTE, SELECT_ALL};
        let Some((from, to)) = self.next_quoted().zip(self.next_quoted()) else { return Vec::new() };
        if let Some(all) = self.chord() {
            let mut next = || {
                self.word("and");
                let [Token::Word(keys), rest @ ..] = self.tokens else { return None };
                self.tokens = rest;
                Some(Step::Keys(keys.clone()))
            };
            let (copy, paste) = (next(), next());
            let there = [Some(Step::Front(from)), Some(Step::Keys(all)), copy, Some(Step::Front(to)), paste];
            return there.into_iter().flatten().collect();
        }
        vec![
            Step::Front(from),
            Step::Menu(EDIT, SELECT_ALL),
            Step::Menu(EDIT, COPY),
            Step::Front(to),
            Step::Menu(EDIT, PASTE),
        ]
    }

    fn compute(&mut self) -> Vec<Step> {
        let words = self.plain();
        let sum: String = words.iter().take_while(|w| *w != "with").map(String::as_str).collect();
        let typed: String = sum
            .chars()
            .map(|c| match c {
                '×' | 'x' => '*',
                '−' | '–' => '-',
                '÷' | ':' => '/',
                c => c,
            })
            .collect();
        let program = self.quoted().map(Step::Program);
        program.into_iter().chain([Step::Compute(typed)]).collect()
    }

    fn on_file(&mut self, then: impl FnOnce(&mut Self) -> Option<Vec<Step>>) -> Vec<Step> {
        let Some((folder, name)) = self.file() else { return Vec::new() };
        let Some(then) = then(self) else { return Vec::new() };
        let mut steps = vec![Step::Path { path: format!("/{folder}"), entry: None }, Step::Row(name)];
        steps.extend(then);
        steps
    }
}

#[cfg(test)]
mod tests;
