/** A leaf that is no column: to leave it out would lose it silently. */
export class UnknownLeaf extends Error {
  readonly pointer: string;

  constructor(entry: string, pointer: string) {
    super(
      `entry ${entry} has ${pointer.slice(0, 200)}, which is not among the columns; begin the export anew`,
    );
    this.pointer = pointer;
  }
}
