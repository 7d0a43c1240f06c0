//! Plain texts of a coffee and kitchenware shop: titles, sentences, paragraphs, slugs.
//!
//! Templates hold slots in braces; a slot is filled from the list of its name. Filled words hold no slots.

use super::seed::Rng;

const BEANS: &[&str] = &[
    "Guji natural",
    "Huila washed",
    "Sidama lot 4",
    "Nyeri peaberry",
    "Antigua washed",
    "Cerrado pulped",
    "Aceh wet-hulled",
    "Tarrazú honey",
    "Kayanza bourbon",
    "Marcala organic",
    "Cajamarca decaf",
    "Lintong reserve",
    "house espresso",
    "winter blend",
    "Kochere heirloom",
    "Nariño washed",
];
const BREWERS: &[&str] = &[
    "pour-over dripper",
    "French press",
    "moka pot",
    "siphon",
    "cold brew jar",
    "AeroPress-style press",
    "espresso machine",
    "flannel filter",
    "percolator",
    "travel dripper",
];
const WARE: &[&str] = &[
    "chef's knife",
    "bread knife",
    "cutting board",
    "cast-iron pan",
    "carbon-steel wok",
    "gooseneck kettle",
    "hand grinder",
    "kitchen scale",
    "stoneware bowl",
    "copper saucepan",
    "whisk",
    "cake tin",
    "pepper mill",
    "mortar",
    "rolling pin",
    "enamel jug",
];
const WARES: &[&str] = &[
    "knives",
    "cutting boards",
    "cast-iron pans",
    "kettles",
    "hand grinders",
    "scales",
    "stoneware bowls",
    "saucepans",
    "cake tins",
    "pepper mills",
    "rolling pins",
    "tea towels",
    "mugs",
    "espresso cups",
    "jars",
    "filters",
];
const ADJECTIVES: &[&str] = &[
    "heavy",
    "quiet",
    "simple",
    "honest",
    "well-made",
    "slow",
    "sharp",
    "clean",
    "old",
    "small",
    "generous",
    "sturdy",
    "plain",
    "reliable",
    "light",
    "everyday",
];
const TASTES: &[&str] = &["sour", "flat", "bitter", "thin", "harsh", "muddy", "sharp", "dull"];
const NOTES: &[&str] = &[
    "plum and cocoa",
    "ripe peach",
    "toasted nuts",
    "black tea",
    "orange peel",
    "caramel",
    "fig",
    "rye bread",
];
const PEOPLE: &[&str] = &[
    "our roaster",
    "the baker next door",
    "a knife maker",
    "the team in the warehouse",
    "a potter from the coast",
    "our neighbours",
    "the barista",
    "a home cook",
    "the mill owner",
    "two students",
];
const PLACES: &[&str] = &[
    "the roastery",
    "a small foundry",
    "the harbour market",
    "a pottery in the dunes",
    "the workshop",
    "the test kitchen",
    "a mill on the river",
    "the old tram depot",
    "the cupping room",
    "a farm shop",
];
const TIMES: &[&str] = &[
    "six weeks",
    "a whole winter",
    "three long weekends",
    "ten days",
    "two months",
    "half a year",
    "one busy Saturday",
];
const SEASONS: &[&str] =
    &["Spring", "Summer", "Autumn", "Winter", "Weekend", "Holiday", "Sunday", "Rainy-day"];
const FOOD: &[&str] = &[
    "rye bread",
    "almond cake",
    "onion soup",
    "pancakes",
    "granola",
    "cinnamon buns",
    "braised leeks",
    "apple tart",
    "shakshuka",
    "oat biscuits",
    "potato gratin",
    "lemon curd",
    "pickled beetroot",
    "pea fritters",
];
const NUMBERS: &[&str] = &["two", "three", "four", "five", "seven", "eight", "nine", "twelve"];

