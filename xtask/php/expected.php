<?php
// Prints, as one JSON object, what WordPress's own API says about the site. Numbers are numbers, dates are as the
// database has them (local unless the name ends in _gmt), texts are as stored (entities and all).
//
// {
//   "site":     {version, home, siteurl, blogname, timezone, prefix, stylesheet, template, permalink_structure,
//                language, multisite},
//   "posts":    [{name, viewer: "visitor"|"administrator", args: arguments of WP_Query, found: rows without the
//                limit (0 for a page past the end), pages, ids: [], titles: [], dates: [], statuses: [], types: []}]
//                The lists run in parallel, in WordPress's order; "home" is the only one that asks for the blog's
//                front page, where sticky posts come first and on top of the limit.
//   "post_counts": {post type: {status: n}}                     wp_count_posts, as the administrator
//   "permalinks":  [{id, type, status, url}]                    get_permalink, as the administrator
//   "excerpts":    [{id, text}]                                 wp_trim_words of the stripped content, 30 words
//   "users":    {count: {total_users, avail_roles: {role: n}},  count_users
//                roles: {slug: {name, capabilities: {}}},       wp_roles
//                all: [{id, login, nicename, email, display_name, registered, roles: [], capabilities: {} as held
//                       by the user alone, administrator: bool, published: n (count_user_posts of published
//                       ones)}],
//                queries: [{name, args: arguments of WP_User_Query, total, ids: [], logins: []}]},
//   "plugins":  {all: {file: {Name, Version, Author, Description, ...}}, active: [file], must_use: {...},
//                drop_ins: {...}},                              get_plugins without markup or translation
//   "comments": {count: {approved, moderated, spam, trash, post-trashed, total_comments, all},
//                by_post: {post id: approved comments},         get_comments_number, where there are any
//                queries: [{name, args: arguments of get_comments, total, ids: [], authors: []}]},
//   "options":  {alloptions: {count, bytes: of all values},     wp_load_alloptions
//                stored: {count, bytes},                        all rows
//                values: {name: value},                         get_option; an object is a JSON object
//                absent: [name]},
//   "terms":    [{name, args: arguments of get_terms, terms: [{id, name, slug, taxonomy, parent, count,
//                description, url}]}],
//   "menus":    {menus: [{id, name, slug, count}], locations: {slug: menu id},
//                items: {menu slug: [{id, title, url, type, object, object_id, parent, order, target, classes}]}},
//   "media":    {count: {MIME type: n}, items: [{id, title, mime, parent, url, file: relative path, exists,
//                bytes: size on disk or null, width, height, alt, caption}]},
//   "cron":     [{timestamp, hook, key, schedule: name or false, interval: seconds or null, args: []}],
//   "paths":    {content, plugins, must_use, uploads, uploads_url}  relative to the site's folder, but the URL
// }

require __DIR__ . '/boot.php';
require_once ABSPATH . 'wp-admin/includes/plugin.php';
require __DIR__ . '/expected_content.php';
require __DIR__ . '/expected_settings.php';

wp_set_current_user(0);
$answers = array(
	'site' => expected_site(),
	'posts' => expected_posts(),
	'post_counts' => as_administrator('expected_post_counts'),
	'permalinks' => as_administrator('expected_permalinks'),
	'excerpts' => expected_excerpts(),
	'users' => expected_users(),
	'plugins' => expected_plugins(),
	'comments' => expected_comments(),
	'options' => expected_options(),
	'terms' => expected_terms(),
	'menus' => expected_menus(),
	'media' => expected_media(),
	'cron' => expected_cron(),
	'paths' => expected_paths(),
);
echo json_encode($answers, JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_THROW_ON_ERROR), "\n";

function as_administrator(callable $ask)
{
	wp_set_current_user(1);
	$answer = $ask();
	wp_set_current_user(0);
	return $answer;
}

/** A map stays a map in JSON when it is empty or its keys are 0, 1, 2. */
function map($pairs): object
{
	return (object) $pairs;
}
