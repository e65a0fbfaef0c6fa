import { toJson } from '@sluice/json/numbers.ts';
import type { TimeSteps } from '@sluice/store/entries/step-counts.ts';
import type { Reply } from '../ask.ts';
import { countSteps, countValues } from './counts.ts';
import { describeFields } from './describe-fields.ts';
import { type EntriesAsk, overEntries } from './over-entries.ts';

/** `path`: of the field by whose values entries are counted. All entries are in the steps. */
export interface CountsAsk extends EntriesAsk {
  steps: TimeSteps;
  path?: string[] | undefined;
}

/** Describes the fields of entries, as JSON. */
export const answerFields = (asked: EntriesAsk): Promise<Reply<string>> =>
  overEntries(asked, async (connection, selection) =>
    toJson(await describeFields(connection, asked.files, selection)),
  );

/** Counts entries by steps of time, as JSON. */
export const answerCounts = ({ steps, path, ...asked }: CountsAsk): Promise<Reply<string>> =>
  overEntries(asked, async (connection, selection) =>
    toJson(
      path === undefined
        ? await countSteps(connection, selection, steps)
        : await countValues(connection, selection, { files: asked.files, steps, path }),
    ),
  );
