<?php
// Installs the site with WordPress's own installer, into the database that wp-config.php names.

define('WP_INSTALLING', true);
define('WP_SITEURL', 'https://journal.example');
require __DIR__ . '/boot.php';
require_once ABSPATH . 'wp-admin/includes/upgrade.php';

if (is_blog_installed()) {
	fwrite(STDERR, "there is a site in this database already\n");
	exit(1);
}
wp_install('Lantern & Quay', 'mara', 'mara@journal.example', true, '', wp_slash('harbour lights'));
