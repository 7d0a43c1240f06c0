//! The folder of uploads and its address, as `_wp_upload_dir()` finds them.

use std::path::{Path, PathBuf};

use super::options::Options;
use super::settings::Settings;

/// Options that say where uploads are.
pub(crate) const OPTIONS: [&str; 3] = ["upload_path", "upload_url_path", "siteurl"];
/// What old versions stored where they meant the usual place.
const USUAL: &str = "wp-content/uploads";

/// Where uploads are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Uploads {
    /// The folder, absolute.
    pub(crate) folder: PathBuf,
    /// Its address, without a slash at the end.
    pub(crate) url: String,
}

impl Uploads {
    /// Works the place out; read [`OPTIONS`] for it. Without a database the usual place is taken.
    pub(crate) fn of(settings: &Settings, options: &Options) -> Self {
        let siteurl = settings.siteurl.as_deref().unwrap_or_else(|| options.text("siteurl"));
        let siteurl = siteurl.trim_end_matches('/');
        let content_url =
            settings.facts.text("WP_CONTENT_URL").unwrap_or_else(|| format!("{siteurl}/wp-content"));
        let stored = options.text("upload_path").trim();
        let (mut folder, mut url) = if let Some(constant) = settings.facts.text("UPLOADS") {
            (settings.core.join(&constant), format!("{siteurl}/{}", constant.trim_matches('/')))
        } else if stored.is_empty() || stored == USUAL {
            (settings.content.join("uploads"), format!("{}/uploads", content_url.trim_end_matches('/')))
        } else {
            // An absolute path replaces the folder it is joined to.
            let relative = Path::new(stored).strip_prefix(&settings.core).unwrap_or(Path::new(stored));
            (
                settings.core.join(stored),
                format!("{siteurl}/{}", relative.to_string_lossy().trim_matches('/')),
            )
        };
        let address = options.text("upload_url_path").trim();
        if !address.is_empty() && settings.facts.text("UPLOADS").is_none() {
            url = address.trim_end_matches('/').to_owned();
        }
        let main = settings.facts.number("BLOG_ID_CURRENT_SITE").unwrap_or(1);
        if settings.multisite && i64::try_from(settings.blog).is_ok_and(|blog| blog != main) {
            folder.push(format!("sites/{}", settings.blog));
            url.push_str(&format!("/sites/{}", settings.blog));
        }
        Self { folder, url }
    }
}
