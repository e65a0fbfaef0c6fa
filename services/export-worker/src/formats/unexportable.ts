/** The file cannot be made; the message is for the owner. */
export class Unexportable extends Error {}

/** For a reason that is not in the entries. */
export class Defect extends Unexportable {}

/** A leaf that is no column: to leave it out would lose it silently. */
export class UnknownField extends Unexportable {
  readonly pointer: string;

  constructor(entry: string, pointer: string) {
    super(
      `entry ${entry} has ${pointer.slice(0, 200)}, which is not among the columns; begin the export anew`,
    );
    this.pointer = pointer;
  }
}

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
