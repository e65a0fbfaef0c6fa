import type { Document, FindCursor, ObjectId } from 'mongodb';

/** The ids of the documents that a query finds; of at most `limit`, where there is one. */
export async function idsOf(found: FindCursor<Document & { _id: ObjectId }>, limit = 0): Promise<string[]> {
  const documents = await found.project<{ _id: ObjectId }>({ _id: 1 }).limit(limit).toArray();
  return documents.map(({ _id }) => _id.toHexString());
}
