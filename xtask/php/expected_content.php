<?php
// What WordPress says about posts, terms, comments, menus and media.

const NEWEST = array('date' => 'DESC', 'ID' => 'DESC');

function expected_posts(): array
{
	$plain = array('post_type' => 'post', 'ignore_sticky_posts' => true, 'orderby' => NEWEST, 'posts_per_page' => 20);
	$of = function (array $args) use ($plain): array {
		return $args + $plain;
	};
	$between = function (array $range): array {
		return array('date_query' => array($range + array('inclusive' => true)));
	};
	$sticky = array_map('intval', get_option('sticky_posts'));
	$ask = array(
		'defaults' => array('post_type' => 'post', 'ignore_sticky_posts' => true),
		'home' => array('posts_per_page' => 10),
		'second page' => $of(array('posts_per_page' => 10, 'paged' => 2)),
		'page past the end' => $of(array('posts_per_page' => 50, 'paged' => 40)),
		'any status' => $of(array('post_status' => 'any', 'posts_per_page' => 50)),
		'any type' => $of(array('post_type' => 'any', 'posts_per_page' => 50)),
		'any type, any status' => $of(array('post_type' => 'any', 'post_status' => 'any', 'posts_per_page' => 50)),
		'pages' => $of(array('post_type' => 'page', 'orderby' => array('menu_order' => 'ASC', 'ID' => 'ASC'))),
		'type known to code only' => $of(array('post_type' => 'harbour_log')),
		'category with children' => $of(array('category_name' => 'harbour')),
		'category in the middle' => $of(array('category_name' => 'boats')),
		'category leaf' => $of(array('category_name' => 'dinghies')),
		'category without posts' => $of(array('category_name' => 'nothing-yet')),
		'tag' => $of(array('tag' => 'rope')),
		'tag named as a category' => $of(array('tag' => 'tides')),
		'tag in another script' => $of(array('tag' => '船')),
		'category and tag' => $of(array('category_name' => 'kitchen', 'tag' => 'fog')),
		'search one word' => $of(array('s' => 'herring')),
		'search two words' => $of(array('s' => 'low tide')),
		'search a phrase' => $of(array('s' => '"low tide" marks')),
		'search a phrase alone' => $of(array('s' => '"tide is low"')),
		'search the same words apart' => $of(array('s' => 'tide is low')),
		'search with minus' => $of(array('s' => 'zebra -herring')),
		'search percent sign' => $of(array('s' => '100%')),
		'search underscore' => $of(array('s' => 'under_score')),
		'search backslash' => $of(array('s' => 'back\\slash')),
		'search other case and accents' => $of(array('s' => 'größe')),
		'search stop words' => $of(array('s' => 'the hour that')),
		'search a word that is no stop word' => $of(array('s' => 'kettle and zebra')),
		'search a phrase with blanks at its ends' => $of(array('s' => '" tide "')),
		'search emoji' => $of(array('s' => '🚢')),
		'search nothing there' => $of(array('s' => 'qwertzuiop')),
		'search any status' => $of(array('s' => 'lighthouse', 'post_status' => 'any')),
		'after a day' => $of($between(array('after' => '2024-09-01'))),
		'before a day' => $of($between(array('before' => '2021-06-30'))),
		'a day at the end of a year' => $of($between(array('after' => '2023-12-31', 'before' => '2023-12-31'))),
		'between two days' => $of($between(array('after' => '2023-06-01', 'before' => '2023-06-12'))),
		'the same second' => $of($between(array('after' => '2022-05-05 12:00:00', 'before' => '2022-05-05 12:00:00'))),
		'date ascending' => $of(array('orderby' => array('date' => 'ASC', 'ID' => 'ASC'))),
		'title ascending' => $of(array('orderby' => array('title' => 'ASC', 'ID' => 'ASC'), 'posts_per_page' => 50)),
		'title descending' => $of(array('orderby' => array('title' => 'DESC', 'ID' => 'DESC'))),
		'modified' => $of(array('orderby' => array('modified' => 'DESC', 'ID' => 'DESC'), 'posts_per_page' => 30)),
		'comment count' => $of(array('orderby' => array('comment_count' => 'DESC', 'ID' => 'DESC'))),
		'number ascending' => $of(array('orderby' => array('ID' => 'ASC'))),
		'menu order' => $of(array('post_type' => 'page', 'orderby' => array('menu_order' => 'DESC', 'ID' => 'DESC'))),
		'author' => $of(array('author' => 1)),
		'author without posts' => $of(array('author' => 40)),
		'author who is gone' => $of(array('author' => 9999)),
		'sticky' => $of(array('post__in' => $sticky)),
		'sticky, any status' => $of(array('post__in' => $sticky, 'post_status' => 'any')),
		'author, category and date' => $of(array('author' => 1, 'category_name' => 'harbour') + $between(array('after' => '2022-01-01'))),
	);
	foreach (array('publish', 'draft', 'pending', 'private', 'future', 'trash', 'auto-draft') as $status) {
		$ask["status $status"] = $of(array('post_status' => $status));
	}
	$answers = array();
	foreach ($ask as $name => $args) {
		$answers[] = posts_answer($name, 'visitor', $args);
	}
	wp_set_current_user(1);
	foreach (array('defaults', 'search one word', 'author', 'type known to code only') as $name) {
		$answers[] = posts_answer($name, 'administrator', $ask[$name]);
	}
	// Who is logged in finds words of posts with a password too. Private posts come unless a status is named.
	foreach ($ask as $name => $args) {
		if (isset($args['s'])) {
			$answers[] = posts_answer($name, 'administrator', $args + array('post_status' => 'publish'));
		}
	}
	wp_set_current_user(0);
	return $answers;
}

