//! Invented people: names, addresses, mail addresses and network addresses that nobody has.
//!
//! Mail lives under the reserved domains of RFC 2606, network addresses in the documentation ranges of RFC
//! 5737 and RFC 3849.

use super::{seed::Rng, words::slug};

const FIRST: &[&str] = &[
    "Marit", "Joris", "Noor", "Bram", "Femke", "Daan", "Sanne", "Ruben", "Lotte", "Timo", "Anouk", "Sem",
    "Fleur", "Gijs", "Yara", "Milan", "Esmée", "Koen", "Iris", "Wout", "Hanna", "Jonas", "Clara", "Felix",
    "Amélie", "Luc", "Inès", "Théo", "Priya", "Samir", "Leila", "Omar", "Aisha", "Mateo", "Zoë", "Björn",
    "Astrid", "Tomasz", "Ewa", "Nadia", "Owen", "Ruth",
];
const LAST: &[&str] = &[
    "de Wit",
    "van Loon",
    "Hoekstra",
    "Bakker",
    "Verbeke",
    "Janssens",
    "Kuiper",
    "Meijer",
    "Lindeman",
    "Postma",
    "Vos",
    "Dekker",
    "Peeters",
    "Claes",
    "Brandt",
    "Keller",
    "Schreiber",
    "Moreau",
    "Lefèvre",
    "Okafor",
    "Haddad",
    "Costa",
    "Nowak",
    "Lindqvist",
    "Ferreira",
    "Sharma",
    "Tan",
    "O'Dell",
    "Whitby",
    "Marsh",
    "Zeeman",
    "Ruiter",
    "Koster",
    "Blom",
];
const STREETS: &[&str] = &[
    "Molenwerf",
    "Koperslagerspad",
    "Zoutsteeg",
    "Havenrak",
    "Lijnbaanhof",
    "Tramkade",
    "Korenlaan",
    "Vuurtorenweg",
    "Boomgaarddreef",
    "Pottenbakkersgang",
    "Ketelstraat",
    "Oude Sluis",
    "Theehof",
    "Meelfabriek",
];
const COMPANIES: &[&str] =
    &["Studio Havik", "Bakkerij Noord", "Kantoor aan de Kade BV", "Atelier Linde", "De Kleine Keuken"];
const DOMAINS: &[&str] = &["example.org", "example.com", "example.net", "mail.example"];

/// A person with a postal address.
#[derive(Debug, Clone, Default)]
pub(crate) struct Person {
    pub(crate) first: &'static str,
    pub(crate) last: &'static str,
    pub(crate) company: &'static str,
    pub(crate) street: String,
    pub(crate) city: &'static str,
    pub(crate) state: &'static str,
    pub(crate) postcode: String,
    /// Two letters.
    pub(crate) country: &'static str,
    pub(crate) phone: String,
    pub(crate) email: String,
}

impl Person {
    /// First and last name.
    pub(crate) fn name(&self) -> String {
        format!("{} {}", self.first, self.last)
    }
}

/// Invents people and sees that no two share a mail address.
#[derive(Debug)]
pub(crate) struct People {
    rng: Rng,
    count: i64,
}

impl People {
    /// Starts with the stream `people` of `seed`.
    pub(crate) fn new(seed: u64) -> Self {
        People { rng: Rng::stream(seed, "people"), count: 0 }
    }

    /// Invents a person in one of the countries the shop sells to, but not in the United Kingdom.
    pub(crate) fn next(&mut self) -> Person {
        let country = self
            .rng
            .weighted(&[(60, "NL"), (15, "BE"), (14, "DE"), (6, "FR"), (2, "CH"), (3, "US")])
            .unwrap_or("NL");
        self.in_country(country)
    }

    /// Invents a person in `country`.
    pub(crate) fn in_country(&mut self, country: &'static str) -> Person {
        self.count += 1;
        let rng = &mut self.rng;
        let (first, last) = (rng.word(FIRST), rng.word(LAST));
        let cities: &[&'static str] = match country {
            "BE" => &["Gent", "Antwerpen", "Leuven", "Brugge"],
            "DE" => &["Köln", "Münster", "Hamburg", "Aachen"],
            "FR" => &["Lille", "Lyon", "Nantes"],
            "GB" => &["Leeds", "Bristol", "Norwich"],
            "CH" => &["Basel", "Bern"],
            "US" => &["Portland", "Oakland"],
            _ => {
                &["Amsterdam", "Utrecht", "Rotterdam", "Groningen", "Haarlem", "Zwolle", "Delft", "Nijmegen"]
            }
        };
        let city = rng.word(cities);
        let postcode = match country {
            "NL" => format!("{} {}", rng.range(1011, 9999), rng.text("ABCDEGHJKLNPRTVWXZ", 2)),
            "GB" => {
                format!("{} {}{}", rng.word(&["LS1", "BS3", "NR2"]), rng.range(1, 9), rng.text("ABDEFGHJ", 2))
            }
            "BE" | "CH" => rng.range(1000, 9990).to_string(),
            _ => format!("{:05}", rng.range(10_000, 98_999)),
        };
        let dial = match country {
            "BE" => "+32 2",
            "DE" => "+49 30",
            "FR" => "+33 1",
            "GB" => "+44 20",
            "CH" => "+41 44",
            "US" => "+1 202",
            _ => "+31 20",
        };
        let email =
            format!("{}.{}{}@{}", slug(first), slug(last).replace('-', ""), self.count, rng.word(DOMAINS));
        Person {
            first,
            last,
            company: if rng.chance(12) { rng.word(COMPANIES) } else { "" },
            street: format!("{} {}", rng.word(STREETS), rng.range(1, 240)),
            city,
            state: match (country, city) {
                ("US", "Portland") => "OR",
                ("US", _) => "CA",
                _ => "",
            },
            postcode,
            country,
            phone: format!("{dial} 555 {:04}", rng.range(100, 9999)),
            email,
        }
    }
}

/// A network address that is for documentation only.
pub(crate) fn address(rng: &mut Rng) -> String {
    match rng.below(10) {
        0 => format!("2001:db8:{}:{}::{}", rng.hex(4), rng.hex(4), rng.hex(4)),
        1..=3 => format!("192.0.2.{}", rng.range(1, 254)),
        4..=6 => format!("198.51.100.{}", rng.range(1, 254)),
        _ => format!("203.0.113.{}", rng.range(1, 254)),
    }
}

/// A browser's name for itself.
pub(crate) fn browser(rng: &mut Rng) -> String {
    let version = rng.range(128, 142);
    match rng.below(4) {
        0 => format!("Mozilla/5.0 (X11; Linux x86_64; rv:{version}.0) Gecko/20100101 Firefox/{version}.0"),
        1 => format!(
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) \
             Chrome/{version}.0.0.0 Safari/537.36"
        ),
        2 => "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like \
         Gecko) Version/18.5 Mobile/15E148 Safari/604.1"
            .to_owned(),
        _ => format!(
            "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{version}.0.0.0 \
             Mobile Safari/537.36"
        ),
    }
}
