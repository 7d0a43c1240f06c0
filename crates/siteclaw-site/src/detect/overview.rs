//! The platforms for `project_info`: every detector is asked about the folder itself.

use siteclaw_tools::project_info::{Mark, Platform, Platforms};
use siteclaw_tools::root::Root;

use super::DETECTORS;
use super::evidence::Evidence;
use super::folder::Folder;

/// Recognises the eight platforms in a folder, by its files alone and without looking around it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Detectors;

impl Platforms for Detectors {
    fn examine(&self, folder: &Root) -> Vec<Platform> {
        let folder = Folder::of(folder.clone());
        let mut found: Vec<Evidence> = DETECTORS
            .iter()
            .map(|detector| (detector.examine)(&folder))
            .filter(|evidence| evidence.score > 0)
            .collect();
        // The order of the detectors decides between equals.
        found.sort_by_key(|evidence| std::cmp::Reverse(evidence.score));
        found.into_iter().map(shown).collect()
    }
}

fn shown(evidence: Evidence) -> Platform {
    let marks = evidence.markers.into_iter().map(|marker| Mark {
        path: marker.path,
        weight: marker.weight,
        meaning: marker.meaning.to_owned(),
    });
    Platform {
        platform: evidence.platform.as_str().to_owned(),
        score: evidence.score,
        version: evidence.version,
        version_source: evidence.version_source,
        edition: evidence.edition,
        evidence: marks.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_with_the_marks_of_two_platforms_names_both_the_best_first() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let examine = || Detectors.examine(&Root::open(folder.path()).unwrap());
        assert_eq!(examine(), []);
        write("wp-includes/version.php", "<?php $wp_version = '7.1';");
        write("wp-load.php", "<?php");
        write("wp-settings.php", "<?php");
        write("artisan", "#!/usr/bin/env php");
        let found = examine();
        assert_eq!((found[0].platform.as_str(), found[0].version.as_deref()), ("wordpress", Some("7.1")));
        assert!(found[0].score >= 60 && found[0].evidence.iter().any(|mark| mark.path == "wp-load.php"));
        let other = found.iter().find(|platform| platform.platform == "laravel").unwrap();
        assert!(other.score < found[0].score, "{found:?}");
    }
}
