<?php
/**
 * Plugin Name: Windows Lines
 * Version: 3.10.2
 * Description: Saved with carriage returns.
 * Author: Editor
 * Update URI: https://updates.example/windows-lines
 */