const SENTENCES: &[&str] = &[
    "We tried {number} {wares} over {time} and kept the one that stayed {adjective}.",
    "A {adjective} {brewer} needs less water than most people think.",
    "Grind a little finer when the {bean} tastes {taste}.",
    "The trick that {person} showed us is to warm the {ware} before it meets anything hot.",
    "Nothing about {food} asks for special tools, but a {adjective} {ware} makes it a pleasure.",
    "In {place} they weigh everything twice, and after a morning there so did we.",
    "If the cup turns out {taste}, change one thing at a time and write it down.",
    "Most {wares} are ruined by the dishwasher, not by the cook.",
    "Let the {bean} rest for a week after roasting; it will thank you.",
    "We sell fewer {wares} than we did, and the ones we sell come back less often.",
    "For {food} we reach for the {ware} every single time.",
    "{Person} laughed when we asked, and then spent an hour explaining.",
    "It took {time} to get the {brewer} right, and the first cup was still {taste}.",
    "Rinse the paper, warm the server, and pour in {number} slow circles.",
    "A {ware} should feel {adjective} in the hand; the rest is decoration.",
    "Salt the water, lower the heat, and leave the {food} alone for a while.",
    "The handles come from {place}, the steel from further away.",
    "Keep {wares} dry, keep them apart, and they will outlive the kitchen.",
    "Readers ask us about {wares} more than about anything else.",
    "There are {number} reasons to choose a {brewer}, and speed is not one of them.",
    "Serve the {food} straight from the {ware} and nobody will miss a plate.",
    "The water matters more than the {brewer}: soft, fresh, and just off the boil.",
    "At {place} the {bean} is tasted blind, and it won twice.",
    "With softer water the {bean} tastes of {note}, with harder water of nothing much.",
    "You can hear when the {brewer} is done: the hiss turns {adjective}.",
    "None of this is new; {person} has worked this way for years.",
    "Buy one {adjective} {ware} instead of three that you will replace.",
    "After {time} of daily use the {ware} looks better than on the first day.",
    "Leftover {food} keeps for two days under a damp cloth.",
];

const TITLES: &[&str] = &[
    "How to clean {article_ware}",
    "{Bean} in the {brewer}: our notes",
    "{Number} ways to use {article_ware}",
    "Why we stopped selling cheap {wares}",
    "The {adjective} kitchen: {wares}",
    "{Season} recipes: {food}",
    "A morning at {place}",
    "What {person} taught us about {wares}",
    "{Food} from one {ware}",
    "Buying guide: {wares}",
    "Does {article_brewer} need a scale?",
    "{Season} menu: {food} and {bean}",
    "Testing {number} {wares}",
    "New in the shop: {bean}",
    "Letters from readers: {wares}",
    "{Time} with {article_brewer}",
    "Repair, don't replace: {wares}",
    "From {place}: {wares} and patience",
];

fn slot(rng: &mut Rng, name: &str) -> String {
    let lower = name.to_lowercase();
    let word = match lower.as_str() {
        "bean" => rng.word(BEANS).to_owned(),
        "brewer" => rng.word(BREWERS).to_owned(),
        "ware" => rng.word(WARE).to_owned(),
        "article_ware" => format!("a {}", rng.word(WARE)),
        "article_brewer" => format!("a {}", rng.word(BREWERS)),
        "wares" => rng.word(WARES).to_owned(),
        "adjective" => rng.word(ADJECTIVES).to_owned(),
        "taste" => rng.word(TASTES).to_owned(),
        "note" => rng.word(NOTES).to_owned(),
        "person" => rng.word(PEOPLE).to_owned(),
        "place" => rng.word(PLACES).to_owned(),
        "time" => rng.word(TIMES).to_owned(),
        "season" => rng.word(SEASONS).to_owned(),
        "food" => rng.word(FOOD).to_owned(),
        "number" => rng.word(NUMBERS).to_owned(),
        _ => String::new(),
    };
    if name.starts_with(char::is_uppercase) { capitalise(&word) } else { word }
}

/// Fills the slots of a template and puts "an" where a vowel follows.
pub(crate) fn fill(rng: &mut Rng, template: &str) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let (name, tail) = after.split_once('}').unwrap_or((after, ""));
        text.push_str(&slot(rng, name));
        rest = tail;
    }
    text.push_str(rest);
    articles(&text)
}

