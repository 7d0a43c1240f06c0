<?php
// A folder with code and no header is no plugin.
