<?php
class JConfig extends Base { const A = 1; public $host = 'localhost'; public static $password = "s\$3"; public $list = ['a' => [1, 2.5e3, null]];
  function __construct() { $this->host = env('H', 'x'); } }
switch ($_SERVER['HTTP_HOST'] ?? '') { case 'a': $x = 1; break; default: $x = 2; }
return ['db' => ['host' => JConfig::A, ...$list], 'n' => fn($a) => $a * 2, 'm' => match(true) { default => 1 }];