fn articles(text: &str) -> String {
    let words: Vec<&str> = text.split(' ').collect();
    let fixed: Vec<&str> = words
        .iter()
        .enumerate()
        .map(|(i, word)| {
            let vowel = words
                .get(i + 1)
                .is_some_and(|next| next.starts_with(['a', 'e', 'i', 'o', 'A', 'E', 'I', 'O']));
            match *word {
                "a" if vowel => "an",
                "A" if vowel => "An",
                other => other,
            }
        })
        .collect();
    fixed.join(" ")
}

/// Makes the first letter a capital.
pub(crate) fn capitalise(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|c| c.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// One sentence.
pub(crate) fn sentence(rng: &mut Rng) -> String {
    let template = rng.word(SENTENCES);
    fill(rng, template)
}

/// A paragraph of three to six sentences.
pub(crate) fn paragraph(rng: &mut Rng) -> String {
    let n = 3 + rng.below(4);
    (0..n).map(|_| sentence(rng)).collect::<Vec<_>>().join(" ")
}

/// A title for the magazine.
pub(crate) fn title(rng: &mut Rng) -> String {
    let template = rng.word(TITLES);
    capitalise(&fill(rng, template))
}

/// A slug as WordPress makes it: accents folded, other scripts percent-encoded in lower case.
pub(crate) fn slug(text: &str) -> String {
    let mut out = String::new();
    for c in text.replace("&amp;", "").to_lowercase().chars() {
        match c {
            'a'..='z' | '0'..='9' => out.push(c),
            'à' | 'á' | 'â' | 'ä' => out.push('a'),
            'è' | 'é' | 'ê' | 'ë' => out.push('e'),
            'ì' | 'í' | 'î' | 'ï' => out.push('i'),
            'ò' | 'ó' | 'ô' | 'ö' => out.push('o'),
            'ù' | 'ú' | 'û' | 'ü' => out.push('u'),
            'ç' => out.push('c'),
            'ñ' => out.push('n'),
            '\'' | '’' | '“' | '”' | ',' | '.' | '!' | '?' | ':' | '(' | ')' => {}
            c if c.is_ascii() => out.push('-'),
            '–' | '—' => out.push('-'),
            c => {
                let mut bytes = [0; 4];
                for byte in c.encode_utf8(&mut bytes).bytes() {
                    out.push_str(&format!("%{byte:02x}"));
                }
            }
        }
    }
    out.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}

/// A paragraph block of the block editor.
pub(crate) fn block(text: &str) -> String {
    format!("<!-- wp:paragraph -->\n<p>{text}</p>\n<!-- /wp:paragraph -->")
}

/// A heading block of the block editor.
pub(crate) fn heading(text: &str) -> String {
    format!("<!-- wp:heading -->\n<h2 class=\"wp-block-heading\">{text}</h2>\n<!-- /wp:heading -->")
}

/// A list block of the block editor.
pub(crate) fn list(items: &[String]) -> String {
    let items: String = items
        .iter()
        .map(|i| format!("<!-- wp:list-item -->\n<li>{i}</li>\n<!-- /wp:list-item -->"))
        .collect();
    format!("<!-- wp:list -->\n<ul class=\"wp-block-list\">{items}</ul>\n<!-- /wp:list -->")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_slot_has_a_list() {
        let mut rng = Rng::stream(3, "words");
        for template in SENTENCES.iter().chain(TITLES) {
            let text = fill(&mut rng, template);
            assert!(!text.contains(['{', '}']), "{template} → {text}");
            assert!(!text.contains("  ") && !text.ends_with(' '), "an empty slot: {template} → {text}");
        }
    }

    #[test]
    fn articles_follow_the_sound() {
        assert_eq!(articles("a enamel jug and a old pan. A apple"), "an enamel jug and an old pan. An apple");
        assert_eq!(articles("a pan"), "a pan");
    }

    #[test]
    fn slugs_are_those_of_wordpress() {
        assert_eq!(slug("Crème brûlée &amp; other torches"), "creme-brulee-other-torches");
        assert_eq!(slug("Don't: a chef's knife, 250 g"), "dont-a-chefs-knife-250-g");
        assert_eq!(slug("コーヒー"), "%e3%82%b3%e3%83%bc%e3%83%92%e3%83%bc");
        assert_eq!(slug("Two – or three"), "two-or-three");
    }
}
