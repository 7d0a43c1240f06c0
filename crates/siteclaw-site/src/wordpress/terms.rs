//! Terms by their slugs: categories, tags and what plugins call so.

use std::collections::BTreeMap;

use siteclaw_core::ToolError;
use siteclaw_db::Statement;

use super::site::Snapshot;

/// The `term_taxonomy_id`s of a slug, with those of all terms beneath it where `descendants` are wanted.
///
/// Slugs of other scripts are stored percent-encoded in lower case, so both spellings are compared.
pub(crate) async fn terms_of(
    snapshot: &Snapshot,
    taxonomy: &str,
    slug: &str,
    descendants: bool,
) -> Result<Vec<i64>, ToolError> {
    let statement = Statement::new(
        "SELECT tt.term_taxonomy_id, tt.term_id, tt.parent, t.slug FROM {term_taxonomy} tt \
         JOIN {terms} t ON t.term_id = tt.term_id WHERE tt.taxonomy = ? ORDER BY tt.term_taxonomy_id",
    )
    .bind(taxonomy);
    let encoded = percent_encoded(slug);
    let mut found = Vec::new();
    let mut children: BTreeMap<i64, Vec<(i64, i64)>> = BTreeMap::new();
    for row in snapshot.rows(&statement).await?.iter() {
        let (relation, term) = (row.i64("term_taxonomy_id")?, row.i64("term_id")?);
        let stored = row.text("slug")?;
        if stored.eq_ignore_ascii_case(slug) || stored.eq_ignore_ascii_case(&encoded) {
            found.push((relation, term));
        }
        children.entry(row.i64("parent")?).or_default().push((relation, term));
    }
    let mut relations = Vec::new();
    let mut open = found;
    while let Some((relation, term)) = open.pop() {
        // A cycle of parents would otherwise not end.
        if relations.contains(&relation) {
            continue;
        }
        relations.push(relation);
        if descendants && term != 0 {
            open.extend(children.get(&term).into_iter().flatten().copied());
        }
    }
    relations.sort_unstable();
    Ok(relations)
}

/// The slug with every byte outside ASCII as `%xx` in lower case, as `sanitize_title()` stores it.
fn percent_encoded(slug: &str) -> String {
    let mut out = String::new();
    for byte in slug.bytes() {
        if byte.is_ascii() {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02x}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_of_other_scripts_are_encoded_as_stored() {
        assert_eq!(percent_encoded("новости"), "%d0%bd%d0%be%d0%b2%d0%be%d1%81%d1%82%d0%b8");
        assert_eq!(percent_encoded("news-1"), "news-1");
    }
}
