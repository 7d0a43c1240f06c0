//! What kind of thing a message wants: to look, to change something, or a figure worked out.

use super::vocabulary::is_change;
use super::words::{Reading, singular};

/// Verbs of changing that are names of things too.
const NOUNS_TOO: &[&str] = &[
    "email",
    "mail",
    "copy",
    "backup",
    "export",
    "import",
    "discount",
    "feature",
    "update",
    "upgrade",
    "change",
    "charge",
    "download",
    "upload",
    "reply",
    "answer",
    "block",
    "mark",
    "move",
    "flag",
    "pin",
    "ban",
    "schedule",
    "trash",
    "lock",
    "switch",
    "duplicate",
    "clone",
    "refund",
];

/// Words after a noun that is no verb: `email of user 5`, `change log`.
const AFTER_NOUNS: &[&str] = &[
    "of",
    "in",
    "for",
    "from",
    "list",
    "lists",
    "log",
    "logs",
    "history",
    "address",
    "addresses",
    "date",
    "dates",
    "settings",
    "setting",
    "on",
    "by",
    "is",
    "are",
    "available",
    "needed",
    "rate",
    "code",
    "codes",
];

/// Verbs of changing that say of what kind things are before their plural: `duplicate products`.
const KINDS_TOO: &[&str] = &["duplicate", "empty", "clean", "lower", "discount", "close", "feature"];

/// Words before a command that ask nicely.
const POLITE: &[&str] = &[
    "please", "can", "could", "would", "will", "you", "u", "just", "now", "then", "and", "also", "hey", "hi",
    "hello", "ok", "okay", "so", "kindly", "i", "we", "want", "need", "like", "to", "let", "lets", "let's",
    "us", "me", "help", "go", "must", "should", "try", "i'd", "i'll", "shall", "may",
];

/// Figures that come from arithmetic over rows, with what has to be worked out.
const MEASURES: &[(&str, Measure)] = &[
    ("revenue", Measure::Money),
    ("turnover", Measure::Money),
    ("earning", Measure::Money),
    ("income", Measure::Money),
    ("proceeds", Measure::Money),
    ("average", Measure::Average),
    ("avg", Measure::Average),
    ("mean", Measure::Average),
    ("sum", Measure::Sum),
    ("profit", Measure::Unknown),
    ("margin", Measure::Unknown),
    ("median", Measure::Unknown),
    ("percentage", Measure::Unknown),
    ("percent", Measure::Unknown),
    ("share", Measure::Unknown),
    ("ratio", Measure::Unknown),
    ("conversion", Measure::Unknown),
    ("growth", Measure::Unknown),
    ("trend", Measure::Unknown),
    ("forecast", Measure::Unknown),
    ("tax", Measure::Unknown),
    ("taxes", Measure::Unknown),
    ("vat", Measure::Unknown),
    ("fee", Measure::Unknown),
    ("cost", Measure::Unknown),
];

/// What has to be worked out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measure {
    /// What was taken in: a sum over orders, whichever tool has them.
    Money,
    /// A sum over the rows that the message names.
    Sum,
    /// An average over the rows that the message names.
    Average,
    /// Something that sums and averages of rows do not give.
    Unknown,
}

/// What a message wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Request {
    /// To see what is there.
    Look,
    /// To change something: the verb, and the place where it stands.
    Change(String, usize),
    /// To be told how something is changed: the verb.
    HowTo(String),
    /// A figure: the words that ask for it, and their places.
    Figure(Measure, Vec<usize>),
}

/// Reads what a message wants.
pub(super) fn request(reading: &Reading) -> Request {
    if let Some(verb) = how_to(reading) {
        return Request::HowTo(verb);
    }
    if let Some((verb, place)) = change(reading) {
        return Request::Change(verb, place);
    }
    figure(reading).map_or(Request::Look, |(measure, places)| Request::Figure(measure, places))
}

fn how_to(reading: &Reading) -> Option<String> {
    let asks = reading.at(0) == "how" && matches!(reading.at(1), "do" | "can" | "to" | "should" | "would");
    if !asks {
        return None;
    }
    (1..reading.words.len().min(6))
        .map(|place| reading.at(place))
        .find(|word| is_change(word))
        .map(str::to_owned)
}

/// A verb of changing where a command has it: at the beginning of a clause, after words of asking.
fn change(reading: &Reading) -> Option<(String, usize)> {
    let mut opens = true;
    for place in 0..reading.words.len() {
        let word = reading.words.get(place)?;
        let lower = reading.at(place);
        let starts_again = place > 0
            && (matches!(lower, "and" | "then")
                || reading.words.get(place - 1).is_some_and(|word| word.ends));
        if starts_again {
            opens = true;
        }
        // Other languages have their verbs at other places.
        let commands = is_change(lower) && (word.foreign || opens && is_verb(reading, place));
        if commands {
            return Some((lower.to_owned(), place));
        }
        if opens && !POLITE.contains(&lower) {
            opens = false;
        }
    }
    None
}

/// Whether a word that may be something else too is the verb.
fn is_verb(reading: &Reading, place: usize) -> bool {
    let (verb, next) = (reading.at(place), reading.at(place + 1));
    let noun = NOUNS_TOO.contains(&verb) && (next.is_empty() || AFTER_NOUNS.contains(&next));
    let kind = KINDS_TOO.contains(&verb) && next.ends_with('s');
    !noun && !kind
}

