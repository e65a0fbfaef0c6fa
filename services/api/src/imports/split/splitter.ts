/** Tells the lines of a body apart, in pieces as they come. Its state is of a few bytes, wherever a piece ends. */
export interface Splitter {
  push(piece: Buffer): void;
  /** The body has ended. */
  end(): void;
}
