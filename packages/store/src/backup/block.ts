/** Some documents of one collection, as BSON. */
export interface Block {
  collection: string;
  documents: Buffer[];
}

/** Where the database keeps what concerns all of it: when it was backed up, and whether a restore is under way. */
export const operationsName = 'operations';
