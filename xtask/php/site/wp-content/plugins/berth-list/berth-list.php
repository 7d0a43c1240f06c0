<?php
/**
 * Plugin Name: Berth List & Map
 * Plugin URI:  https://berths.example/
 * Description: Lists <em>berths</em> with their depth.
 * Version:     2.4.1
 * Requires at least: 5.9
 * Requires PHP: 7.4
 * Author:      Quay Works
 * Author URI:  https://quay-works.example/
 * Text Domain: berth-list
 * License:     GPL-2.0-or-later
 */

defined( 'ABSPATH' ) || exit;

require_once __DIR__ . '/includes/depth.php';

add_shortcode( 'berths', 'berth_list_shortcode' );
