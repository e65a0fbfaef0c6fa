/** Finds the lines of a body, in pieces as they come. Its state is of a few bytes, wherever a piece ends. */
export interface Splitter {
  push(piece: Uint8Array): void;
  /** The body has ended. */
  end(): void;
}

/** What a splitter writes to. Of each line first the bytes, in as many pieces as they come, then its end. */
export interface LineSink {
  bytes(piece: Uint8Array, from: number, to: number): void;
  /** Ends a line that the client counts as `line`. */
  end(line: number): void;
  /** Forgets the line under way. */
  drop(): void;
}

/** White space of JSON. */
export const isBlank = (byte: number) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