function posts_answer(string $name, string $viewer, array $args): array
{
	// WordPress takes its arguments with slashes, as from a request.
	$query = new WP_Query(wp_slash($args));
	return array(
		'name' => $name,
		'viewer' => $viewer,
		'args' => $args,
		'found' => (int) $query->found_posts,
		'pages' => (int) $query->max_num_pages,
		'ids' => array_column($query->posts, 'ID'),
		'titles' => array_column($query->posts, 'post_title'),
		'dates' => array_column($query->posts, 'post_date'),
		'statuses' => array_column($query->posts, 'post_status'),
		'types' => array_column($query->posts, 'post_type'),
	);
}

function expected_post_counts(): object
{
	$counts = array();
	foreach (array('post', 'page', 'attachment', 'harbour_log', 'revision', 'nav_menu_item') as $type) {
		$counts[$type] = array_map('intval', (array) wp_count_posts($type, 'readable'));
	}
	return map($counts);
}

function expected_permalinks(): array
{
	global $wpdb;
	$links = array();
	foreach (array('post', 'page', 'attachment', 'harbour_log') as $type) {
		foreach (array('publish', 'private', 'draft', 'pending', 'future', 'trash', 'inherit') as $status) {
			$ids = $wpdb->get_col($wpdb->prepare("SELECT ID FROM {$wpdb->posts} WHERE post_type = %s AND post_status = %s ORDER BY ID LIMIT 12", $type, $status));
			foreach ($ids as $id) {
				$links[] = array('id' => (int) $id, 'type' => $type, 'status' => $status, 'url' => get_permalink((int) $id));
			}
		}
	}
	return $links;
}

function expected_excerpts(): array
{
	$posts = get_posts(array('numberposts' => 40, 'orderby' => array('ID' => 'ASC')));
	return array_map(function ($post) {
		return array('id' => $post->ID, 'text' => wp_trim_words($post->post_content, 30, '…'));
	}, $posts);
}

function expected_comments(): array
{
	global $wpdb;
	$plain = array('orderby' => 'comment_date_gmt', 'order' => 'DESC', 'number' => 20, 'no_found_rows' => false);
	$busiest = (int) $wpdb->get_var("SELECT ID FROM {$wpdb->posts} ORDER BY comment_count DESC, ID LIMIT 1");
	$of = function (array $args) use ($plain): array {
		return $args + $plain;
	};
	$ask = array(
		'defaults' => $of(array()),
		'all' => $of(array('status' => 'all', 'number' => 50)),
		'all, second page' => $of(array('status' => 'all', 'offset' => 50, 'number' => 50)),
		'approved' => $of(array('status' => 'approve')),
		'waiting' => $of(array('status' => 'hold')),
		'spam' => $of(array('status' => 'spam')),
		'trash' => $of(array('status' => 'trash')),
		'one post' => $of(array('post_id' => $busiest, 'status' => 'all')),
		'comments only' => $of(array('type' => 'comment', 'status' => 'all')),
		'pingbacks' => $of(array('type' => 'pingback', 'status' => 'all')),
		'both kinds of pings' => $of(array('type' => 'pings', 'status' => 'all')),
		'search' => $of(array('search' => 'herring', 'status' => 'all')),
		'search an address' => $of(array('search' => '203.0.113.9', 'status' => 'all')),
		'between two days' => $of(array('status' => 'all', 'date_query' => array(array('after' => '2023-09-01', 'before' => '2023-09-30', 'inclusive' => true)))),
		'replies' => $of(array('parent__not_in' => array(0), 'status' => 'all')),
		'by a user' => $of(array('user_id' => 1, 'status' => 'all')),
		'by number' => $of(array('orderby' => 'comment_ID', 'order' => 'ASC', 'status' => 'all')),
	);
	$queries = array();
	foreach ($ask as $name => $args) {
		$query = new WP_Comment_Query();
		$rows = $query->query($args);
		$queries[] = array(
			'name' => $name,
			'args' => $args,
			'total' => (int) $query->found_comments,
			'ids' => array_map('intval', array_column($rows, 'comment_ID')),
			'authors' => array_column($rows, 'comment_author'),
		);
	}
	$by_post = array();
	foreach ($wpdb->get_col("SELECT DISTINCT comment_post_ID FROM {$wpdb->comments} ORDER BY 1") as $id) {
		$by_post[$id] = (int) get_comments_number((int) $id);
	}
	return array('count' => array_map('intval', (array) wp_count_comments()), 'by_post' => map($by_post), 'queries' => $queries);
}

