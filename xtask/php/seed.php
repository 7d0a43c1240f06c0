<?php
// The same pseudo-random choices on every machine and in every version of PHP, and the words they are made on.

final class Seed
{
	private $state;

	public function __construct(int $state)
	{
		$this->state = $state;
	}

	/** A number from 0 up to, not including, $bound. */
	public function below(int $bound): int
	{
		return ($this->step() << 15 | $this->step()) % $bound;
	}

	/** The upper bits only: the lower ones of such a generator repeat soon. */
	private function step(): int
	{
		$this->state = ($this->state * 1103515245 + 12345) & 0x7fffffff;
		return $this->state >> 16;
	}

	public function pick(array $choices)
	{
		return $choices[$this->below(count($choices))];
	}

	/** Some different elements, in their own order. */
	public function some(array $choices, int $count): array
	{
		while (count($choices) > $count) {
			array_splice($choices, $this->below(count($choices)), 1);
		}
		return $choices;
	}

	public function chance(int $percent): bool
	{
		return $this->below(100) < $percent;
	}

	/** A local date and time between two days, to the minute. */
	public function moment(string $from, string $to): string
	{
		$start = strtotime("$from 00:00:00 UTC");
		$minutes = intdiv(strtotime("$to 00:00:00 UTC") - $start, 60);
		return gmdate('Y-m-d H:i:s', $start + 60 * $this->below($minutes));
	}

	public function title(): string
	{
		$shape = $this->below(4);
		if ($shape === 0) {
			return $this->pick(ADJECTIVES) . ' ' . $this->pick(NOUNS) . ' ' . $this->pick(PLACES);
		}
		if ($shape === 1) {
			return 'Notes on the ' . $this->pick(NOUNS) . ', ' . $this->pick(PLACES);
		}
		if ($shape === 2) {
			return $this->pick(NOUNS) . ' & ' . $this->pick(NOUNS) . ' – ' . $this->pick(PLACES);
		}
		return 'The ' . $this->pick(ADJECTIVES) . ' ' . $this->pick(NOUNS);
	}

	public function sentence(): string
	{
		return ucfirst($this->pick(OPENINGS)) . ' the ' . $this->pick(ADJECTIVES) . ' ' . $this->pick(NOUNS)
			. ' ' . $this->pick(PLACES) . ', ' . $this->pick(CLOSINGS) . '.';
	}

	public function text(int $sentences): string
	{
		$text = array();
		for ($i = 0; $i < $sentences; $i++) {
			$text[] = $this->sentence();
		}
		return implode(' ', $text);
	}

	public function blocks(int $paragraphs): string
	{
		$blocks = array();
		for ($i = 0; $i < $paragraphs; $i++) {
			$blocks[] = "<!-- wp:paragraph -->\n<p>" . $this->text(2 + $this->below(3)) . "</p>\n<!-- /wp:paragraph -->";
		}
		return implode("\n\n", $blocks);
	}
}

const ADJECTIVES = array('quiet', 'salted', 'narrow', 'early', 'Danish', 'wooden', 'low', 'unfinished', 'blue', 'stormy', 'smoked', 'second', 'Größte', 'borrowed', 'bright', 'rusty');
const NOUNS = array('harbour', 'lantern', 'tide', 'ferry', 'soup', 'net', 'pilot', 'rope', 'lighthouse', 'herring', 'dinghy', 'café', 'ledger', 'bell', 'anchor', 'quay', 'chart', 'Fähre');
const PLACES = array('in Kiel', 'on Rømø', 'at the quay', 'by night', 'off Fanø', 'before breakfast', 'in the fog', 'below deck', 'near Ærø', 'at low tide', 'in a hurry');
const OPENINGS = array('we found', 'nobody painted', 'they mended', 'she drew', 'he sold', 'you can still see', 'somebody moved', 'the children named', 'it rained on', 'I remember');
const CLOSINGS = array('and the kettle was still warm', 'which is why the bell rings twice', 'though the chart says otherwise', 'as every pilot knows', 'without a word', 'for the third time that week', 'and wrote it down', 'just before low tide', 'so we waited');
const NAMES = array('Anna Björk', 'Bram de Wit', 'Carla Núñez', 'Dmytro Koval', 'Eva O\'Neill', 'Farid Haddad', 'Greta Åkesson', 'Hugo Petit', 'Ines Straße', 'Jonas Lund', 'Kaito 田中', 'Lena Weiß', 'Milo Rossi', 'Nora Ødegård', 'Otto Prinz', 'Pia Nowak');
