import { ApiError } from '@sluice/shared/errors.ts';
import type { LineSink, Splitter } from './splitter.ts';

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openBracket = 0x5b;
const closeBracket = 0x5d;

// What a byte is to the scan: most are none of these.
const [other, blank, opens, closes, quotes, separates] = [0, 1, 2, 3, 4, 5];
const kinds = new Uint8Array(256).fill(other);
for (const character of ' \t\r\n') kinds[character.charCodeAt(0)] = blank;
for (const character of '[{') kinds[character.charCodeAt(0)] = opens;
for (const character of ']}') kinds[character.charCodeAt(0)] = closes;
kinds[quote] = quotes;
kinds[comma] = separates;

/**
 * `before`: the bracket is to come. `first`: an element or the end. `next`: an element. `inside`: of an element.
 * `string`: inside of a string of it. `escape`: behind a backslash there. `behind`: all has come.
 */
type State = 'before' | 'first' | 'next' | 'inside' | 'string' | 'escape' | 'behind';

/** Elements of a JSON array. They are not parsed: what is wrong inside of one is its own affair. Throws ApiError. */
export function jsonArraySplitter(sink: LineSink): Splitter {
  let state: State = 'before';
  let depth = 0;
  let element = 1;

  /** The place behind the string, or beyond the end of the piece. */
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
    // What the last backslash escapes is in the next piece.
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

  /** Takes a byte between elements; true when it begins one. */
  function begins(byte: number): boolean {
    if (state === 'before') {
      if (byte !== openBracket) throw malformed('the body is not a JSON array');
      state = 'first';
      return false;
    }
    if (state === 'behind') throw malformed('something follows the end of the array');
    if (state === 'first' && byte === closeBracket) {
      state = 'behind';
      return false;
    }
    if (byte === comma || kinds[byte] === closes)
      throw malformed(`element ${element} of the array is missing`);
    state = 'inside';
    return true;
  }

  function finish(byte: number): void {
    sink.end(element);
    element += 1;
    if (byte === comma) state = 'next';
    else if (byte === closeBracket) state = 'behind';
    else throw malformed('something follows the end of the array');
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
      if (state === 'behind') return;
      if (state === 'before') throw malformed('the body is not a JSON array');
      const isMissing = state === 'first' || state === 'next';
      throw malformed(isMissing ? `element ${element} of the array is missing` : 'the array has no end');
    },
  };
}

const malformed = (message: string) => new ApiError('MalformedBodyError', `${message}; nothing was stored`);
