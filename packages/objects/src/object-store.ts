export interface ObjectInfo {
  name: string;
  bytes: number;
  modifiedAt: Date;
}

/** A bucket, or a folder. Names are paths with `/`. All reject with `ObjectStoreError`. */
export interface ObjectStore {
  /** Stores a new object, which can be read once it is whole. False: the name is taken, and nothing changed. */
  create(name: string, pieces: AsyncIterable<Uint8Array>): Promise<boolean>;
  /** Stores an object in place of the one that may have the name. */
  replace(name: string, pieces: AsyncIterable<Uint8Array>): Promise<void>;
  /** Undefined where there is no such object. */
  read(name: string): Promise<AsyncIterable<Buffer> | undefined>;
  /** Those whose names begin so, in no order. */
  list(prefix: string): AsyncIterable<ObjectInfo>;
  /** Does nothing where there is no such object. */
  remove(name: string): Promise<void>;
  close(): void;
}

/** The store cannot be used. The message tells its owner in one sentence what to do, and has no secret. */
export class ObjectStoreError extends Error {
  override name = 'ObjectStoreError';
}
