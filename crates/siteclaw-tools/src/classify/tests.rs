use proptest::prelude::*;

use super::*;

fn verdict(policy: &PathPolicy, purpose: Purpose, path: &str) -> Verdict {
    policy.judge(purpose, &RelPath::parse(path).unwrap())
}

fn read(path: &str) -> Verdict {
    verdict(&PathPolicy::default(), Purpose::Read, path)
}

fn write(path: &str) -> Verdict {
    verdict(&PathPolicy::default(), Purpose::Write, path)
}

#[test]
fn secrets_are_refused_under_every_spelling_and_for_every_purpose() {
    let purposes =
        [Purpose::Read, Purpose::Search, Purpose::Archive, Purpose::Write, Purpose::Edit, Purpose::Command];
    for path in [
        ".env",
        ".ENV",
        ".env.local",
        ".env.production.bak",
        ".env-prod",
        ".env~",
        ".env_old",
        "sub/.env.2026-01-02",
        "WP-CONFIG.PHP",
        "wp-config.php~",
        "wp-config.php.bak",
        "wp-config.bak.php",
        "wp-config.txt",
        "wp-config-sample.php",
        ".wp-config.php.swp",
        "#wp-config.php#",
        "Copy of wp-config.php",
        "wp-config.php.1",
        "wp-config.php.gz",
        "id_rsa",
        "id_ed25519",
        "id_rsa.old",
        "id_rsa (1)",
        "server.key",
        "server.key.bak",
        "server.key.bak.tar.gz",
        "server.KEY ",
        "auth.json",
        "secrets.yml",
        "service-account-7.json",
        "infra/prod.tfstate",
        "putty.ppk",
        ".git-credentials",
        "credentials.json",
        "database.sqlite",
        "docker-compose.yml",
        "configuration.php",
        ".htpasswd",
        "siteclaw.toml",
        ".git/config",
        ".ssh/id_rsa",
        "a/.GIT/config",
        "a\\.git\\config",
        ".\u{17f}sh/notes",
        ".e\u{200d}nv",
        "\u{ff0e}env",
        "id_rsa.",
        "id_rsa::$DATA",
        ".env::$DATA",
    ] {
        for purpose in purposes {
            let found = verdict(&PathPolicy::default(), purpose, path);
            assert!(matches!(found, Verdict::Refused(_)), "{path} {purpose:?}: {found:?}");
        }
    }
}

#[test]
fn honest_neighbours_of_secrets_are_read() {
    for path in [
        "environment.md",
        "env.d.ts",
        "environments/prod.md",
        ".envoy/readme.md",
        "wp-configure.md",
        "wp-content/plugins/wpconfig/main.php",
        "id_rsa.pub",
        "keyboard.js",
        "monkey.txt",
        "class.db.php",
        "authors.json",
        "my-credentials-page.html",
        "git/config.md",
        ".github/workflows/ci.yml",
        "composer.json",
        "index.php",
        "report.2026-01-02.csv",
        "foo..bar.txt",
        "src/core/app.js",
        "old",
        "backup.txt",
        "\u{65e5}\u{672c}.txt",
    ] {
        assert_eq!(read(path), Verdict::Allowed, "{path}");
    }
}

#[test]
fn names_that_may_hold_credentials_are_left_to_the_content() {
    for path in [
        "config.php",
        "app/config/database.php",
        "Settings.php.bak",
        "app/etc/env.php",
        ".env.example",
        ".env.dist",
    ] {
        assert_eq!(read(path), Verdict::IfHarmless, "{path}");
    }
}

#[test]
fn packages_are_read_where_the_operator_opens_them_and_always_packed() {
    assert_eq!(read("vendor/autoload.php"), Verdict::Refused(Reason::NoiseFolder));
    let open = PathPolicy { packages: true, ..PathPolicy::default() };
    assert_eq!(verdict(&open, Purpose::Read, "vendor/autoload.php"), Verdict::Allowed);
    assert_eq!(verdict(&open, Purpose::Read, "vendor/.git/config"), Verdict::Refused(Reason::SecurityFolder));
    assert_eq!(verdict(&open, Purpose::Write, "vendor/a.css"), Verdict::Refused(Reason::NoiseFolder));
    let policy = PathPolicy::default();
    assert_eq!(verdict(&policy, Purpose::Archive, "plugin/vendor/autoload.php"), Verdict::Allowed);
    let folder = |purpose, path| policy.judge_folder(purpose, &RelPath::parse(path).unwrap());
    assert_eq!(folder(Purpose::Search, "a/node_modules"), Verdict::Refused(Reason::NoiseFolder));
    assert_eq!(folder(Purpose::Archive, "a/node_modules"), Verdict::Allowed);
    assert_eq!(folder(Purpose::Archive, "a/.git"), Verdict::Refused(Reason::SecurityFolder));
    assert_eq!(read("vendor"), Verdict::Allowed);
}

