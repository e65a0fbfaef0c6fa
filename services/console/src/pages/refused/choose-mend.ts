import type { RefusedGroup } from '../../api/refused.ts';
import type { SchemaFix } from './suggest.ts';
import type { ChangeSuggestion, Values } from './suggest-change.ts';

export type Mend = 'uploads' | 'schema';

/** Wider limits of size and new fields lose nothing, and leave each column as it is. */
const harmless = ['additionalProperties', 'maxLength', 'maxItems'];

interface Known {
  group: Pick<RefusedGroup, 'keyword'>;
  values: Pick<Values, 'read'>;
  change: Pick<ChangeSuggestion, 'covers'>;
  fix: SchemaFix | undefined;
  /** Whether most uploads conform: see `Conforming`. */
  isUsual: boolean;
}

/** Whether the change is about most of the uploads that were read. */
const coversMost = ({ change: { covers }, values: { read } }: Known) => covers > 0 && covers * 2 >= read;
const isHarmless = ({ group: { keyword } }: Known) => harmless.includes(keyword);

/** The mend that fits what is stored, and so comes first. */
export function chooseMend(known: Known): Mend {
  if (!known.fix || coversMost(known)) return 'uploads';
  return isHarmless(known) || !known.isUsual ? 'schema' : 'uploads';
}

/** Why it comes first: a place in the words. */
export function whyFirst(known: Known) {
  if (chooseMend(known) === 'schema') return isHarmless(known) ? 'harmless' : 'schema';
  if (coversMost(known)) return 'convertible';
  return known.isUsual ? 'usual' : 'alone';
}
