<?php
// Fills the freshly installed site through WordPress's own API. Every date and choice comes from fixed seeds.
//
// Order matters: later parts refer to the numbers that earlier ones were given.

require __DIR__ . '/boot.php';
require __DIR__ . '/seed.php';
require_once ABSPATH . 'wp-admin/includes/admin.php';

wp_set_current_user(1);
wp_defer_term_counting(true);
wp_defer_comment_counting(true);
wp_suspend_cache_invalidation(false);
update_option('timezone_string', 'Europe/Berlin');
update_option('permalink_structure', '/%year%/%monthnum%/%postname%/');

// A row that brings no date of its own gets this one instead of the present.
const FIXED_DATE = '2024-11-29 18:30:00';
$modified = null;
add_filter('wp_insert_post_data', function ($row, $asked) use (&$modified) {
	$dated = ! empty($asked['post_date']) && $asked['post_date'] !== '0000-00-00 00:00:00';
	if (! $dated && empty($asked['ID'])) {
		$row['post_date'] = FIXED_DATE;
		$floating = in_array($row['post_status'], array('draft', 'pending', 'auto-draft'), true);
		$row['post_date_gmt'] = $floating ? '0000-00-00 00:00:00' : get_gmt_from_date(FIXED_DATE);
	}
	$row['post_modified'] = $modified ?? $row['post_date'];
	$row['post_modified_gmt'] = get_gmt_from_date($row['post_modified']);
	return $row;
}, 10, 2);

require __DIR__ . '/fill_people.php';
require __DIR__ . '/fill_content.php';
require __DIR__ . '/fill_comments.php';
require __DIR__ . '/fill_settings.php';

wp_defer_term_counting(false);
wp_defer_comment_counting(false);
flush_rewrite_rules(false);
