import type { DuckDBConnection } from '@duckdb/node-api';
import { toJson } from '@sluice/json/numbers.ts';
import { quoted } from '@sluice/shared/sql-text.ts';
import type { AskedFiles, Reply } from '../ask.ts';
import { readColumns } from '../columns.ts';
import { type FileCondition, whereOf } from '../conditions.ts';
import { Undecided } from '../numbers.ts';
import { openEntries } from '../open.ts';
import { describeFields } from './describe-fields.ts';
import type { Selection } from './selection.ts';

/** Which entries count. `from` and `to`: ISO 8601. */
export interface AskedEntries extends AskedFiles {
  conditions: FileCondition[];
  from?: string | undefined;
  to?: string | undefined;
}

/** Describes the fields of entries, as JSON. */
export const answerFields = (asked: AskedEntries): Promise<Reply<string>> =>
  overEntries(asked, async (connection, selection) =>
    toJson(await describeFields(connection, asked.files, selection)),
  );

/** Answers over the entries that are asked for. */
async function overEntries<Answer>(
  asked: AskedEntries,
  answer: (connection: DuckDBConnection, selection: Selection) => Promise<Answer>,
): Promise<Reply<Answer>> {
  const connection = await openEntries(asked);
  try {
    return { answer: await answer(connection, await selectionOf(connection, asked)) };
  } catch (error) {
    if (error instanceof Undecided) return { refusal: { message: error.message } };
    throw error;
  }
}

async function selectionOf(
  connection: DuckDBConnection,
  { files, conditions, from, to }: AskedEntries,
): Promise<Selection> {
  const { sql, params } = whereOf(conditions, await readColumns(connection, files));
  const bounds = [
    ...(from ? [`"createdAt" >= ${quoted(from)}::timestamptz`] : []),
    ...(to ? [`"createdAt" < ${quoted(to)}::timestamptz`] : []),
  ];
  return { where: [...bounds, sql].join(' and '), params };
}
