import { senderMeta } from '@sluice/tables/columns.ts';
import Type from 'typebox';
import { invalidParameter } from './refusals.ts';

/** Names in a query, separated by commas. */
export const MetaOf = (names: readonly string[], description: string) =>
  Type.String({
    pattern: `^(${names.join('|')})(,(${names.join('|')}))*$`,
    description: `Must be some of ${names.map((name) => `\`${name}\``).join(', ')}, separated by commas. ${description}`,
  });

export const aboutSender =
  '`source` says how an entry came, `key` is the id of its ingest key, `by` the username of a personal token or the id of the import or replay.';

export const EntryMeta = MetaOf(senderMeta, `Entries have these members too: ${aboutSender}`);

/** The names of `meta` in a query. Throws ApiError if one comes twice. */
export function toMeta<Name extends string>(text?: string): Name[] {
  const names = (text === undefined ? [] : text.split(',')) as Name[];
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice === undefined) return names;
  throw invalidParameter('meta', 'uniqueItems', `names ${twice} twice`);
}
