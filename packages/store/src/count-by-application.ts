import { type Db, type Document, ObjectId } from 'mongodb';

/** How many documents of each application match, by its id. Applications without any are absent. */
export async function countByApplication(
  db: Db,
  collection: string,
  applications: string[],
  matching: Document,
): Promise<Map<string, number>> {
  const $in = applications.map((id) => new ObjectId(id));
  const found = db
    .collection(collection)
    .aggregate<{ _id: ObjectId; count: number }>([
      { $match: { application: { $in }, ...matching } },
      { $group: { _id: '$application', count: { $sum: 1 } } },
    ]);
  return new Map((await found.toArray()).map(({ _id, count }) => [_id.toHexString(), count]));
}
