import type { Store } from '@sluice/jobs/connect.ts';
import { type Condition, escaped } from '@sluice/store/entries/entry-filter.ts';
import type { FileCondition } from './duck/conditions.ts';

/** Conditions as files take them. */
export const toFileConditions = (
  { foldedLetters }: Pick<Store, 'foldedLetters'>,
  conditions: Condition[],
): Promise<FileCondition[]> =>
  Promise.all(
    conditions.map(async (one) => {
      if ('senders' in one) return { key: one.key };
      if (one.operator !== 'contains') return one;
      const letters = await foldedLetters(one.value);
      return {
        ...one,
        pattern: letters
          .map((some) => some.map(escaped).join('|'))
          .map((any) => `(?:${any})`)
          .join(''),
      };
    }),
  );
