<?php
$a = <<<EOT
 text {$b['k']} ${c} \u{1F600}
 EOT . <<<'N'
raw
N;
[$p, 'q' => $q] = explode('/', parse_url(getenv('DATABASE_URL'), PHP_URL_PATH));
$r = sprintf('%05d%s', 3, str_replace('a', 'b', strtoupper(trim(" x ")))) . substr('hello', -3, 2) . implode(',', array_map('trim', [1]));
$u = unserialize('a:1:{i:0;R:1;}'); $j = json_decode('{"a":[1]}', true);
for ($i = 0; $i < 3; $i++) { $z[] = $i ** 2 % 7 <=> 1; } eval('$y = 1;'); goto end; end:
$t = $a ? $b : ($c ?: $d ?? (int) "12" | ~3 & 5 ^ 1 << 2); unset($t, $a['x']); @$$n = "1" + "2"; echo `id`; ?> html <?= $x ?>
