<?php
/*
 * Plugin Name: Error Page
 * Version: 1.1
 */
echo 'The harbour is closed.';
