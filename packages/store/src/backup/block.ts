/** Some documents of one collection, as BSON. */
export interface Block {
  collection: string;
  documents: Buffer[];
}

/** Where the database keeps its own state: the last backup, and whether a restore is under way. */
export const operationsName = 'operations';
