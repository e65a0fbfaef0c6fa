import type { Binary } from 'mongodb';

const hashBytes = 16;

/**
 * What an entry adds to the hash of its hour: the first 8 bytes of the SHA-256 of its unique value, or else its key. Lines of keyed batches have 17
 * bytes and add nothing.
 */
export function proofOf(once: Binary | Binary[] | undefined): bigint {
  const first = Array.isArray(once) ? once[0] : once;
  if (first?.length() !== hashBytes) return 0n;
  const { buffer } = first;
  return Buffer.from(buffer.buffer, buffer.byteOffset, hashBytes).readBigUInt64BE();
}

/** Sums are modulo 2^64. */
export const addProofs = (a: bigint, b: bigint): bigint => BigInt.asUintN(64, a + b);
