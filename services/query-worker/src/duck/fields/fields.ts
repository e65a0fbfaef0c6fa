import { toJson } from '@sluice/json/numbers.ts';
import { quoted } from '@sluice/shared/sql-text.ts';
import type { Condition } from '@sluice/store/entries/entry-filter.ts';
import type { AskedFiles, Reply } from '../ask.ts';
import { whereOf } from '../conditions.ts';
import { open } from '../open.ts';
import { describeFields } from './describe-fields.ts';
import type { Selection } from './groups.ts';

/** Which entries are described. */
export interface FieldsAsked extends AskedFiles {
  conditions: Condition[];
  /** ISO 8601. */
  from?: string | undefined;
  to?: string | undefined;
}

/** Describes the fields of entries, as JSON. */
export async function answerFields(asked: FieldsAsked): Promise<Reply<string>> {
  const connection = await open(asked);
  return { answer: toJson(await describeFields(connection, asked.files, selectionOf(asked))) };
}

export function selectionOf({
  conditions,
  from,
  to,
}: Pick<FieldsAsked, 'conditions' | 'from' | 'to'>): Selection {
  const { sql, params } = whereOf(conditions, new Map());
  const ends = [
    ...(from ? [`"createdAt" >= ${quoted(from)}::timestamptz`] : []),
    ...(to ? [`"createdAt" < ${quoted(to)}::timestamptz`] : []),
  ];
  return { where: [...ends, sql].join(' and '), params };
}
