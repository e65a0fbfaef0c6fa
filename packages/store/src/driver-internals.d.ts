/** Not in the driver's own types: what its bulkWrite sends documents with. */
declare module 'mongodb/lib/cmap/commands.js' {
  export class DocumentSequence {
    constructor(field: string);
    /** `bson` may be several documents, one after the other. */
    push(document: object, bson: Uint8Array): void;
  }
}

/** The same: a connection of the pool, whose class is the option `connectionType`. */
declare module 'mongodb/lib/cmap/connection.js' {
  export class Connection {
    command(ns: unknown, command: object, ...rest: unknown[]): Promise<unknown>;
  }
}
