//! Countries, continents and postcodes, as WooCommerce matches them.
//!
//! Facts: `i18n/continents.php`, `WC_Countries::get_european_union_countries()`, `wc_normalize_postcode()`,
//! `wc_make_numeric_postcode()` and `wc_postcode_location_matcher()`.

/// Continent → its countries.
const CONTINENTS: [(&str, &str); 7] = [
    (
        "AF",
        "AO BF BI BJ BW CD CF CG CI CM CV DJ DZ EG EH ER ET GA GH GM GN GQ GW KE KM LR LS LY MA MG ML MR MU MW MZ \
            NA NE NG RE RW SC SD SH SL SN SO SS ST SZ TD TG TN TZ UG YT ZA ZM ZW",
    ),
    ("AN", "AQ BV GS HM TF"),
    (
        "AS",
        "AE AF AM AZ BD BH BN BT CC CN CX CY GE HK ID IL IN IO IQ IR JO JP KG KH KP KR KW KZ LA LB LK MM MN MO MV \
            MY NP OM PH PK PS QA SA SG SY TH TJ TL TM TR TW UZ VN YE",
    ),
    (
        "EU",
        "AD AL AT AX BA BE BG BY CH CY CZ DE DK EE ES FI FO FR GB GG GI GR HR HU IE IM IS IT JE LI LT LU LV MC MD \
            ME MK MT NL NO PL PT RO RS RU SE SI SJ SK SM TR UA VA XK",
    ),
    (
        "NA",
        "AG AI AW BB BL BM BQ BS BZ CA CR CU CW DM DO GD GL GP GT HN HT JM KN KY LC MF MQ MS MX NI PA PM PR SV SX \
            TC TT US VC VG VI",
    ),
    ("OC", "AS AU CK FJ FM GU KI MH MP NC NF NR NU NZ PF PG PN PW SB TK TO TV UM VU WF WS"),
    ("SA", "AR BO BR CL CO EC FK GF GY PE PY SR UY VE"),
];

/// The countries of the European Union.
pub(crate) const EUROPEAN_UNION: [&str; 27] = [
    "AT", "BE", "BG", "CY", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GR", "HR", "HU", "IE", "IT", "LT",
    "LU", "LV", "MT", "NL", "PL", "PT", "RO", "SE", "SI", "SK",
];

/// Whether a country lies on a continent; a few lie on two.
pub(crate) fn is_on(country: &str, continent: &str) -> bool {
    CONTINENTS
        .iter()
        .filter(|(code, _)| *code == continent)
        .any(|(_, countries)| countries.split_ascii_whitespace().any(|code| code == country))
}

/// Whether a postcode is one of those that a rule means: itself, with `*` for any end, or `from...to`.
pub(crate) fn postcode_matches(postcode: &str, rule: &str) -> bool {
    let postcode = normalised(postcode);
    let rule = rule.trim().to_ascii_uppercase();
    if let Some((from, to)) = rule.split_once("...") {
        let (from, to) = (normalised(from), normalised(to));
        let (Some(code), Some(low), Some(high)) = (numeric(&postcode), numeric(&from), numeric(&to)) else {
            return false;
        };
        return low <= code && code <= high;
    }
    match rule.split_once('*') {
        Some((start, _)) => postcode.starts_with(&normalised(start)),
        None => postcode == normalised(&rule),
    }
}

fn normalised(postcode: &str) -> String {
    postcode.chars().filter(|c| !c.is_whitespace() && *c != '-').collect::<String>().to_ascii_uppercase()
}

/// The postcode as a number, with two digits for each letter.
fn numeric(postcode: &str) -> Option<u128> {
    let mut digits = String::new();
    for c in postcode.chars().take(18) {
        if c.is_ascii_alphabetic() {
            digits.push_str(&format!("{:02}", u32::from(c.to_ascii_uppercase()) - u32::from('A') + 1));
        } else if c.is_ascii_digit() {
            digits.push(c);
        } else {
            return None;
        }
    }
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn postcodes_match_as_in_the_shop() {
        for (postcode, rule, expected) in [
            ("24103", "24103", true),
            ("24103", "24104", false),
            ("24103", "24*", true),
            ("24103", "25*", false),
            ("24103", "24000...24999", true),
            ("23999", "24000...24999", false),
            ("ab1 2cd", "AB1*", true),
            ("AB1 2CD", "ab12cd", true),
            ("M5V", "M1A...M9Z", true),
            ("N1A", "M1A...M9Z", false),
            ("é", "M1A...M9Z", false),
        ] {
            assert_eq!(postcode_matches(postcode, rule), expected, "{postcode} {rule}");
        }
    }

    #[test]
    fn countries_lie_where_woocommerce_has_them() {
        assert!(is_on("DE", "EU") && is_on("US", "NA") && is_on("TR", "AS") && is_on("TR", "EU"));
        assert!(!is_on("US", "EU") && !is_on("XX", "EU"));
        assert!(EUROPEAN_UNION.iter().all(|country| is_on(country, "EU")));
    }
}
