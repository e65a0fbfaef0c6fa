import type { Document, FindCursor, ObjectId } from 'mongodb';

/** The ids of at most `limit` documents that a query finds. */
export async function idsOf(
  found: FindCursor<Document & { _id: ObjectId }>,
  limit: number,
): Promise<string[]> {
  const documents = await found.project<{ _id: ObjectId }>({ _id: 1 }).limit(limit).toArray();
  return documents.map(({ _id }) => _id.toHexString());
}
