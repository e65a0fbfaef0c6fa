import { type Db, ObjectId } from 'mongodb';
import { isDuplicate } from '../faults.ts';
import { type ApplicationDocument, type ApplicationRecord, alive, toRecord } from './application-document.ts';

/** One version of an application's schema. */
export interface SchemaVersion {
  version: number;
  /** As it was sent. */
  rawSchema: string;
  note?: string | undefined;
  createdAt: Date;
  /** Username. */
  createdBy: string;
}

interface SchemaDocument extends SchemaVersion {
  _id: ObjectId;
  application: ObjectId;
}

const newestFirst = { version: -1 } as const;

const inForce = ({
  version,
  rawSchema,
  note,
  publishedAt,
  publishedBy,
  ...application
}: ApplicationRecord) => ({
  version,
  rawSchema,
  note,
  createdAt: publishedAt ?? application.createdAt,
  createdBy: publishedBy ?? application.owner.username,
});

const toVersion = ({ _id, application, ...version }: SchemaDocument): SchemaVersion => version;

export type SchemaStore = ReturnType<typeof schemaStore>;

/** The versions of schemas: the one in force is in the application, the ones before it are here. */
export function schemaStore(db: Db) {
  const earlier = db.collection<SchemaDocument>('schemas');
  const applications = db.collection<ApplicationDocument>('applications');

  return {
    /** Newest first. */
    async *list(application: ApplicationRecord): AsyncGenerator<SchemaVersion> {
      yield inForce(application);
      // A publication that did not come to its end leaves the version that is still in force.
      const filter = { application: new ObjectId(application.id), version: { $lt: application.version } };
      for await (const found of earlier.find(filter).sort(newestFirst).batchSize(10)) yield toVersion(found);
    },

    /** Undefined when there is no such version. */
    async of(application: ApplicationRecord, version: number): Promise<SchemaVersion | undefined> {
      if (version === application.version) return inForce(application);
      if (version > application.version) return undefined;
      const found = await earlier.findOne({ application: new ObjectId(application.id), version });
      return found ? toVersion(found) : undefined;
    },

    /** Makes the next version; undefined when the application has another version by now, or is deleted. */
    async publish(
      application: ApplicationRecord,
      { rawSchema, note, createdBy }: Pick<SchemaVersion, 'rawSchema' | 'note' | 'createdBy'>,
    ): Promise<ApplicationRecord | undefined> {
      const _id = new ObjectId(application.id);
      const { version } = application;
      try {
        await earlier.insertOne({ _id: new ObjectId(), application: _id, ...inForce(application) });
      } catch (error) {
        if (!isDuplicate(error)) throw error;
      }
      const now = new Date();
      const published = { rawSchema, version: version + 1, publishedAt: now, publishedBy: createdBy };
      const updated = await applications.findOneAndUpdate(
        { _id, ...alive, version: version === 1 ? { $exists: false } : version },
        {
          $set: { ...published, ...(note !== undefined && { note }), lastModifiedAt: now },
          ...(note === undefined && { $unset: { note: '' } }),
        },
        { returnDocument: 'after' },
      );
      return updated ? toRecord(updated) : undefined;
    },
  };
}
