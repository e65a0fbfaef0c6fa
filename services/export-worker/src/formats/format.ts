/** Bytes of the file that are finished, in memory that becomes the caller's. `note` is what a later worker needs to go on behind them, as plain data. */
export interface Piece {
  data: Uint8Array;
  note?: unknown;
}

/**
 * Writes the file of an export piece by piece. Entries come as the BSON of their documents, `{_id, payload}`, oldest first.
 * What a format keeps between pieces is in their notes: another worker resumes with the notes of all pieces so far.
 */
export interface FileFormat {
  /** Names of the columns in the file. */
  readonly columns: string[];
  /** How often the entries are read: once, or once for each table of an archive. */
  readonly passes: number;
  /** Begins a pass: what is written before its first entry. */
  open(pass: number): void;
  /** Adds an entry to the piece under way. Throws when the file cannot hold it: no part of an entry is left out. */
  add(document: Buffer): void;
  /** Ends a pass: what is written after its last entry, and after the last pass the end of the file. */
  close(pass: number): void;
  /** Bytes in the piece under way, as far as they are known yet. */
  size(): number;
  /** Ends the piece under way, so that the next one can be written by another worker. */
  take(): Piece | Promise<Piece>;
}
