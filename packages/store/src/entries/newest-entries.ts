import type { Collection, Document } from 'mongodb';
import type { EntryDocument } from './entry-document.ts';
import { applicationOfKey, fromKey } from './entry-id.ts';
import { range } from './entry-range.ts';

const newestOf = (application: string): Document[] => [
  { $match: range(application, {}) },
  { $sort: { _id: -1 } },
  { $limit: 1 },
  { $project: { _id: 1 } },
];

/**
 * When the newest entry of each of at most some hundred applications was stored; those without entries are absent. One command: to send
 * one for each costs several times as much as what they do.
 */
export async function newestEntries(
  entries: Collection<EntryDocument>,
  applications: string[],
): Promise<Map<string, Date>> {
  const [first, ...others] = applications;
  if (first === undefined) return new Map();
  const unions = others.map((application) => ({
    $unionWith: { coll: entries.collectionName, pipeline: newestOf(application) },
  }));
  const found = await entries
    .aggregate<Pick<EntryDocument, '_id'>>([...newestOf(first), ...unions])
    .toArray();
  return new Map(found.map(({ _id }) => [applicationOfKey(_id), fromKey(_id).createdAt]));
}
