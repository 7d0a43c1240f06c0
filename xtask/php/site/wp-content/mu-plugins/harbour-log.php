<?php
/**
 * Plugin Name: Harbour Log
 * Description: Registers the log of the harbour watch and its seasons.
 * Version: 1.2.0
 * Author: Quay Works
 */

add_action(
	'init',
	function () {
		register_post_type(
			'harbour_log',
			array(
				'label'    => 'Harbour log',
				'public'   => true,
				'rewrite'  => array( 'slug' => 'log' ),
				'supports' => array( 'title', 'editor', 'author' ),
			)
		);
		register_taxonomy( 'season', 'harbour_log', array( 'label' => 'Season', 'public' => true ) );
		register_nav_menus( array( 'primary' => 'Top', 'footer' => 'Bottom' ) );
	}
);
