//! Nearest names, for messages about misspelt ones.

/// Up to three of `known` that are close to `given`, nearest first.
///
/// Close means: one contains the other, or at most a third of the letters differ. A look-alike is only ever
/// suggested, never taken for the name itself.
pub fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted: String = given.trim().chars().take(64).collect::<String>().to_lowercase();
    let mut close: Vec<(usize, &str)> = known
        .into_iter()
        .filter_map(|name| {
            let other = name.to_lowercase();
            let distance = strsim::osa_distance(&wanted, &other);
            let allowed = wanted.chars().count().max(other.chars().count()).div_ceil(3);
            let contains = wanted.len() >= 3 && (other.contains(&wanted) || wanted.contains(&other));
            (distance <= allowed || contains).then_some((distance, name))
        })
        .collect();
    close.sort();
    close.dedup();
    close.into_iter().take(3).map(|(_, name)| name).collect()
}

/// ` Did you mean 'a' or 'b'?`, or nothing.
pub fn suggestion<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let names = nearest(given, known);
    let quoted: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
    let (last, others) = quoted.split_last()?;
    Some(if others.is_empty() {
        format!("Did you mean {last}?")
    } else {
        format!("Did you mean {} or {last}?", others.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 5] = ["wp_query", "wp_users", "wc_get_orders", "wc_get_products", "db_query"];

    #[test]
    fn misspelt_and_partial_names_find_their_neighbours() {
        assert_eq!(nearest("wp_qeury", KNOWN), ["wp_query", "db_query"]);
        assert_eq!(nearest("orders", KNOWN), ["wc_get_orders"]);
        assert_eq!(nearest("Wp_Users ", KNOWN)[0], "wp_users");
        assert!(nearest("shell_exec", KNOWN).is_empty());
        assert!(nearest("", KNOWN).is_empty());
    }

    #[test]
    fn the_suggestion_reads_as_a_sentence() {
        assert_eq!(suggestion("file_wirte", ["file_write"]).as_deref(), Some("Did you mean 'file_write'?"));
        assert_eq!(suggestion("zzz", KNOWN), None);
    }
}
