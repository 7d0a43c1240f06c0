<?php
/*
 * Plugin Name: Not a plugin: two folders deep
 */

function berth_list_shortcode() {
	return '<ul><li>Berth 1: 4.5 m</li></ul>';
}
