<?php
/**
 * The site's own configuration, in the shape of the sample that WordPress comes with.
 */

// ** Database settings ** //
define( 'DB_NAME', '@DATABASE@' );
// define( 'DB_USER', 'root' );
define( 'DB_USER', '@USER@' );
define( 'DB_PASSWORD', '@PASSWORD@' );
define( 'DB_HOST', '127.0.0.1:@PORT@' );
define( 'DB_CHARSET', 'utf8mb4' );
define( 'DB_COLLATE', '' );

/**#@+
 * Authentication unique keys and salts.
 */
define( 'AUTH_KEY',         'k1:qX7{pW+n2]rT9|vB4;mZ8<cL5>dF3?gH6' );
define( 'SECURE_AUTH_KEY',  'k2:aS1$dF2%gH3^jK4&lZ5*xC6(vB7)nM8_q' );
define( 'LOGGED_IN_KEY',    'k3:pO9[iU8{yT7}rE6]wQ5;lK4:jH3,gF2.d' );
define( 'NONCE_KEY',        'k4:zX1/cV2?bN3<mA4>sD5"fG6|hJ7~kL8`p' );
define( 'AUTH_SALT',        's1:mN8!bV7@cX6#zL5$kJ4%hG3^fD2&sA1*o' );
define( 'SECURE_AUTH_SALT', 's2:qW1(eR2)tY3_uI4+oP5-aS6=dF7[gH8]j' );
define( 'LOGGED_IN_SALT',   's3:lK9{jH8}gF7|dS6;aP5:oI4"uY3<tR2>e' );
define( 'NONCE_SALT',       's4:vB1,nM2.qA3/wS4?eD5`rF6~tG7!yH8@u' );
/**#@-*/

$table_prefix = 'lq7_';

define( 'WP_DEBUG', false );
define( 'WP_DEBUG_LOG', true );
define( 'WP_POST_REVISIONS', 5 );

/* That's all, stop editing! Happy publishing. */

/** Absolute path to the WordPress directory. */
if ( ! defined( 'ABSPATH' ) ) {
	define( 'ABSPATH', __DIR__ . '/' );
}

/** Sets up WordPress vars and included files. */
require_once ABSPATH . 'wp-settings.php';
