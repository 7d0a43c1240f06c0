<?php
// Loads the WordPress in the folder that the command line names, as a program without a web server.
//
// Nothing leaves the machine: no requests, no mail, no scheduled work. Errors end the script and are printed.

if (PHP_SAPI !== 'cli' || $argc !== 2) {
	fwrite(STDERR, "usage: php {$argv[0]} FOLDER-OF-WORDPRESS\n");
	exit(2);
}
define('WP_DISABLE_FATAL_ERROR_HANDLER', true);
define('WP_HTTP_BLOCK_EXTERNAL', true);
define('DISABLE_WP_CRON', true);
$_SERVER['HTTP_HOST'] = 'journal.example';
$_SERVER['SERVER_NAME'] = 'journal.example';
$_SERVER['SERVER_PROTOCOL'] = 'HTTP/1.1';
$_SERVER['REQUEST_METHOD'] = 'GET';
$_SERVER['REQUEST_URI'] = '/';
$_SERVER['HTTPS'] = 'on';

// WordPress takes this one instead of its own.
function wp_mail($to, $subject, $message, $headers = '', $attachments = array())
{
	return true;
}

require rtrim($argv[1], '/') . '/wp-load.php';

set_error_handler(function ($severity, $message, $file, $line) {
	if (error_reporting() & $severity & ~(E_DEPRECATED | E_USER_DEPRECATED)) {
		throw new ErrorException($message, 0, $severity, $file, $line);
	}
	return true;
});

/** The value, unless WordPress answered with an error. */
function done($value)
{
	if (is_wp_error($value)) {
		throw new RuntimeException($value->get_error_message());
	}
	if ($value === false || $value === 0 || $value === null) {
		throw new RuntimeException('WordPress refused without saying why');
	}
	return $value;
}
