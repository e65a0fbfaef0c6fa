import type { ErrorDetail, ErrorName } from '@sluice/shared/errors.ts';
import { Binary, ObjectId } from 'mongodb';
import type { Period } from '../entries/entry-range.ts';

export type RefusedSource = 'upload' | 'batch' | 'import';

/** Why an upload is refused. Only what a schema refused can be replayed. */
export const refusedReasons = ['schema', 'not_json', 'too_large', 'duplicate'] as const;
export type RefusedReason = (typeof refusedReasons)[number];

/** What refused uploads are grouped by: the first thing that was wrong. */
export interface Reason {
  /** JSON Pointer into the payload. */
  path: string;
  keyword: string;
  /** The member that the fault names; absent where it names none. */
  property?: string | undefined;
  /** Absent: the schema. */
  reason?: Exclude<RefusedReason, 'schema'> | undefined;
}

/** Names a batch by its key; see `BatchRecord`. */
export interface KeyedBatch {
  idempotencyHash: Buffer;
  hash: Buffer;
  atomic: boolean;
}

/** An upload, or a line of a batch or an import, that was refused. */
export interface RefusedRecord extends Reason {
  id: string;
  /** Id of the application. */
  application: string;
  at: Date;
  source: RefusedSource;
  line?: number | undefined;
  /** Of the schema. */
  version: number;
  name: ErrorName;
  message: string;
  details: ErrorDetail[];
  /** JSON text; only its beginning where `truncated`. Any text where `reason` says that it is not JSON or too large. */
  payload: string;
  truncated: boolean;
  /** Of the payload and the details, in bytes. */
  size: number;
  /** Id of the ingest key or the personal token with which it came. */
  key?: string | undefined;
  /** Id of the user, if it came with a personal token. */
  user?: string | undefined;
  /** Of its idempotency key; see `NewEntry`. */
  idempotencyHash?: Buffer | undefined;
  /** The batch of the line, if the batch has a key. */
  batch?: KeyedBatch | undefined;
  /** The network from which it came, such as `192.0.2.0/24`. */
  network?: string | undefined;
}

export interface RefusedDocument
  extends Omit<RefusedRecord, 'id' | 'application' | 'idempotencyHash' | 'batch'> {
  _id: ObjectId;
  application: ObjectId;
  once?: Binary;
  batch?: { once: Binary; hash: Binary; atomic: boolean };
  /** The key that an entry would have which was stored with it: followers get refused uploads in this order. */
  stored: Binary;
}

/** Which refused uploads are meant; all, where nothing is said. An empty property: the fault names none. */
export type RefusedSelection = Period &
  Partial<{ [Name in keyof Omit<Reason, 'reason'>]: Reason[Name] | undefined }> & {
    reason?: RefusedReason | undefined;
  } & Pick<RefusedRecord, 'key'>;

/** Whether the payload is any text, and not JSON. */
export const isText = ({ truncated, reason }: Pick<RefusedRecord, 'truncated' | 'reason'>): boolean =>
  truncated || reason === 'not_json' || reason === 'too_large';

export const newRefusedId = (): string => new ObjectId().toHexString();

export const toDocument = (
  { id, application, idempotencyHash, batch, ...rest }: RefusedRecord,
  stored: Binary,
): RefusedDocument => ({
  ...rest,
  ...(idempotencyHash && { once: new Binary(idempotencyHash) }),
  ...(batch && {
    batch: { atomic: batch.atomic, once: new Binary(batch.idempotencyHash), hash: new Binary(batch.hash) },
  }),
  _id: new ObjectId(id),
  application: new ObjectId(application),
  stored,
});

const toBytes = ({ buffer }: Binary) => Buffer.from(buffer);

export const toRefused = ({
  _id,
  application,
  once,
  batch,
  stored: _,
  ...rest
}: RefusedDocument): RefusedRecord => ({
  ...rest,
  ...(once && { idempotencyHash: toBytes(once) }),
  ...(batch && {
    batch: { atomic: batch.atomic, idempotencyHash: toBytes(batch.once), hash: toBytes(batch.hash) },
  }),
  id: _id.toHexString(),
  application: application.toHexString(),
});