function expected_terms(): array
{
	$ask = array(
		'categories' => array('taxonomy' => 'category', 'hide_empty' => false),
		'categories in use' => array('taxonomy' => 'category', 'hide_empty' => true),
		'tags' => array('taxonomy' => 'post_tag', 'hide_empty' => false),
		'tags by count' => array('taxonomy' => 'post_tag', 'hide_empty' => true, 'orderby' => 'count', 'order' => 'DESC'),
		'seasons' => array('taxonomy' => 'season', 'hide_empty' => false),
		'children of a category' => array('taxonomy' => 'category', 'hide_empty' => false, 'parent' => get_category_by_slug('harbour')->term_id),
		'search' => array('taxonomy' => 'category', 'hide_empty' => false, 'search' => 'tid'),
	);
	$answers = array();
	foreach ($ask as $name => $args) {
		$terms = array_map(function ($term) {
			return array('id' => $term->term_id, 'name' => $term->name, 'slug' => $term->slug, 'taxonomy' => $term->taxonomy, 'parent' => $term->parent, 'count' => $term->count, 'description' => $term->description, 'url' => get_term_link($term));
		}, array_values(get_terms($args)));
		$answers[] = array('name' => $name, 'args' => $args, 'terms' => $terms);
	}
	return $answers;
}

function expected_menus(): array
{
	$menus = wp_get_nav_menus();
	$items = array();
	foreach ($menus as $menu) {
		$items[$menu->slug] = array_map(function ($item) {
			return array('id' => $item->ID, 'title' => $item->title, 'url' => $item->url, 'type' => $item->type, 'object' => $item->object, 'object_id' => (int) $item->object_id, 'parent' => (int) $item->menu_item_parent, 'order' => (int) $item->menu_order, 'target' => $item->target, 'classes' => $item->classes);
		}, wp_get_nav_menu_items($menu));
	}
	return array(
		'menus' => array_map(function ($menu) {
			return array('id' => $menu->term_id, 'name' => $menu->name, 'slug' => $menu->slug, 'count' => $menu->count);
		}, $menus),
		'locations' => map(get_nav_menu_locations()),
		'items' => map($items),
	);
}

function expected_media(): array
{
	$items = array();
	foreach (get_posts(array('post_type' => 'attachment', 'post_status' => 'inherit', 'numberposts' => -1, 'orderby' => 'ID', 'order' => 'ASC')) as $post) {
		$file = get_attached_file($post->ID);
		$data = wp_get_attachment_metadata($post->ID) ?: array();
		$items[] = array('id' => $post->ID, 'title' => $post->post_title, 'mime' => $post->post_mime_type, 'parent' => $post->post_parent, 'url' => wp_get_attachment_url($post->ID), 'file' => get_post_meta($post->ID, '_wp_attached_file', true), 'exists' => file_exists($file), 'bytes' => file_exists($file) ? filesize($file) : null, 'width' => $data['width'] ?? null, 'height' => $data['height'] ?? null, 'alt' => get_post_meta($post->ID, '_wp_attachment_image_alt', true), 'caption' => $post->post_excerpt);
	}
	return array('count' => array_map('intval', (array) wp_count_attachments()), 'items' => $items);
}
