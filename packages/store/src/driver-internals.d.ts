/** Not in the driver's own types: what its bulkWrite sends documents with. */
declare module 'mongodb/lib/cmap/commands.js' {
  export class DocumentSequence {
    constructor(field: string);
    /** `bson` may be several documents, one after the other. */
    push(document: object, bson: Uint8Array): void;
  }
}
