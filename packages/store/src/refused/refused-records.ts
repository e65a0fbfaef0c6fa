import type { RefusedSource } from '@sluice/shared/contracts/refused.ts';
import type { ErrorDetail, ErrorName } from '@sluice/shared/errors.ts';
import { type Binary, ObjectId } from 'mongodb';
import type { Period } from '../entries/entry-range.ts';

/** What refused uploads are grouped by: the first thing that was wrong. */
export interface Reason {
  /** JSON Pointer into the payload. */
  path: string;
  keyword: string;
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
  /** JSON text; only its beginning where `truncated`. */
  payload: string;
  truncated: boolean;
  /** Of the payload and the details, in bytes. */
  size: number;
  /** Id of the ingest key with which it came. */
  key?: string | undefined;
  /** The network from which it came, such as `192.0.2.0/24`. */
  network?: string | undefined;
}

export interface RefusedDocument extends Omit<RefusedRecord, 'id' | 'application'> {
  _id: ObjectId;
  application: ObjectId;
  /** The key that an entry would have which was stored with it: followers get refused uploads in this order. */
  stored: Binary;
}

/** Which refused uploads are meant; all, where nothing is said. */
export type RefusedSelection = Period & Partial<{ [Name in keyof Reason]: Reason[Name] | undefined }>;

export const newRefusedId = (): string => new ObjectId().toHexString();

export const toDocument = ({ id, application, ...rest }: RefusedRecord, stored: Binary): RefusedDocument => ({
  ...rest,
  _id: new ObjectId(id),
  application: new ObjectId(application),
  stored,
});

export const toRefused = ({ _id, application, stored: _, ...rest }: RefusedDocument): RefusedRecord => ({
  ...rest,
  id: _id.toHexString(),
  application: application.toHexString(),
});
