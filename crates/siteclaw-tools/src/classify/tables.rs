//! The names behind the classes. All in lower case; a name is folded before it is looked up.

/// Folders with keys, credentials or a repository's inner files, and the platform's own code. No tool enters
/// them.
pub(super) const SECURITY_FOLDERS: &[&str] = &[
    ".git", ".svn", ".hg", ".bzr", ".ssh", ".gnupg", ".aws", ".azure", ".gcloud", ".kube", ".docker",
    ".config", ".local", ".password-store", "wp-admin", "wp-includes",
];

/// Folders of packages: long, and written by others.
pub(super) const NOISE_FOLDERS: &[&str] = &["vendor", "node_modules"];

/// Folders whose files a build service runs.
pub(super) const PIPELINE_FOLDERS: &[&str] = &[".github", ".gitlab", ".circleci", ".husky", ".git-hooks"];

/// Folders that hold a platform's core where they stand first in a path.
pub(super) const CORE_FOLDERS: &[&str] = &["core", "system", "sysext"];

/// Folders with a leading dot that hold content.
pub(super) const PLAIN_DOT_FOLDERS: &[&str] = &[".well-known"];

/// Files with a leading dot that configure nothing that runs.
pub(super) const PLAIN_DOT_FILES: &[&str] = &[".editorconfig", ".gitkeep", ".keep", ".nojekyll"];

/// Extensions of keys, certificates with keys, password stores and databases.
pub(super) const SECRET_EXTENSIONS: &[&str] = &[
    "env", "key", "pem", "crt", "p12", "pfx", "pkcs12", "p8", "cer", "der", "jks", "keystore",
    "truststore", "ppk", "agekey", "ovpn", "sqlite", "sqlite2", "sqlite3", "db", "db3", "mdb", "kdb", "kdbx",
    "kwallet", "psafe3", "tfstate",
];

/// Files that hold credentials by their purpose.
pub(super) const SECRET_FILES: &[&str] = &[
    ".htpasswd", ".htdigest", ".htaccess", ".npmrc", ".yarnrc.yml", ".pypirc", ".netrc", "_netrc", ".envrc",
    ".my.cnf", ".mylogin.cnf", ".pgpass", ".git-credentials", ".dockercfg", ".dockerenv", ".s3cfg", ".boto",
    ".msmtprc", ".ftpconfig", ".rediscli_auth", ".vault_pass", ".bash_history", ".zsh_history", ".sh_history",
    ".mysql_history", ".psql_history", ".sqlite_history", ".node_repl_history", ".python_history",
    ".lesshst", ".viminfo", "sftp-config.json", "auth.json", "credentials", "credentials.json",
    "credentials.yml", "credentials.yaml", "credentials.xml", "secrets.yml", "secrets.yaml", "secrets.json",
    "secrets.toml", "secrets.php", "service-account.json", "client_secret.json", "id_rsa", "id_ed25519",
    "id_ecdsa", "id_dsa", "id_ecdsa_sk", "id_ed25519_sk", "known_hosts", "authorized_keys",
    "docker-compose.yml", "docker-compose.yaml", "compose.yml", "compose.yaml", "nginx.conf", "httpd.conf",
    "apache2.conf", "php.ini", ".user.ini", "parameters.yml", "parameters.yaml", "parameters.php",
    "configuration.php", "wp-config.php", "wp-config-sample.php", "settings.inc.php", "local_settings.php",
    "settings.local.php", "config.local.php", "config.prod.php", "master.key",
    "siteclaw.toml",
];

/// Files of which some hold credentials and many do not: their content decides.
pub(super) const PERHAPS_SECRET_FILES: &[&str] =
    &["config.php", "database.php", "settings.php", "local.php", "app.php", "env.php"];

/// What follows `.env` where a file only shows which variables there are.
pub(super) const SAMPLE_ENDINGS: &[&str] = &["example", "sample", "dist", "template", "tpl"];

/// Endings that an editor, a hurried person or a packer adds to a name.
pub(super) const DECORATIONS: &[&str] = &[
    "bak", "bk", "bkp", "backup", "back", "old", "orig", "original", "save", "saved", "sav", "swp", "swo",
    "swn", "tmp", "temp", "copy", "disabled", "off", "gz", "tgz", "bz2", "xz", "zst", "zip", "7z", "rar",
    "tar", "txt", "rej", "dpkg-old", "dpkg-dist", "rpmsave", "rpmnew",
];

/// Files that decide what a server, a package manager or a build service does.
pub(super) const CONTROL_FILES: &[&str] = &[
    "composer.json", "composer.lock", "package.json", "package-lock.json", "npm-shrinkwrap.json",
    "yarn.lock", "pnpm-lock.yaml", ".gitignore", ".gitattributes", ".gitmodules", "phpunit.xml",
    "phpunit.xml.dist", "dockerfile", "containerfile", ".gitlab-ci.yml", "artisan", "web.config", "makefile",
    "gnumakefile", "justfile", "rakefile", "gemfile", "vagrantfile", "jenkinsfile", "procfile", "crontab",
    "cargo.toml", "pyproject.toml", "setup.cfg", "setup.py", "applicationhost.config",
];

/// Extensions of PHP source, as the platforms and common server configurations map them.
pub(super) const PHP_EXTENSIONS: &[&str] = &[
    "php", "phtml", "inc", "module", "install", "theme", "profile", "engine",
];

/// Extensions that some web server hands to an interpreter, also from the middle of a name: Apache looks at
/// every part between dots (<https://httpd.apache.org/docs/2.4/mod/mod_mime.html#multipleext>).
pub(super) const SERVED_EXTENSIONS: &[&str] = &[
    "php", "phtml", "phar", "pht", "phps", "phpt", "php2", "php3", "php4", "php5", "php6", "php7", "php8",
    "php9", "hphp", "ctp", "cgi", "fcgi", "pl", "pm", "py", "rb", "jsp", "jspx", "jspf", "asp", "aspx",
    "ashx", "asmx", "ascx", "cfm", "cfc", "shtml", "shtm", "stm", "htaccess",
];

/// Extensions that a system runs, loads or takes for its configuration.
pub(super) const EXECUTED_EXTENSIONS: &[&str] = &[
    "pyc", "sh", "bash", "zsh", "fish", "ksh", "csh", "exe", "dll", "so", "dylib", "bat", "cmd", "com",
    "ps1", "psm1", "vbs", "vbe", "wsf", "wsh", "hta", "msi", "scr", "lnk", "jar", "war", "class", "lua",
    "conf", "service", "desktop",
];

/// Extensions that may be written: text that no server runs.
pub(super) const WRITABLE_EXTENSIONS: &[&str] = &[
    "txt", "text", "md", "markdown", "rst", "adoc", "tex", "html", "htm", "xhtml", "css", "scss", "sass",
    "less", "js", "mjs", "cjs", "jsx", "ts", "tsx", "mts", "cts", "vue", "svelte", "json", "jsonl", "ndjson",
    "json5", "geojson", "webmanifest", "map", "yaml", "yml", "toml", "ini", "xml", "xsl", "xsd", "svg", "rss",
    "atom", "csv", "tsv", "sql", "log", "po", "pot", "xlf", "xliff", "twig", "tpl", "mustache", "hbs",
    "handlebars", "liquid", "latte", "graphql", "gql", "proto", "diff", "patch", "ics", "vcf", "srt", "vtt",
    "example", "properties", "feature",
];

/// Names that Windows keeps for devices, with or without an extension.
pub(super) const DEVICE_NAMES: &[&str] = &[
    "con", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9",
    "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
];
