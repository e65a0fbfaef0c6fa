/** Opens a file from a byte on. `isRest` is false where the body is the whole file instead. */
type OpenFrom = (
  bytes: number,
  signal: AbortSignal,
) => Promise<{ body: ReadableStream<Uint8Array<ArrayBuffer>>; isRest: boolean }>;

const pieceBytes = 1024 ** 2;

/** A file that may take several tries: each continues where the one before stopped. */
export function createDownload(open: OpenFrom) {
  // A browser keeps large Blobs on disk.
  let blobs: Blob[] = [];
  let chunks: Uint8Array<ArrayBuffer>[] = [];
  let chunkBytes = 0;
  let bytes = 0;

  function keep(chunk: Uint8Array<ArrayBuffer>): void {
    chunks.push(chunk);
    chunkBytes += chunk.length;
    bytes += chunk.length;
    if (chunkBytes < pieceBytes) return;
    blobs.push(new Blob(chunks));
    chunks = [];
    chunkBytes = 0;
  }

  return {
    /** Resolves with the whole file. Rejects when the connection breaks or the signal aborts; then call it again. */
    async read(onBytes: (bytes: number) => void, signal: AbortSignal): Promise<Blob> {
      const { body, isRest } = await open(bytes, signal);
      if (!isRest) [blobs, chunks, chunkBytes, bytes] = [[], [], 0, 0];
      const reader = body.getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return new Blob([...blobs, ...chunks]);
        keep(value);
        onBytes(bytes);
      }
    },
  };
}