#[test]
fn nothing_that_runs_or_configures_is_written() {
    for path in [
        "x.pHp5",
        "x.phar",
        "x.php.txt",
        "x.jpg.php.png",
        "x.pht",
        "shell.php.jpg",
        "x.shtml",
        "cgi/x.cgi",
        "x.pl",
        "x.py",
        "x.jsp",
        "x.asp",
        "x.sh",
        "x.PS1",
        ".htaccess",
        ".user.ini",
        "web.config",
        "Web.Config",
        ".git/hooks/pre-commit",
        ".github/workflows/ci.yml",
        "composer.json",
        "package.json",
        "Dockerfile",
        "artisan",
        ".bashrc",
        ".hidden/notes.txt",
        "x.php.",
        "x.php ",
        "x.txt.",
        "x.txt::$DATA",
        "con",
        "sub/NUL.txt",
        "wp-admin/x.css",
        "core/x.css",
        "vendor/x.css",
        "x.unknownthing",
        "x.\u{ff50}hp",
    ] {
        assert!(matches!(write(path), Verdict::Refused(_)), "{path}: {:?}", write(path));
    }
    for path in ["x.php", "x.pHp", "x.phtml", "inc/x.inc", "x.jpg.php"] {
        assert_eq!(write(path), Verdict::Refused(Reason::Php(PhpWriting::Off)), "{path}");
    }
}

#[test]
fn text_is_written() {
    for path in [
        "notes.md",
        "README",
        "src/core/app.service.ts",
        "css/user.module.css",
        "jquery-3.7.1.min.js",
        "example.com.txt",
        "foo..bar.txt",
        ".well-known/security.txt",
        ".editorconfig",
        "v1.2.3/changes.txt",
        "templates/page.html.twig",
        "r\u{e9}sum\u{e9}.txt",
    ] {
        assert_eq!(write(path), Verdict::Allowed, "{path}");
    }
}

#[test]
fn php_is_written_where_it_is_allowed_and_only_plain_php() {
    let policy = PathPolicy { php: PhpWriting::Allowed, ..PathPolicy::default() };
    for path in ["x.php", "src/page.phtml", "my.module"] {
        assert_eq!(verdict(&policy, Purpose::Edit, path), Verdict::Allowed, "{path}");
    }
    for path in ["x.phar", "x.php.txt", "wp-config.php", "x.php5"] {
        assert!(matches!(verdict(&policy, Purpose::Write, path), Verdict::Refused(_)), "{path}");
    }
    let added = PathPolicy { extensions: ["neon".to_owned(), "sh".to_owned()].into(), ..policy };
    assert_eq!(verdict(&added, Purpose::Write, "services.neon"), Verdict::Allowed);
    assert_eq!(verdict(&added, Purpose::Write, "run.sh"), Verdict::Refused(Reason::Executed));
}

#[test]
fn a_refusal_says_what_and_what_to_do() {
    let error = PathPolicy::refusal(Purpose::Write, "workspace:/a\n.php", Reason::Php(PhpWriting::Off));
    assert_eq!(error.code(), PHP_WRITE_DISABLED);
    assert_eq!(error.message(), "workspace:/a?.php is PHP, which is not written here.");
    let error = PathPolicy::refusal(Purpose::Read, "site:/.env", Reason::Secret);
    assert_eq!(
        error.to_string(),
        "PATH_BLOCKED: site:/.env is not read: files of this name hold credentials or keys."
    );
}

proptest! {
    #[test]
    fn a_copy_of_a_secret_is_a_secret(
        name in prop::sample::select(vec!["wp-config.php", ".env", "id_rsa", "server.key", "auth.json"]),
        endings in prop::collection::vec(
            prop::sample::select(vec!["~", ".bak", ".old", "-backup", "_1", " (2)", ".gz", ".20260102"]), 0..4),
        upper in any::<bool>(),
    ) {
        let mut path = format!("a/{name}{}", endings.concat());
        if upper { path = path.to_uppercase(); }
        prop_assert_eq!(read(&path), Verdict::Refused(Reason::Secret), "{}", path);
    }

    #[test]
    fn whatever_may_be_written_has_no_part_that_a_server_runs(path in "[a-z.]{0,6}(php|phtml|cgi|py|htaccess|txt)[ .~a-zP]{0,6}") {
        if let Ok(parsed) = RelPath::parse(&path)
            && PathPolicy::default().judge(Purpose::Write, &parsed) == Verdict::Allowed
        {
            let lower = path.to_lowercase();
            let parts: Vec<&str> = lower.split('.').skip(1).collect();
            for run in ["php", "phtml", "cgi", "py", "htaccess"] {
                prop_assert!(!parts.contains(&run), "{}", path);
            }
        }
    }
}
