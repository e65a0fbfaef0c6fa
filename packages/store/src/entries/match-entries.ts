import { parseExactJson } from '@sluice/json/parse-json.ts';
import type { Db } from 'mongodb';
import { allOf, type Condition } from './entry-filter.ts';

/** An entry that MongoDB does not have. `payload`: JSON. */
export interface JsonEntry {
  payload: Buffer;
  by: number | undefined;
}

/** Which entries meet all conditions, as MongoDB judges its own. They are a few thousand at most, of 8 MB. */
export async function matchEntries(
  db: Db,
  conditions: Condition[],
  entries: JsonEntry[],
): Promise<boolean[]> {
  const $literal = entries.map(({ payload, by }, at) => ({
    at,
    payload: parseExactJson(payload.toString()),
    ...(by && { by }),
  }));
  const found = db.aggregate<{ at: number }>([
    { $documents: { $literal } },
    { $match: { $expr: allOf(conditions) } },
    { $project: { at: 1 } },
  ]);
  const matching = new Set((await found.toArray()).map(({ at }) => at));
  return entries.map((_, at) => matching.has(at));
}
