import { isDeepStrictEqual } from 'node:util';
import type { Condition } from '@sluice/store/entries/entry-filter.ts';

/** Reads a page, and again if the key sent in a new way meanwhile: the cursor of the first page could pass over those entries. */
export async function readOfKey<Page>(
  findConditions: () => Promise<Condition[] | undefined>,
  read: (conditions: Condition[] | undefined) => Promise<Page>,
): Promise<Page> {
  for (let conditions = await findConditions(); ; ) {
    const page = await read(conditions);
    const now = await findConditions();
    if (isDeepStrictEqual(now, conditions)) return page;
    conditions = now;
  }
}
