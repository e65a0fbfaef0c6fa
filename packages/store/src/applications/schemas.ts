import { within } from '@sluice/shared/deadline.ts';
import { type Db, ObjectId } from 'mongodb';
import { changing } from '../changes.ts';
import { inTransaction } from '../in-transaction.ts';
import { type ApplicationDocument, type ApplicationRecord, alive, toRecord } from './application-document.ts';
import type { FieldStore } from './fields.ts';

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

/** `fields`: recorded before the first entry that has them. */
type NewVersion = Pick<SchemaVersion, 'rawSchema' | 'note' | 'createdBy'> & { fields: string[] };

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

/** The versions of schemas: the one in force is in the application, the ones before it are here. */
export function schemaStore(db: Db, fields: FieldStore, timeoutMs: number) {
  const earlier = db.collection<SchemaDocument>('schemas');
  const applications = db.collection<ApplicationDocument>('applications');

  return {
    /** Newest first. */
    async *list(application: ApplicationRecord): AsyncGenerator<SchemaVersion> {
      yield inForce(application);
      // Earlier builds could leave the version that is still in force.
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

    /** Makes the next version, and records its fields: all or nothing. Undefined when the application has another version by now, or is deleted. */
    async publish(
      application: ApplicationRecord,
      { rawSchema, note, createdBy, fields: pointers }: NewVersion,
    ): Promise<ApplicationRecord | undefined> {
      const _id = new ObjectId(application.id);
      const { version } = application;
      const now = new Date();
      const published = { rawSchema, version: version + 1, publishedAt: now, publishedBy: createdBy };
      const publishing = inTransaction(db, async (session) => {
        const updated = await applications.findOneAndUpdate(
          { _id, ...alive, version: version === 1 ? { $exists: false } : version },
          changing({
            $set: { ...published, ...(note !== undefined && { note }), lastModifiedAt: now },
            ...(note === undefined && { $unset: { note: '' } }),
          }),
          { returnDocument: 'after', session },
        );
        if (!updated) return undefined;
        const { version: _, ...replaced } = inForce(application);
        await earlier.updateOne(
          { application: _id, version },
          { $setOnInsert: replaced },
          { upsert: true, session },
        );
        await fields.add(application.id, pointers, session);
        return toRecord(updated);
      });
      return within(timeoutMs, 'the publication was not confirmed in time', publishing);
    },
  };
}
