//! Each platform, in each layout that it is found in.

use super::*;

#[test]
fn every_platform_is_recognised_by_its_files() {
    for (platform, version, docroot, config, _) in ALL {
        let tree = Tree::new();
        let site = tree.of(platform, "site/").site("site");
        assert_eq!(site.platform, platform);
        assert_eq!(site.version.as_deref(), Some(version), "{platform}");
        assert_eq!(site.root, tree.at("site"), "{platform}");
        assert_eq!(site.core, tree.at("site"), "{platform}");
        let docroot = if docroot.is_empty() { tree.at("site") } else { tree.at("site").join(docroot) };
        assert_eq!(site.docroot, docroot, "{platform}");
        assert_eq!(site.config, Some(tree.at("site").join(config)), "{platform}");
        let sum: i16 = site.markers.iter().map(|marker| marker.weight).sum();
        assert_eq!(i16::from(site.score), sum.clamp(0, 100), "{platform}");
    }
}

#[test]
fn the_secret_name_of_an_administration_is_never_mentioned() {
    let tree = Tree::new();
    tree.opencart("").file("admin77/index.php", "").file("admin77/bootstrap.php", "");
    assert!(!format!("{:?}", tree.site("")).contains("secret-name"));
    let tree = Tree::new();
    tree.prestashop("").file("admin77/index.php", "").folder("admin77/themes");
    assert!(!format!("{:?}", tree.site("admin77")).contains("admin77"));
}

#[test]
fn wordpress_may_have_its_configuration_one_level_up() {
    let tree = Tree::new();
    tree.wordpress("home/public_html/").file("home/wp-config.php", "<?php");
    for start in ["home", "home/public_html", "home/public_html/wp-content"] {
        let site = tree.site(start);
        assert_eq!(site.root, tree.at("home/public_html"));
        assert_eq!(site.config, Some(tree.at("home/wp-config.php")));
        assert!(site.markers.iter().any(|marker| marker.path == "../wp-config.php"));
    }
    // The folder above is another WordPress: its configuration is not this one's.
    tree.file("home/wp-settings.php", "<?php");
    assert_eq!(tree.site("home/public_html").config, None);
}

#[test]
fn wordpress_may_have_a_folder_of_its_own() {
    let loads = [
        "<?php require __DIR__ . '/wp/wp-blog-header.php';",
        "<?php require('./wp/wp-blog-header.php');",
        "<?php /* require './old/wp-blog-header.php'; */ require dirname(__FILE__) . '/wp/wp-blog-header.php';",
    ];
    for index in loads {
        let tree = Tree::new();
        tree.wordpress("wp/").file("index.php", index).file("wp-config.php", "<?php");
        for start in ["", "wp", "wp/wp-content/themes"] {
            let site = tree.site(start);
            assert_eq!((site.root, site.docroot), (tree.at(""), tree.at("")), "{index} from {start:?}");
            assert_eq!((site.core, site.config), (tree.at("wp"), Some(tree.at("wp-config.php"))));
        }
    }
}

#[test]
fn a_folder_of_its_own_may_be_named_in_full_and_is_no_second_site() {
    let tree = Tree::new();
    let index = format!("<?php require '{}/wp/wp-blog-header.php';", tree.at("home/web").display());
    tree.wordpress("home/web/wp/").file("home/web/index.php", &index);
    for start in ["home", "home/web/wp"] {
        assert_eq!(tree.site(start).root, tree.at("home/web"), "from {start}");
    }
}

