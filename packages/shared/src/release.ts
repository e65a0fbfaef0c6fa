/**
 * Gives the memory of a buffer back at once: nobody may use it any more. Left to the collector, megabytes that live for
 * milliseconds have it walk the whole heap several times a second. Small buffers, which share their memory with
 * others, are left alone.
 */
export function release({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength > Buffer.poolSize) buffer.transfer(0);
}
