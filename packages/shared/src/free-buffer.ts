/**
 * Frees the memory of a buffer that nobody uses any more. Small buffers share their memory, so they stay.
 *
 * Left to the garbage collector, megabytes that live for milliseconds make it walk the whole heap several times a second.
 */
export function freeBuffer({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength > Buffer.poolSize) buffer.transfer(0);
}
