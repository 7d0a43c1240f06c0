//! The media library: pictures, a few other files, and entries whose file is gone.

use super::{
    clock::DAY,
    png,
    seed::Rng,
    serialize::{Key, Php, assoc},
    world::{Post, URL, World},
};

/// Pictures of products.
pub(crate) const PRODUCT_PICTURES: usize = 36;
/// Pictures of the magazine.
pub(crate) const MAGAZINE_PICTURES: usize = 40;
/// Pictures whose file is gone.
pub(crate) const MISSING_FILES: usize = 9;
/// Pictures without an alternative text.
pub(crate) const WITHOUT_ALT: usize = 18;
/// Printed guides, as PDF.
pub(crate) const GUIDES: usize = 6;

const SUBJECTS: &[&str] = &[
    "kettle on the stove",
    "hands on a rolling pin",
    "beans in the cooling tray",
    "a row of cups",
    "steam over a pan",
    "the shop window",
    "knife on a wet stone",
    "bread under a cloth",
    "coffee on the windowsill",
    "a shelf of jars",
    "copper before polishing",
    "the cupping table",
    "flour and scale",
    "the yard in winter",
];

/// What other parts need of the library.
#[derive(Debug, Default)]
pub(crate) struct Media {
    pub(crate) products: Vec<i64>,
    /// Id and address.
    pub(crate) magazine: Vec<(i64, String)>,
    /// Addresses of the guides.
    pub(crate) guides: Vec<String>,
    pub(crate) placeholder: i64,
    pub(crate) logo: i64,
}

struct Picture<'a> {
    stem: String,
    title: String,
    alt: Option<&'a str>,
    size: (u32, u32),
    missing: bool,
    at: i64,
    author: i64,
}

/// Fills the library.
pub(crate) fn add(world: &mut World, staff: &[i64]) -> Media {
    let mut rng = world.rng("media");
    let end = world.clock.end();
    let mut media = Media::default();
    let pictures = PRODUCT_PICTURES + MAGAZINE_PICTURES;
    let mut order: Vec<usize> = (0..pictures).collect();
    rng.shuffle(&mut order);
    let missing: Vec<usize> = order.iter().copied().take(MISSING_FILES).collect();
    let no_alt: Vec<usize> = order.iter().copied().skip(MISSING_FILES / 2).take(WITHOUT_ALT).collect();
    for i in 0..pictures {
        let of_product = i < PRODUCT_PICTURES;
        let subject = if of_product { "product on white" } else { rng.word(SUBJECTS) };
        let size = match (of_product, i % 20) {
            (true, _) => (800, 800),
            // Straight from a camera: what an audit of large pictures should find.
            (false, 0) => (3600, 2400),
            (false, n) if n % 3 == 0 => (900, 1200),
            _ => (1200, 800),
        };
        let picture = Picture {
            stem: format!("{}-{}", super::words::slug(subject), i + 1),
            title: super::words::capitalise(subject),
            // An empty alternative text and none at all both occur.
            alt: if no_alt.contains(&i) { (i % 4 == 0).then_some("") } else { Some(subject) },
            size,
            missing: missing.contains(&i),
            at: end - rng.range(3, 780) * DAY - rng.range(0, DAY),
            author: rng.pick(staff).copied().unwrap_or(1),
        };
        let (id, url) = add_picture(world, &mut rng, &picture);
        if of_product {
            media.products.push(id);
        } else {
            media.magazine.push((id, url));
        }
    }
    for stem in ["woocommerce-placeholder", "copper-crema-logo"] {
        let square = stem == "woocommerce-placeholder";
        let picture = Picture {
            stem: stem.to_owned(),
            title: stem.to_owned(),
            alt: Some(if square { "" } else { "Copper & Crema" }),
            size: if square { (1200, 1200) } else { (512, 128) },
            missing: false,
            at: end - 788 * DAY,
            author: 1,
        };
        let (id, _) = add_picture(world, &mut rng, &picture);
        if square { media.placeholder = id } else { media.logo = id }
    }
    for n in 1..=GUIDES {
        let bytes = pdf(&format!("Brewing guide {n}"));
        let at = end - rng.range(40, 500) * DAY;
        let (_, url) =
            add_file(world, at, &format!("brewing-guide-{n}.pdf"), "application/pdf", bytes, |size| {
                assoc! { "filesize" => size }
            });
        media.guides.push(url);
    }
    let svg = b"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 8 8\"><circle cx=\"4\" cy=\"4\" \
     r=\"3\"/></svg>\n";
    add_file(
        world,
        end - 300 * DAY,
        "bean-icon.svg",
        "image/svg+xml",
        svg.to_vec(),
        |size| assoc! { "filesize" => size },
    );
    add_file(world, end - 120 * DAY, "grinder-sound.wav", "audio/wav", wav(), |size| {
        assoc! {
            "dataformat" => "wav", "channels" => 1, "sample_rate" => 8000, "bitrate" => 64_000.0,
            "filesize" => size, "mime_type" => "audio/wav", "length" => 1, "length_formatted" => "0:01",
        }
    });
    media
}

