/** Opens what is left of a file behind so many bytes. */
export type OpenFrom = (
  bytes: number,
  signal: AbortSignal,
) => Promise<ReadableStream<Uint8Array<ArrayBuffer>>>;

const pieceBytes = 1024 ** 2;

/** A file that arrives in as many tries as it takes: each continues behind the one before. */
export function createDownload(open: OpenFrom) {
  // A browser keeps Blobs on disk where they are many.
  const blobs: Blob[] = [];
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
    /** Resolves with the whole file. Rejects when the connection breaks or the signal says so; call it again then. */
    async read(onBytes: (bytes: number) => void, signal: AbortSignal): Promise<Blob> {
      const reader = (await open(bytes, signal)).getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return new Blob([...blobs, ...chunks]);
        keep(value);
        onBytes(bytes);
      }
    },
  };
}

export type Download = ReturnType<typeof createDownload>;
