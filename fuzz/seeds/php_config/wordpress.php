<?php
define( 'DB_NAME', getenv('WORDPRESS_DB_NAME') ?: 'wordpress' );
define( 'DB_PASSWORD', getenv_docker('WORDPRESS_DB_PASSWORD', 'example') );
define( "AUTH_KEY", "a{$x}b\x41" . 'c' );
$table_prefix = 'wp_';
$s = &$GLOBALS['table_prefix'];
if ( ! defined( 'ABSPATH' ) ) { define( 'ABSPATH', __DIR__ . '/' ); }
if ( isset( $_SERVER['HTTPS'] ) && 'on' === $_SERVER['HTTPS'] ) { $_SERVER['X'] = 1; } elseif ( file_exists( __DIR__ . '/b.php' ) ) { include_once 'b.php'; } else { exit; }
foreach ( array( 'A' => 1, 'B' => 0x1f ) as $k => $v ) { if ( ! defined( $k ) ) define( $k, $v ); }
require_once ABSPATH . 'wp-settings.php';
