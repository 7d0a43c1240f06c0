<?php
// What WordPress says about the site, its users, plugins, options and scheduled work.

function expected_site(): array
{
	global $wpdb, $wp_version;
	return array(
		'version' => $wp_version,
		'home' => home_url(),
		'siteurl' => site_url(),
		'blogname' => get_option('blogname'),
		'timezone' => wp_timezone_string(),
		'prefix' => $wpdb->prefix,
		'stylesheet' => get_stylesheet(),
		'template' => get_template(),
		'permalink_structure' => get_option('permalink_structure'),
		'language' => get_locale(),
		'multisite' => is_multisite(),
	);
}

function expected_users(): array
{
	$roles = array();
	foreach (wp_roles()->roles as $slug => $role) {
		$roles[$slug] = array('name' => $role['name'], 'capabilities' => map($role['capabilities']));
	}
	$all = array();
	foreach (get_users(array('orderby' => 'ID', 'order' => 'ASC')) as $user) {
		$all[] = array(
			'id' => $user->ID,
			'login' => $user->user_login,
			'nicename' => $user->user_nicename,
			'email' => $user->user_email,
			'display_name' => $user->display_name,
			'registered' => $user->user_registered,
			'roles' => array_values($user->roles),
			'capabilities' => map($user->caps),
			'administrator' => user_can($user, 'manage_options'),
			'published' => (int) count_user_posts($user->ID, 'post', true),
		);
	}
	$queries = array();
	foreach (expected_user_queries() as $name => $args) {
		$query = new WP_User_Query($args + array('count_total' => true));
		$rows = $query->get_results();
		$queries[] = array('name' => $name, 'args' => $args, 'total' => (int) $query->get_total(), 'ids' => array_column($rows, 'ID'), 'logins' => array_column($rows, 'user_login'));
	}
	$count = count_users();
	return array(
		'count' => array('total_users' => $count['total_users'], 'avail_roles' => map($count['avail_roles'])),
		'roles' => map($roles),
		'all' => $all,
		'queries' => $queries,
	);
}

function expected_user_queries(): array
{
	$newest = array('orderby' => array('registered' => 'DESC', 'ID' => 'DESC'));
	$queries = array(
		'newest' => $newest + array('number' => 20),
		'newest, second page' => $newest + array('number' => 20, 'offset' => 20),
		'by name' => array('orderby' => array('display_name' => 'ASC', 'ID' => 'ASC'), 'number' => 50),
		'by login' => array('orderby' => array('login' => 'ASC', 'ID' => 'ASC'), 'number' => 50),
		'by number' => array('orderby' => array('ID' => 'DESC'), 'number' => 20),
		'editors by name' => array('role' => 'editor', 'orderby' => array('display_name' => 'ASC', 'ID' => 'ASC')),
		'two roles at once' => array('role' => array('author', 'subscriber')) + $newest,
		'one of two roles' => array('role__in' => array('editor', 'author')) + $newest,
		'no such role' => array('role' => 'captain') + $newest,
		'search in login and name' => array('search' => '*an*', 'search_columns' => array('user_login', 'display_name')) + $newest,
	);
	foreach (array_keys(wp_roles()->roles) as $role) {
		$queries["role $role"] = array('role' => $role) + $newest;
	}
	return $queries;
}

function expected_plugins(): array
{
	$plain = function (string $folder, array $plugins): object {
		$found = array();
		foreach (array_keys($plugins) as $file) {
			$found[$file] = get_plugin_data("$folder/$file", false, false);
		}
		return map($found);
	};
	return array(
		'all' => $plain(WP_PLUGIN_DIR, get_plugins()),
		'active' => get_option('active_plugins'),
		'must_use' => $plain(WPMU_PLUGIN_DIR, get_mu_plugins()),
		'drop_ins' => $plain(WP_CONTENT_DIR, get_dropins()),
	);
}

function expected_options(): array
{
	global $wpdb;
	$ours = $wpdb->get_col("SELECT option_name FROM {$wpdb->options} WHERE option_name LIKE 'journal\\_%' ORDER BY option_name");
	$core = array('siteurl', 'home', 'blogname', 'blogdescription', 'admin_email', 'timezone_string', 'start_of_week', 'date_format', 'permalink_structure', 'posts_per_page', 'sticky_posts', 'active_plugins', 'recently_activated', 'default_category', 'stylesheet', 'template', 'WPLANG', 'db_version', 'show_on_front', 'lq7_user_roles');
	$values = array();
	foreach (array_merge($core, $ours) as $name) {
		$values[$name] = get_option($name);
	}
	$autoloaded = wp_load_alloptions(true);
	$stored = $wpdb->get_row("SELECT COUNT(*) AS n, SUM(LENGTH(option_value)) AS bytes FROM {$wpdb->options}");
	return array(
		'alloptions' => array('count' => count($autoloaded), 'bytes' => array_sum(array_map('strlen', $autoloaded))),
		'stored' => array('count' => (int) $stored->n, 'bytes' => (int) $stored->bytes),
		'values' => map($values),
		'absent' => array_values(array_filter(array('journal_absent', 'upload_path', 'no_such_option'), function ($name) {
			return get_option($name) === false;
		})),
	);
}

function expected_cron(): array
{
	$events = array();
	foreach (_get_cron_array() as $timestamp => $hooks) {
		foreach ($hooks as $hook => $entries) {
			foreach ($entries as $key => $entry) {
				$events[] = array('timestamp' => $timestamp, 'hook' => $hook, 'key' => $key, 'schedule' => $entry['schedule'], 'interval' => $entry['interval'] ?? null, 'args' => array_values($entry['args']));
			}
		}
	}
	return $events;
}

function expected_paths(): array
{
	$uploads = wp_upload_dir('2023/05', false);
	$relative = function (string $path): string {
		return ltrim(substr(wp_normalize_path($path), strlen(wp_normalize_path(rtrim(ABSPATH, '/')))), '/');
	};
	return array(
		'content' => $relative(WP_CONTENT_DIR),
		'plugins' => $relative(WP_PLUGIN_DIR),
		'must_use' => $relative(WPMU_PLUGIN_DIR),
		'uploads' => $relative($uploads['basedir']),
		'uploads_url' => $uploads['baseurl'],
	);
}
