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

/** The mend that fits what is stored, and so comes first. */
export function chooseMend({ group, values, change, fix, isUsual }: Known): Mend {
  if (!fix) return 'uploads';
  if (change.covers > 0 && change.covers * 2 >= values.read) return 'uploads';
  if (harmless.includes(group.keyword)) return 'schema';
  return isUsual ? 'uploads' : 'schema';
}

/** Why it comes first: a place in the words. */
export function whyFirst(known: Known) {
  const { change, values, group, isUsual } = known;
  if (chooseMend(known) === 'schema') return harmless.includes(group.keyword) ? 'harmless' : 'schema';
  return change.covers * 2 >= values.read && change.covers > 0 ? 'convertible' : isUsual ? 'usual' : 'alone';
}