fn figure(reading: &Reading) -> Option<(Measure, Vec<usize>)> {
    if let Some((measure, places)) = money(reading) {
        return Some((measure, places));
    }
    let mut found: Option<(Measure, Vec<usize>)> = None;
    for place in 0..reading.words.len() {
        let word = reading.at(place);
        // `on sale` and `for sale` are no figures, nor are sales that are to be listed.
        let listed =
            matches!(reading.before(place), "last" | "latest" | "recent" | "newest" | "list" | "of" | "new");
        let sales = word == "sales" && !listed && reading.at(0) != "list";
        let name = if sales { "revenue" } else { word };
        // `that cost more than 20`
        let verb =
            word == "cost" && matches!(reading.before(place), "that" | "which" | "they" | "it" | "products");
        let named = MEASURES.iter().filter(|_| !verb).find(|(own, _)| *own == name || *own == singular(name));
        let total = || {
            let next = reading.at(place + 1);
            (word == "total" && matches!(next, "value" | "amount" | "worth" | "sum"))
                || (word == "worth" && !reading.before(place).is_empty())
        };
        let measure = match named {
            Some((_, measure)) => *measure,
            None if total() => Measure::Sum,
            None => continue,
        };
        let places = if named.is_none() && word == "total" { vec![place, place + 1] } else { vec![place] };
        match &mut found {
            // `average revenue`: what is harder to work out decides.
            Some((first, all)) => {
                all.extend(places);
                if measure != Measure::Money {
                    *first = measure;
                }
            }
            None => found = Some((measure, places)),
        }
    }
    if let Some((_, places)) = &mut found {
        // `average order value`, `mean price`: the value is what is averaged.
        for place in 0..reading.words.len() {
            if matches!(reading.at(place), "value" | "size" | "amount") && !places.contains(&place) {
                places.push(place);
            }
        }
    }
    found
}

/// `how much did we sell`, `how much money did we make`, `what did we earn`.
fn money(reading: &Reading) -> Option<(Measure, Vec<usize>)> {
    let asked = reading
        .find(&["how", "much"], 0)
        .map(|place| (place, 2))
        .or_else(|| (reading.at(0) == "what" && reading.at(1) == "did").then_some((0, 1)))?;
    let verb = (asked.0..reading.words.len()).find(|&place| {
        matches!(
            reading.at(place),
            "sell"
                | "sold"
                | "earn"
                | "earned"
                | "make"
                | "made"
                | "take"
                | "took"
                | "turn"
                | "money"
                | "sale"
                | "sales"
        )
    })?;
    // `how much did copper pans sell` is about one product.
    let plain = (asked.0 + asked.1..verb).all(|place| {
        matches!(
            reading.at(place),
            "did" | "do" | "we" | "i" | "have" | "money" | "was" | "were" | "is" | "has"
        )
    });
    if !plain || (asked.1 == 1 && matches!(reading.at(verb), "take" | "took" | "turn")) {
        return None;
    }
    let mut places: Vec<usize> = (asked.0..asked.0 + asked.1).collect();
    places.extend((asked.0 + asked.1..reading.words.len()).filter(|&place| {
        matches!(
            reading.at(place),
            "sell"
                | "sold"
                | "earn"
                | "earned"
                | "make"
                | "made"
                | "money"
                | "take"
                | "took"
                | "sale"
                | "sales"
        )
    }));
    Some((Measure::Money, places))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(message: &str) -> Request {
        request(&Reading::of(message))
    }

    #[test]
    fn commands_that_change_something_are_told_from_questions() {
        let changes = [
            ("delete order 5", "delete"),
            ("please publish the draft", "publish"),
            ("Can you change the price of mug to 5?", "change"),
            ("I want to cancel my last order", "cancel"),
            ("find the spam and delete it", "delete"),
            ("update all plugins", "update"),
            ("refund order 700", "refund"),
            ("empty the trash", "empty"),
            ("clear cache", "clear"),
            ("email anna about her order", "email"),
            ("set stock of 44 to 10", "set"),
            ("mark order 812 as completed", "mark"),
            ("hi, could you please add a user", "add"),
            ("TRUNCATE wp_posts", "truncate"),
        ];
        for (message, verb) in changes {
            assert!(
                matches!(of(message), Request::Change(found, _) if found == verb),
                "{message}: {:?}",
                of(message)
            );
        }
        let looks = [
            "published posts",
            "complete orders",
            "which comments do I need to approve?",
            "orders to ship",
            "plugins that need an update",
            "email of user 5",
            "email addresses of customers",
            "change log",
            "refunds of last week",
            "refund for order 5",
            "deleted posts",
            "show drafts and pending posts",
            "what was cancelled yesterday",
            "updates available?",
            "duplicate products",
        ];
        for message in looks {
            assert_eq!(of(message), Request::Look, "{message}");
        }
        assert_eq!(of("how do I add a product"), Request::HowTo("add".to_owned()));
        assert_eq!(of("how many orders did we cancel"), Request::Look);
    }

    #[test]
    fn figures_are_told_from_lists() {
        let figures = [
            ("revenue this month", Measure::Money, vec![0]),
            ("how much did we sell last week", Measure::Money, vec![0, 1, 4]),
            ("how much money did we make yesterday", Measure::Money, vec![0, 1, 2, 5]),
            ("total sales 2025", Measure::Money, vec![1]),
            ("sales today", Measure::Money, vec![0]),
            ("average order value in October", Measure::Average, vec![0, 2]),
            ("average revenue", Measure::Average, vec![0, 1]),
            ("sum of all orders", Measure::Sum, vec![0]),
            ("total value of stock", Measure::Sum, vec![0, 1]),
            ("profit last month", Measure::Unknown, vec![0]),
        ];
        for (message, measure, places) in figures {
            assert_eq!(of(message), Request::Figure(measure, places), "{message}");
        }
        for message in [
            "how much stock do we have",
            "total orders",
            "how much did copper pans sell",
            "orders over 100",
            "list sales",
            "latest sales",
            "products on sale",
        ] {
            assert_eq!(of(message), Request::Look, "{message}");
        }
    }
}
