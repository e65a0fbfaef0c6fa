import type { DuckDBConnection } from '@duckdb/node-api';
import { quoted } from '@sluice/shared/sql-text.ts';
import { toRefusal } from '../answer.ts';
import type { AskedFiles, Reply } from '../ask.ts';
import { readColumns } from '../columns.ts';
import { type FileCondition, whereOf } from '../conditions.ts';
import { openEntries } from '../open.ts';
import type { RowSelection } from './selection.ts';

/** Which entries count. `from` and `to`: ISO 8601. */
export interface EntriesAsk extends AskedFiles {
  conditions: FileCondition[];
  from?: string | undefined;
  to?: string | undefined;
}

/** Answers over the entries that are asked for. */
export async function overEntries<Answer>(
  asked: EntriesAsk,
  answer: (connection: DuckDBConnection, selection: RowSelection) => Promise<Answer>,
): Promise<Reply<Answer>> {
  const connection = await openEntries(asked);
  try {
    return { answer: await answer(connection, await selectionOf(connection, asked)) };
  } catch (error) {
    const { excess } = toRefusal((error as Error).message, '');
    if (!excess) throw error;
    const message = 'these entries have too many different values: choose a shorter period or another filter';
    return { refusal: { message, excess } };
  }
}

async function selectionOf(
  connection: DuckDBConnection,
  { files, conditions, from, to }: EntriesAsk,
): Promise<RowSelection> {
  const { sql, params } = whereOf(conditions, await readColumns(connection, files));
  const bounds = [
    ...(from ? [`"createdAt" >= ${quoted(from)}::timestamptz`] : []),
    ...(to ? [`"createdAt" < ${quoted(to)}::timestamptz`] : []),
  ];
  return { where: [...bounds, sql].join(' and '), params };
}
