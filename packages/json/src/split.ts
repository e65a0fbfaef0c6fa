import { ApiError } from '@sluice/shared/errors.ts';

/** Finds the lines of a body that arrives in pieces. It keeps only a few bytes between pieces. */
export interface Splitter {
  push(piece: Uint8Array): void;
  end(): void;
}

/** Gets the bytes of each line, in one or more pieces, then the end of the line. */
export interface LineSink {
  bytes(piece: Uint8Array, from: number, to: number): void;
  /** Ends a line that the client counts as `line`. */
  end(line: number): void;
  /** Forgets the current line. */
  drop(): void;
}

/** White space of JSON. */
export const isBlank = (byte: number) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

const newline = 0x0a;

/** Splits NDJSON. Blank lines are skipped but counted. */
export function ndjsonSplitter(sink: LineSink): Splitter {
  let line = 1;
  let isFilled = false;

  function add(piece: Uint8Array, from: number, to: number): void {
    for (let at = from; !isFilled && at < to; at++) isFilled = !isBlank(piece[at] as number);
    sink.bytes(piece, from, to);
  }

  function finish(): void {
    if (isFilled) sink.end(line);
    else sink.drop();
    isFilled = false;
    line += 1;
  }

  return {
    push(piece) {
      let from = 0;
      for (;;) {
        const end = piece.indexOf(newline, from);
        if (end === -1) break;
        add(piece, from, end);
        finish();
        from = end + 1;
      }
      add(piece, from, piece.length);
    },
    end: finish,
  };
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openBracket = 0x5b;
const closeBracket = 0x5d;

// The kinds of bytes that the scan tells apart.
const [other, blank, opens, closes, quotes, separates] = [0, 1, 2, 3, 4, 5];
const kinds = new Uint8Array(256).fill(other);
for (const character of ' \t\r\n') kinds[character.charCodeAt(0)] = blank;
for (const character of '[{') kinds[character.charCodeAt(0)] = opens;
for (const character of ']}') kinds[character.charCodeAt(0)] = closes;
kinds[quote] = quotes;
kinds[comma] = separates;

/**
 * `before`, `after`: outside the array. `first`: an element or the end comes next. `next`: an element comes next.
 * `inside`, `string`, `escape`: in an element, in one of its strings, after a backslash there.
 */
type State = 'before' | 'first' | 'next' | 'inside' | 'string' | 'escape' | 'after';

/** Splits a JSON array into elements, and does not parse them. Throws ApiError. */
export function jsonArraySplitter(sink: LineSink): Splitter {
  let state: State = 'before';
  let depth = 0;
  let element = 1;

  /** The place after the string, or the end of the piece. */
  function skipString(piece: Uint8Array, from: number): number {
    const { length } = piece;
    let at = from;
    for (; at < length; at++) {
      const byte = piece[at];
      if (byte === quote) {
        state = 'inside';
        return at + 1;
      }
      if (byte === backslash) at++;
    }
    // The character after the last backslash is in the next piece.
    state = at > length ? 'escape' : 'string';
    return length;
  }

  /** The place of the comma or bracket that ends the element, or the end of the piece. */
  function skipElement(piece: Uint8Array, from: number): number {
    const { length } = piece;
    let at = from;
    if (state === 'escape') at = skipString(piece, at + 1);
    else if (state === 'string') at = skipString(piece, at);
    let level = depth;
    for (; at < length; at++) {
      const kind = kinds[piece[at] as number] as number;
      if (kind < opens) continue;
      if (kind === quotes) at = skipString(piece, at + 1) - 1;
      else if (kind === opens) level++;
      else if (level === 0) break;
      else if (kind === closes) level--;
    }
    depth = level;
    return at;
  }

  /** Takes a byte between elements. True if an element begins. */
  function begins(byte: number): boolean {
    if (state === 'before') {
      if (byte !== openBracket) throw new MalformedText('the body is not a JSON array');
      state = 'first';
      return false;
    }
    if (state === 'after') throw new MalformedText('something follows the end of the array');
    if (state === 'first' && byte === closeBracket) {
      state = 'after';
      return false;
    }
    if (byte === comma || kinds[byte] === closes)
      throw new MalformedText(`element ${element} of the array is missing`);
    state = 'inside';
    return true;
  }

  function finish(byte: number): void {
    sink.end(element);
    element += 1;
    if (byte === comma) state = 'next';
    else if (byte === closeBracket) state = 'after';
    else throw new MalformedText('something follows the end of the array');
  }

  return {
    push(piece) {
      let at = 0;
      while (at < piece.length) {
        if (state === 'inside' || state === 'string' || state === 'escape') {
          const end = skipElement(piece, at);
          sink.bytes(piece, at, end);
          if (end < piece.length) finish(piece[end] as number);
          at = end + 1;
        } else {
          const byte = piece[at] as number;
          if (kinds[byte] === blank || !begins(byte)) at++;
        }
      }
    },
    end() {
      if (state === 'after') return;
      if (state === 'before') throw new MalformedText('the body is not a JSON array');
      const isMissing = state === 'first' || state === 'next';
      throw new MalformedText(
        isMissing ? `element ${element} of the array is missing` : 'the array has no end',
      );
    },
  };
}

/** A body that cannot be split into lines. `fault`: the message without what became of the lines. */
export class MalformedText extends ApiError {
  readonly fault: string;

  constructor(fault: string) {
    super('MalformedBodyError', `${fault}; nothing was stored`);
    this.fault = fault;
  }
}
