import { keepMark, withoutByteOrderMark } from '@sluice/json/byte-order-mark.ts';
import {
  isBlank,
  jsonArraySplitter,
  type LineSink,
  ndjsonSplitter,
  type Splitter,
} from '@sluice/json/split.ts';
import { ApiError } from '@sluice/shared/errors.ts';

/** One payload of a batch. `line` counts from 1. */
export interface Line {
  line: number;
  bytes: Buffer;
}

function split(make: (sink: LineSink) => Splitter, body: Buffer, most: number): Line[] {
  const lines: Line[] = [];
  const text = withoutByteOrderMark(body);
  let bytes: Buffer = Buffer.alloc(0);
  const splitter = make({
    bytes(_, from, to) {
      bytes = text.subarray(afterBlanks(text, from, to), to);
    },
    end(line) {
      if (lines.length === most)
        throw new ApiError(
          'PayloadTooLargeError',
          `the batch has more than ${most} lines; nothing was stored`,
        );
      lines.push({ line, bytes: keepMark(bytes) });
    },
    drop() {},
  });
  splitter.push(text);
  splitter.end();
  return lines;
}

/** The lines of NDJSON. Blank lines are left out but counted in `line`. Throws ApiError above `most` lines. */
export const linesOf = (body: Buffer, most: number) => split(ndjsonSplitter, body, most);

/** The elements of a JSON array. Throws ApiError if the body is no array, or has more than `most` elements. */
export const elementsOf = (body: Buffer, most: number) => split(jsonArraySplitter, body, most);

/** The elements of an array; any other body is one line. Throws ApiError. */
export function elementsOrWhole(body: Buffer, most: number): Line[] {
  return isArray(body) ? elementsOf(body, most) : [{ line: 1, bytes: body }];
}

export function isArray(body: Buffer): boolean {
  const text = withoutByteOrderMark(body);
  return text[afterBlanks(text, 0, text.length)] === '['.charCodeAt(0);
}

function afterBlanks(bytes: Buffer, from: number, to: number): number {
  let at = from;
  while (at < to && isBlank(bytes[at] as number)) at++;
  return at;
}
