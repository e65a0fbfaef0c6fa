import { Unexportable } from '../unexportable.ts';

/** A value that the type of its column cannot hold. */
export class Unrepresentable extends Unexportable {
  /** Whether the column has its type by the values that all entries had: then this one came later. */
  readonly isLate: boolean;

  constructor(entry: string, pointer: string, what: string, isLate: boolean) {
    super(
      `entry ${entry} has ${what} at ${pointer.slice(0, 200)}, which its Parquet column cannot hold; csv and ndjson take it`,
    );
    this.isLate = isLate;
  }
}
