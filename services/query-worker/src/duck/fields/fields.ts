import { toJson } from '@sluice/json/numbers.ts';
import { quoted } from '@sluice/shared/sql-text.ts';
import type { AskedFiles, Reply } from '../ask.ts';
import { type Columns, readColumns } from '../columns.ts';
import { type FileCondition, whereOf } from '../conditions.ts';
import { openEntries } from '../open.ts';
import { describeFields } from './describe-fields.ts';
import type { Selection } from './selection.ts';

/** Which entries are described. */
export interface FieldsAsked extends AskedFiles {
  conditions: FileCondition[];
  /** ISO 8601. */
  from?: string | undefined;
  to?: string | undefined;
}

/** Describes the fields of entries, as JSON. */
export async function answerFields(asked: FieldsAsked): Promise<Reply<string>> {
  const connection = await openEntries(asked);
  const selection = selectionOf(asked, await readColumns(connection, asked.files));
  return { answer: toJson(await describeFields(connection, asked.files, selection)) };
}

export function selectionOf(
  { conditions, from, to }: Pick<FieldsAsked, 'conditions' | 'from' | 'to'>,
  columns: Columns,
): Selection {
  const { sql, params } = whereOf(conditions, columns);
  const ends = [
    ...(from ? [`"createdAt" >= ${quoted(from)}::timestamptz`] : []),
    ...(to ? [`"createdAt" < ${quoted(to)}::timestamptz`] : []),
  ];
  return { where: [...ends, sql].join(' and '), params };
}
