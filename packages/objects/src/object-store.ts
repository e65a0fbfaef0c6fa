export interface ObjectInfo {
  name: string;
  bytes: number;
  modifiedAt: Date;
}

/** Stores an object in parts, by one process after the other. Readers see the object once it is finished. */
export interface ObjectParts {
  /** Returns an id for the calls below. */
  begin(name: string): Promise<string>;
  /** Stores a part, and returns its tag. `number`: from 1; `start`: where its first byte is in the object. All but the last have 5 MiB at least. */
  put(name: string, id: string, part: { number: number; start: number }, data: Uint8Array): Promise<string>;
  /** Makes the object of its parts, in place of the one that may have the name. May be repeated. */
  finish(name: string, id: string, tags: string[]): Promise<void>;
  /** Removes the parts of an unfinished object. */
  abandon(name: string, id: string): Promise<void>;
}

/** A bucket, or a folder. Names are paths with `/`. All reject with `ObjectStoreError`. A piece is done with when the next is asked for. */
export interface ObjectStore {
  /** Stores a new object, which can be read once it is whole. False: the name is taken, and nothing changed. */
  create(name: string, pieces: AsyncIterable<Uint8Array>): Promise<boolean>;
  /** Stores an object in place of the one that may have the name. */
  replace(name: string, pieces: AsyncIterable<Uint8Array>): Promise<void>;
  /** Undefined where there is no such object. */
  read(name: string): Promise<AsyncIterable<Buffer> | undefined>;
  /** Those whose names begin so, in no order. */
  list(prefix: string): AsyncIterable<ObjectInfo>;
  /** The names of the folders right below a folder. */
  folders(name: string): Promise<string[]>;
  /** Does nothing where there is no such object. */
  remove(name: string): Promise<void>;
  /** Removes all that is below a folder. */
  removeFolder(name: string): Promise<void>;
  inParts: ObjectParts;
  close(): void;
}

/** The store cannot be used. The message tells its owner in one sentence what to do, and has no secret. */
export class ObjectStoreError extends Error {
  override name = 'ObjectStoreError';
}