fn add_picture(world: &mut World, rng: &mut Rng, picture: &Picture<'_>) -> (i64, String) {
    let Picture { stem, size: (width, height), .. } = picture;
    let folder = world.clock.folder(picture.at);
    let colour = [rng.range(60, 230) as u8, rng.range(60, 210) as u8, rng.range(50, 190) as u8];
    let bytes = png::plain(*width, *height, colour);
    let mut sizes = Vec::new();
    for (name, w, h) in sub_sizes(*width, *height) {
        let file = format!("{stem}-{w}x{h}.png");
        let small = png::plain(w, h, colour);
        let mut facts = vec![
            (Key::from("file"), Php::from(file.as_str())),
            (Key::from("width"), Php::from(i64::from(w))),
            (Key::from("height"), Php::from(i64::from(h))),
            (Key::from("mime-type"), Php::from("image/png")),
            (Key::from("filesize"), Php::from(small.len() as i64)),
        ];
        if name == "woocommerce_thumbnail" {
            facts.push((Key::from("uncropped"), Php::from(false)));
        }
        sizes.push((name, Php::Array(facts)));
        // Two names may share a file, as thumbnail and medium do on square pictures.
        let path = format!("wp-content/uploads/{folder}/{file}");
        if !picture.missing && !world.files.iter().any(|f| f.path == path) {
            world.file(path, small);
        }
    }
    let file = format!("{folder}/{stem}.png");
    let meta = assoc! {
        "width" => i64::from(*width), "height" => i64::from(*height), "file" => file.as_str(),
        "filesize" => bytes.len() as i64, "sizes" => Php::map(sizes), "image_meta" => camera(),
    };
    if !picture.missing {
        world.file(format!("wp-content/uploads/{file}"), bytes);
    }
    let id = attach(world, picture.at, picture.author, &picture.title, &file, "image/png");
    world.tables.meta("postmeta", id, "_wp_attachment_metadata", meta);
    if let Some(alt) = picture.alt {
        world.tables.meta("postmeta", id, "_wp_attachment_image_alt", alt);
    }
    (id, format!("{URL}/wp-content/uploads/{file}"))
}

fn sub_sizes(width: u32, height: u32) -> Vec<(&'static str, u32, u32)> {
    let fit = |limit: u32| {
        if width >= height {
            (limit, (height * limit + width / 2) / width)
        } else {
            ((width * limit + height / 2) / height, limit)
        }
    };
    let mut sizes = vec![("thumbnail", 150.min(width), 150.min(height))];
    for (name, limit) in [("medium", 300), ("large", 1024)] {
        if width.max(height) > limit {
            let (w, h) = fit(limit);
            sizes.push((name, w, h));
        }
    }
    if width > 768 {
        sizes.push(("medium_large", 768, (height * 768 + width / 2) / width));
    }
    if width == height {
        sizes.extend([
            ("woocommerce_thumbnail", 300, 300),
            ("woocommerce_single", 600, 600),
            ("woocommerce_gallery_thumbnail", 100, 100),
        ]);
    }
    sizes
}

fn camera() -> Php {
    let empty = ["credit", "camera", "caption", "copyright", "title", "alt"];
    let zero = ["aperture", "created_timestamp", "focal_length", "iso", "shutter_speed", "orientation"];
    let texts = zero.iter().map(|k| (*k, Php::from("0"))).chain(empty.iter().map(|k| (*k, Php::from(""))));
    Php::map(texts.chain([("keywords", assoc! {})]))
}

fn add_file(
    world: &mut World,
    at: i64,
    name: &str,
    mime: &'static str,
    bytes: Vec<u8>,
    meta: impl FnOnce(i64) -> Php,
) -> (i64, String) {
    let file = format!("{}/{name}", world.clock.folder(at));
    let meta = meta(bytes.len() as i64);
    world.file(format!("wp-content/uploads/{file}"), bytes);
    let title = name.split('.').next().unwrap_or(name).to_owned();
    let id = attach(world, at, 1, &title, &file, mime);
    world.tables.meta("postmeta", id, "_wp_attachment_metadata", meta);
    (id, format!("{URL}/wp-content/uploads/{file}"))
}

fn attach(world: &mut World, at: i64, author: i64, title: &str, file: &str, mime: &'static str) -> i64 {
    let id = world.post_id();
    let stem = file.rsplit('/').next().and_then(|n| n.split('.').next()).unwrap_or_default();
    world.add_post(Post {
        status: "inherit",
        author,
        title: title.to_owned(),
        name: stem.to_owned(),
        comments_open: true,
        guid: format!("{URL}/wp-content/uploads/{file}"),
        mime,
        ..Post::new("attachment", id, at)
    });
    world.tables.meta("postmeta", id, "_wp_attached_file", file);
    id
}

/// A page with one line of text.
fn pdf(text: &str) -> Vec<u8> {
    let content = format!("BT /F1 24 Tf 72 760 Td ({text}) Tj ET");
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 \
         0 R >> >> >>"
            .to_owned(),
        format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
    ];
    let mut out = "%PDF-1.4\n".to_owned();
    let mut table = "0000000000 65535 f \n".to_owned();
    for (object, number) in objects.iter().zip(1..) {
        table.push_str(&format!("{:010} 00000 n \n", out.len()));
        out.push_str(&format!("{number} 0 obj\n{object}\nendobj\n"));
    }
    let start = out.len();
    let count = objects.len() + 1;
    out.push_str(&format!(
        "xref\n0 {count}\n{table}trailer\n<< /Size {count} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n"
    ));
    out.into_bytes()
}

/// One second of silence, 8 bits at 8 kHz.
fn wav() -> Vec<u8> {
    const SAMPLES: u32 = 8000;
    let mut out = b"RIFF".to_vec();
    out.extend((36 + SAMPLES).to_le_bytes());
    out.extend(b"WAVEfmt ");
    out.extend(16_u32.to_le_bytes());
    out.extend([1, 0, 1, 0]);
    out.extend(SAMPLES.to_le_bytes());
    out.extend(SAMPLES.to_le_bytes());
    out.extend([1, 0, 8, 0]);
    out.extend(b"data");
    out.extend(SAMPLES.to_le_bytes());
    out.resize(44 + SAMPLES as usize, 128);
    out
}
