import { JobFailed } from '@sluice/jobs/kind.ts';
import type { Column, SenderMeta } from '@sluice/tables/columns.ts';

/** Finished bytes of the file; the caller owns the memory. `note` is plain data that another worker needs to continue. */
export interface FilePiece {
  data: Uint8Array;
  note?: unknown;
}

/**
 * Writes the file of an export in pieces. Entries are BSON documents, `{_id, payload}`, oldest first.
 * Another worker resumes with the notes of all pieces so far.
 */
export interface FileFormat {
  /** Names of the columns in the file. */
  readonly columns: string[];
  /** How often the entries are read: an archive reads them once for each table. */
  readonly passes: number;
  /** Begins a pass: writes what precedes the first entry. */
  open(pass: number): void;
  /** Adds an entry to the current piece. Throws if the file cannot hold the whole entry. */
  add(document: Buffer): void;
  /** Ends a pass: writes what follows the last entry, and after the last pass the end of the file. */
  close(pass: number): void;
  /** Bytes in the current piece, or an estimate. */
  size(): number;
  /** Ends the current piece. Another worker may write the next one. */
  take(): FilePiece | Promise<FilePiece>;
}

/** What `meta` says of the sender with a number, in ASCII; undefined: nothing. */
export type SenderText = (number: number, name: SenderMeta) => string | undefined;

/** The selected columns, in the order of the selection; all if there is no selection. */
export function columnsNamed(columns: Column[], selected: string[] | undefined): Column[] {
  const byName = new Map(columns.map((column) => [column.name, column]));
  return selected?.map((name) => byName.get(name) as Column) ?? columns;
}

/** Whether a column is the time of the entry. */
export const isTime = ({ pointer, meta, isRest, isPayload }: Column) =>
  pointer === undefined && !meta && !isRest && !isPayload;

/** A field without a column: to skip the field would lose it silently. */
export class UnknownField extends JobFailed {
  readonly pointer: string;

  constructor(entry: string, pointer: string) {
    super(
      `entry ${entry} has ${pointer.slice(0, 200)}, which is not among the columns; begin the export anew`,
    );
    this.pointer = pointer;
  }
}

/** A value that the type of its column cannot hold. */
export class Unrepresentable extends JobFailed {
  /** Whether the column's type was derived from all entries: then this entry came later. */
  readonly isLate: boolean;

  constructor(entry: string, pointer: string, what: string, isLate: boolean) {
    super(
      `entry ${entry} has ${what} at ${pointer.slice(0, 200)}, which its Parquet column cannot hold; csv and ndjson take it`,
    );
    this.isLate = isLate;
  }
}
