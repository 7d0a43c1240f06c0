<?php
# Plugin Name: Lone File
# Version: 1.0
# Author: "Quoted" O'Author
