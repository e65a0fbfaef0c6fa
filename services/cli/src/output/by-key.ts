import { ApiFailure } from '../api/answer.ts';
import type { Context } from '../context.ts';
import { harmless } from '../terminal.ts';

export interface ToldKey {
  /** Null: sent without an ingest key. */
  key: string | null;
  checked: number;
  refused: number;
  paths: string[];
}

/** Prints a line for each ingest key of which something would be refused, where senders have keys. */
export async function sayByKey(context: Context, counts: ToldKey[] = []): Promise<void> {
  const refusing = counts.filter(({ refused }) => refused > 0);
  if (refusing.every(({ key }) => key === null)) return;
  const { say } = context;
  const names = await keyNames(context);
  for (const { key, checked, refused, paths } of refusing) {
    const who = key === null ? 'without a key' : `key ${names.get(key) ?? key}`;
    const share = (refused / checked).toLocaleString('en', { style: 'percent', maximumFractionDigits: 1 });
    const where = paths.map((pointer) => pointer || '/').join(', ');
    const what = `${share} of ${checked.toLocaleString('en')} would be refused`;
    say(harmless(`${who}: ${what}${where && `, at ${where}`}`));
  }
}

/** The names of ingest keys by their ids. Readers of an application may not see them. */
export async function keyNames({ api, path, retry }: Context): Promise<Map<string, string>> {
  try {
    const { data } = await retry(() => api.ask<{ id: string; name: string }[]>('GET', path('/keys')));
    return new Map(data.map(({ id, name }) => [id, name]));
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 403) return new Map();
    throw error;
  }
}
