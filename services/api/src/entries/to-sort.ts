import { readField } from '../http/filter.ts';
import { invalidParameter } from '../http/refusals.ts';
import type { EntriesQuery } from './contract.ts';
import type { Sort } from './matching.ts';

/** Entries that can be reached in the order of a field. */
const mostSorted = 10_000;

const refusal = (message: string) => invalidParameter('sort', 'sort', message);

/** The order that a list is asked for; undefined: that of time. Throws ApiError. */
export function toSort({ sort, order, after, start = 0, limit = 100 }: EntriesQuery): Sort | undefined {
  if (sort === undefined) return undefined;
  const descending = sort.startsWith('-');
  const name = sort.slice(descending ? 1 : 0);
  if (name === '') throw refusal('names no field');
  if (name === 'createdAt')
    throw refusal('is the time of the entry: use `order`, or /createdAt for a member of that name');
  const field = readField(name);
  if ('message' in field) throw refusal(field.message);
  if (order === 'oldest') throw refusal('has an order of its own: leave out `order`');
  if (after !== undefined) throw refusal('has no cursors: use `start` in place of `after`');
  if (start + limit > mostSorted)
    throw refusal('reaches the first 10,000 entries: narrow them by a filter, or export all');
  return { path: field.path, descending };
}
