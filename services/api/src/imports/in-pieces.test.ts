import { ApiError, bodyTooLarge } from '@sluice/shared/errors.ts';
import { expect, it } from 'vitest';
import { inPieces } from './in-pieces.ts';

const full = 2 * 1024 ** 2;

async function piecesOf(lengths: number[], failure?: Error) {
  async function* body() {
    for (const length of lengths) yield Buffer.alloc(length);
    if (failure) throw failure;
  }
  const pieces: number[] = [];
  let error: unknown;
  try {
    for await (const piece of inPieces(body())) pieces.push(piece.length);
  } catch (thrown) {
    error = thrown;
  }
  return [pieces, error];
}

it('joins bytes to pieces, and keeps the last ones of a body that is cut off', async () => {
  expect(await piecesOf([full - 1, 2, 3])).toEqual([[full + 1, 3], undefined]);
  const failure = new ApiError('InvalidRequestError', 'cut off');
  expect(await piecesOf([full, 3], failure)).toEqual([[full, 3], failure]);
});

it.each([[[16]], [[full]], [[8, 8]]])(
  'never takes a body over its limit as the end of the file: %j',
  async (lengths) => {
    const failure = bodyTooLarge(16);
    expect(await piecesOf(lengths, failure)).toEqual([[], failure]);
  },
);
