import { type Document, MongoClient, ObjectId } from 'mongodb';

/** A collection with an index for listing. Its writes are as durable as Sluice's. */
export async function openCollection(url: string) {
  const client = new MongoClient(url, {
    writeConcern: { w: 'majority', journal: true },
    maxPoolSize: 50,
  });
  const entries = client.db().collection('entries');
  await entries.createIndex({ application: 1, createdAt: 1, _id: 1 });
  const application = new ObjectId();
  const toDocument = (payload: Document) => ({
    _id: new ObjectId(),
    application,
    createdAt: new Date(),
    payload,
  });
  /** Inserts all of them with one command. */
  async function insert(documents: Document[]): Promise<void> {
    const writeConcern = { w: 'majority', j: true };
    const { n } = await client.db().command({ insert: 'entries', ordered: false, writeConcern, documents });
    if (n !== documents.length) throw new Error(`${n} of ${documents.length} documents stored`);
  }

  return { entries, insert, toDocument };
}
