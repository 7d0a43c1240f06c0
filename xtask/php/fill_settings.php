<?php
// Options of every shape, plugins, menus, scheduled work.

$seed = new Seed(41);
update_option('blogdescription', 'Tides, soups & other "news"');
add_option('journal_plain', 'just text', '', 'yes');
add_option('journal_number', 42, '', 'yes');
add_option('journal_yes', true, '', 'yes');
add_option('journal_no', false, '', 'no');
add_option('journal_empty', '', '', 'yes');
add_option('journal_empty_list', array(), '', 'no');
add_option('journal_unicode', 'Größe 🚢 漢字', '', 'yes');
add_option('journal_json', '{"theme":"quay","columns":[1,2,3]}', '', 'yes');
add_option('journal_settings', array('columns' => 3, 'ratio' => 1.5, 'on' => true, 'off' => false, 'nothing' => null, 'nested' => array('deep' => array('deeper' => 'bottom')), 'list' => array('a', 'b', 'c')), '', 'yes');
$object = new stdClass();
$object->name = 'Kiel';
$object->berths = array(1, 2);
$object->inner = (object) array('depth' => 4.5);
add_option('journal_object', $object, '', 'no');
add_option('journal_api_key', 'sk_live_0123456789abcdef0123456789', '', 'yes');
add_option('journal_mailer', array('host' => 'mail.example', 'user' => 'quay', 'password' => 'hunter2 but longer', 'dsn' => 'smtp://quay:hunter2@mail.example:25'), '', 'no');
add_option('journal_large', str_repeat('ballast ', 9000), '', 'yes');
add_option('journal_like_100%_name', 'a name with wildcards', '', 'no');
foreach (range(1, 60) as $i) {
	add_option(sprintf('journal_item_%02d', $i), $i % 3 ? "value $i" : array('item' => $i, 'word' => $seed->pick(NOUNS)), '', $i % 4 ? 'yes' : 'no');
}
set_transient('journal_forecast', array('wind' => 'NW 5'), 0);
$expired = 1700000000;
add_option('_transient_timeout_journal_old', $expired, '', 'no');
add_option('_transient_journal_old', 'long gone', '', 'no');
// What a careless search-and-replace leaves behind: the length no longer fits.
$wpdb->insert($wpdb->options, array('option_name' => 'journal_broken', 'option_value' => 'a:1:{s:3:"url";s:9:"https://a-longer-address.example";}', 'autoload' => 'yes'));

update_option('active_plugins', array('berth-list/berth-list.php', 'gone/gone.php', 'lone-file.php', 'windows-lines/main-file.php'));
update_option('recently_activated', array('sleeping/sleeping.php' => 1730000000));

$menu = done(wp_create_nav_menu('Main & more'));
$item = function (array $fields) use ($menu): int {
	return done(wp_update_nav_menu_item($menu, 0, wp_slash($fields + array('menu-item-status' => 'publish'))));
};
$home = $item(array('menu-item-title' => 'Home', 'menu-item-url' => home_url('/'), 'menu-item-type' => 'custom', 'menu-item-position' => 1));
$first = $item(array('menu-item-object' => 'page', 'menu-item-object-id' => $about, 'menu-item-type' => 'post_type', 'menu-item-position' => 2));
$second = $item(array('menu-item-object' => 'page', 'menu-item-object-id' => $pages[1], 'menu-item-type' => 'post_type', 'menu-item-parent-id' => $first, 'menu-item-position' => 3));
$item(array('menu-item-object' => 'post', 'menu-item-object-id' => $by_state['publish'][30], 'menu-item-type' => 'post_type', 'menu-item-title' => 'Read this', 'menu-item-parent-id' => $second, 'menu-item-position' => 4));
$item(array('menu-item-object' => 'category', 'menu-item-object-id' => $dinghies, 'menu-item-type' => 'taxonomy', 'menu-item-position' => 5));
$item(array('menu-item-title' => 'Elsewhere', 'menu-item-url' => 'https://elsewhere.example/?a=1&b=2', 'menu-item-type' => 'custom', 'menu-item-target' => '_blank', 'menu-item-classes' => 'outside bright', 'menu-item-position' => 6));
done(wp_create_nav_menu('Unused'));
set_theme_mod('nav_menu_locations', array('primary' => $menu, 'footer' => 0));

// Overdue and far ahead, whatever the clock says.
wp_schedule_event(1700000000, 'hourly', 'journal_hourly');
wp_schedule_event(4070908800, 'daily', 'journal_daily', array('Kiel', 7));
wp_schedule_single_event(4070908860, 'journal_once', array(array('post' => $posts[0])));
wp_schedule_single_event(1700000000, 'journal_once', array('late'));
