<?php
// Users of every role, of several, of none, and one whose rights are hers alone.

$seed = new Seed(11);
add_role('curator', 'Curator', array('read' => true, 'edit_posts' => true, 'upload_files' => true));

wp_update_user(array('ID' => 1, 'display_name' => 'Mara Lind', 'first_name' => 'Mara', 'last_name' => 'Lind', 'user_registered' => '2021-02-01 08:00:00'));

$roles = array_merge(
	array('administrator'),
	array_fill(0, 3, 'editor'),
	array_fill(0, 6, 'author'),
	array_fill(0, 4, 'contributor'),
	array_fill(0, 2, 'curator'),
	array_fill(0, 24, 'subscriber')
);
$people = array(1);
foreach ($roles as $i => $role) {
	$name = NAMES[$i % count(NAMES)];
	$people[] = done(wp_insert_user(wp_slash(array(
		'user_login' => sprintf('%s%02d', sanitize_user(strtolower(strtok($name, ' ')), true), $i),
		'user_pass' => "password number $i",
		'user_email' => "person$i@journal.example",
		'user_url' => $i % 5 === 0 ? "https://person$i.example/" : '',
		'display_name' => $i < count(NAMES) ? $name : "$name $i",
		'nickname' => "person-$i",
		'first_name' => strtok($name, ' '),
		'last_name' => (string) strtok(''),
		'description' => $i % 4 === 0 ? $seed->text(2) : '',
		// Three people signed up in the same second.
		'user_registered' => $i >= 20 && $i < 23 ? '2022-08-08 09:15:00' : $seed->moment('2021-03-01', '2024-10-01'),
		'role' => $role,
	))));
}
get_user_by('id', $people[2])->add_role('curator');
get_user_by('id', $people[20])->add_role('contributor');
get_user_by('id', $people[20])->add_role('author');
foreach (array(30, 31, 32) as $i) {
	get_user_by('id', $people[$i])->set_role('');
}
get_user_by('id', $people[33])->add_cap('moderate_comments');
get_user_by('id', $people[34])->add_cap('edit_posts', false);
update_user_meta($people[5], 'last_login', '1732900000');
update_user_meta($people[6], 'favourite_harbours', array('Kiel', 'Rømø', array('by' => 'boat')));

$writers = array_slice($people, 0, 11);
