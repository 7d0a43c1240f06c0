<?php
/*
Plugin Name: Sleeping
Version: 0.9-beta
Description: Installed and never switched on.
Author: Nobody
*/
