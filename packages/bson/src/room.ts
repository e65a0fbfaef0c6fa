/** Small payloads share buffers of this size, and need no copy. */
const sharedBytes = 128 * 1024;
const smallRoom = sharedBytes / 8;
let shared = Buffer.alloc(0);
let usedBytes = 0;

/** One buffer serves nearly all other payloads. Pages that nobody writes take no memory. */
const usualBytes = 16 * 1024 ** 2;
let usual: Buffer | undefined;

/** Returns a buffer with at least so many free bytes from `start` on. The next caller gets the same bytes, unless `keep` is called before. */
export function roomFor(bytes: number): { target: Buffer; start: number } {
  if (bytes > usualBytes) return { target: Buffer.allocUnsafeSlow(bytes), start: 0 };
  if (bytes > smallRoom) {
    usual ??= Buffer.allocUnsafeSlow(usualBytes);
    return { target: usual, start: 0 };
  }
  if (usedBytes + bytes > shared.length) {
    shared = Buffer.allocUnsafeSlow(sharedBytes);
    usedBytes = 0;
  }
  return { target: shared, start: usedBytes };
}

/** Returns the bytes from `start` to `end` of a `target`. Later payloads do not overwrite them. */
export function keep(target: Buffer, start: number, end: number): Buffer {
  const kept = target.subarray(start, end);
  if (target !== shared) return Buffer.from(kept);
  usedBytes = end;
  return kept;
}
