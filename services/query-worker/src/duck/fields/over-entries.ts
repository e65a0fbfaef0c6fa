import type { DuckDBConnection } from '@duckdb/node-api';
import { toRefusal } from '../answer.ts';
import type { AskedFiles, Reply } from '../ask.ts';
import { readColumns } from '../columns.ts';
import { type FileCondition, whereOf } from '../conditions.ts';
import { openEntries } from '../open.ts';
import { type AskedPeriod, boundsOf } from '../period.ts';
import type { RowSelection } from './selection.ts';

/** Which entries count. */
export interface EntriesAsk extends AskedFiles, AskedPeriod {
  conditions: FileCondition[];
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
  { files, conditions, ...period }: EntriesAsk,
): Promise<RowSelection> {
  const { sql, params } = whereOf(conditions, await readColumns(connection, files));
  return { where: [...boundsOf(period), sql].join(' and '), params };
}