#[test]
fn bedrock_is_one_project_from_wherever_it_is_seen() {
    let tree = Tree::new();
    tree.file(
        "composer.json",
        r#"{"require": {"roots/wordpress": "7.1"}, "extra": {"wordpress-install-dir": "web/wp"}}"#,
    )
    .file("composer.lock", r#"{"packages": [{"name": "roots/wordpress-no-content", "version": "7.1"}]}"#)
    .file("config/application.php", "<?php")
    .file("config/environments/production.php", "<?php")
    .file("web/wp-config.php", "<?php")
    .file("web/index.php", "<?php require __DIR__ . '/wp/wp-blog-header.php';")
    .folder("web/app/themes/sage")
    .file(
        "web/app/plugins/woocommerce/woocommerce.php",
        "<?php\n/*\n * Plugin Name: WooCommerce\n * Version: 11.0.1\n */",
    )
    .wordpress("web/wp/");
    for start in ["", "web", "web/wp", "web/wp/wp-includes", "web/app/themes/sage", "config/environments"] {
        let site = tree.site(start);
        assert_eq!(site.root, tree.at(""), "from {start:?}");
        assert_eq!((site.docroot, site.core), (tree.at("web"), tree.at("web/wp")));
        assert_eq!(site.config, Some(tree.at("web/wp-config.php")));
        assert_eq!(site.edition.as_deref(), Some("Bedrock"));
        let [shop] = site.extras.as_slice() else { panic!("{:?}", site.extras) };
        assert_eq!((shop.name.as_str(), shop.version.as_deref()), ("WooCommerce", Some("11.0.1")));
        assert_eq!(shop.path, "web/app/plugins/woocommerce/woocommerce.php");
    }
    // Before `composer install` the lock is all that tells the version.
    fs::remove_dir_all(tree.at("web/wp")).unwrap();
    assert_eq!(tree.site("").version_source.as_deref(), Some("composer.lock (roots/wordpress-no-content)"));
}

#[test]
fn wordpress_is_known_by_content_and_configuration_where_the_host_keeps_the_core() {
    let tree = Tree::new();
    tree.folder("wp-content/plugins").folder("wp-content/themes").file("wp-config.php", "<?php");
    let site = tree.site("wp-content/plugins");
    assert_eq!((site.platform, site.version), (Platform::WordPress, None));

    let unreadable = Tree::new();
    unreadable.file("wp-load.php", "<?php").file("wp-settings.php", "<?php");
    assert_eq!(unreadable.site("").platform, Platform::WordPress);

    let linked = Tree::new();
    linked.link("/nowhere/wordpress/wp-includes", "wp-includes");
    linked.link("/nowhere/wordpress/wp-load.php", "wp-load.php");
    linked.link("/nowhere/wordpress/wp-settings.php", "wp-settings.php");
    linked.link("/nowhere/private/wp-config.php", "wp-config.php");
    assert_eq!(linked.site("").config, Some(linked.at("wp-config.php")));
}

#[test]
fn drupal_s_project_is_the_folder_that_composer_says() {
    let scaffold = r#"{"require": {"drupal/core-recommended": "^10"},
        "extra": {"drupal-scaffold": {"locations": {"web-root": "./htdocs/site/"}}}}"#;
    for (web, composer) in [
        ("web", r#"{"require": {"drupal/core": "10.5.6"}}"#),
        ("docroot", r#"{"require": {"drupal/cms": "1.0"}}"#),
        ("htdocs/site", scaffold),
    ] {
        let tree = Tree::new();
        tree.drupal(&format!("{web}/")).file("composer.json", composer).folder("config/sync");
        for start in ["", web, &format!("{web}/sites/default"), "config/sync"] {
            let site = tree.site(start);
            assert_eq!((site.platform, &site.root), (Platform::Drupal, &tree.at("")), "{web} from {start:?}");
            assert_eq!((&site.docroot, &site.core), (&tree.at(web), &tree.at(web)));
            assert_eq!(site.version_source, Some(format!("{web}/core/lib/Drupal.php")));
        }
    }
    // Without Composer the folder above is no project.
    let tree = Tree::new();
    tree.drupal("home/web/");
    assert_eq!(tree.site("home").root, tree.at("home/web"));
}

#[test]
fn of_several_drupal_sites_none_is_the_main_one() {
    let tree = Tree::new();
    tree.drupal("").remove("sites/default/settings.php").file("sites/a.example/settings.php", "<?php");
    assert_eq!(tree.site("").config, Some(tree.at("sites/a.example/settings.php")));
    tree.file("sites/b.example/settings.php", "<?php");
    assert_eq!(tree.site("").config, None);
}

#[test]
fn versions_fall_back_to_the_next_source() {
    let joomla = Tree::new();
    let constants = "<?php final class Version { const MAJOR_VERSION = 5; const MINOR_VERSION = 1;
        const PATCH_VERSION = 0; const EXTRA_VERSION = 'rc1'; }";
    joomla.joomla("").file("libraries/src/Version.php", constants);
    assert_eq!(joomla.site("").version.as_deref(), Some("5.2.3"));
    joomla.remove("administrator/manifests/files/joomla.xml");
    assert_eq!(joomla.site("").version.as_deref(), Some("5.1.0-rc1"));

    let prestashop = Tree::new();
    prestashop
        .prestashop("")
        .file("src/Core/Version.php", "<?php class Version { public const VERSION = '9.0.1'; }");
    assert_eq!(prestashop.site("").version.as_deref(), Some("9.0.1"));
    prestashop.remove("src/Core/Version.php").file("app/AppKernel.php", "<?php");
    assert_eq!(prestashop.site("").version, None);
    prestashop.file("INSTALL.txt", "PrestaShop\nVERSION: 1.7.8.11\n");
    assert_eq!(prestashop.site("").version.as_deref(), Some("1.7.8.11"));

    let laravel = Tree::new();
    laravel.laravel("").remove("composer.lock").file(
        "vendor/laravel/framework/src/Illuminate/Foundation/Application.php",
        "<?php class Application { const VERSION = '11.4.2'; }",
    );
    assert_eq!(laravel.site("").version.as_deref(), Some("11.4.2"));
    laravel.file(
        "vendor/composer/installed.json",
        r#"{"packages": [{"name": "laravel/framework", "version": "v11.4.1"}]}"#,
    );
    assert_eq!(
        laravel.site("").version_source.as_deref(),
        Some("vendor/composer/installed.json (laravel/framework)")
    );
}

#[test]
fn editions_and_products_are_named() {
    let edition = |tree: &Tree| tree.site("").edition;
    let magento = |packages: &str| {
        let tree = Tree::new();
        tree.magento("").file("composer.lock", &format!("{{\"packages\": [{packages}]}}"));
        (edition(&tree), tree.site("").version)
    };
    let community = r#"{"name": "magento/product-community-edition", "version": "2.4.7"}"#;
    let enterprise = r#"{"name": "magento/product-enterprise-edition", "version": "2.4.7-p1"}"#;
    assert_eq!(magento(community), (Some("Magento Open Source".into()), Some("2.4.7".into())));
    assert_eq!(
        magento(&format!("{community},{enterprise}")),
        (Some("Adobe Commerce".into()), Some("2.4.7-p1".into()))
    );

    let tree = Tree::new();
    tree.symfony("").file(
        "composer.json",
        r#"{"require": {"symfony/framework-bundle": "*", "sylius/sylius": "^2", "api-platform/core": "*"}}"#,
    );
    assert_eq!(edition(&tree).as_deref(), Some("Sylius"));

    let tree = Tree::new();
    tree.wordpress("").file("wp-includes/version.php", "<?php $cp_version = '2.4.1'; $wp_version = '6.2.6';");
    assert_eq!(
        (edition(&tree).as_deref(), tree.site("").version.as_deref()),
        (Some("ClassicPress"), Some("6.2.6"))
    );

    let tree = Tree::new();
    tree.opencart("")
        .file("index.php", "<?php define('VERSION', '3.0.3.7'); define('VERSION_CORE', 'ocStore');");
    assert_eq!(edition(&tree).as_deref(), Some("ocStore"));
}

#[test]
fn code_that_is_not_installed_has_no_configuration() {
    for (platform, _, _, config, _) in ALL {
        if platform == Platform::OpenCart {
            continue;
        }
        let tree = Tree::new();
        tree.of(platform, "").remove(config);
        if platform == Platform::Joomla {
            tree.file("includes/framework.php", "").file("libraries/bootstrap.php", "");
        }
        assert_eq!((tree.site("").platform, tree.site("").config), (platform, None));
    }
    let opencart = Tree::new();
    opencart.opencart("").file("config.php", "").file("config-dist.php", "");
    assert_eq!((opencart.site("").platform, opencart.site("").config), (Platform::OpenCart, None));
}

#[test]
fn a_release_archive_of_opencart_has_its_shop_in_upload() {
    let tree = Tree::new();
    tree.opencart("opencart-4/upload/").file("opencart-4/readme.md", "");
    assert_eq!(tree.site("opencart-4").root, tree.at("opencart-4/upload"));
}

#[test]
fn joomla_s_public_folder_is_its_docroot() {
    let tree = Tree::new();
    tree.joomla("").file(
        "public/defines.php",
        "<?php define('JPATH_ROOT', dirname(__DIR__)); define('JPATH_PUBLIC', JPATH_ROOT . '/public');",
    );
    for start in ["", "public"] {
        assert_eq!((tree.site(start).root, tree.site(start).docroot), (tree.at(""), tree.at("public")));
    }
    let apart = Tree::new();
    apart.file("defines.php", "<?php define('JPATH_ROOT', '/srv/joomla'); define('JPATH_PUBLIC', __DIR__);");
    let message = apart.detect("").unwrap_err().to_string();
    assert!(message.contains("leads to /srv/joomla, which was not looked at"), "{message}");
}
