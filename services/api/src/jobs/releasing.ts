import { freeBuffer } from '@sluice/shared/free-buffer.ts';

/** Whoever gets the buffers, and how many bytes it has not passed on yet. */
interface Sink {
  readonly writableLength: number;
}

/**
 * Passes buffers on and gives their memory back when `sink` is done with them. For a readable that holds at most one:
 * the next is asked for when the last one may still be on its way to the sink, and all before it are there.
 */
export async function* releasing(source: AsyncIterable<Buffer>, sink: Sink): AsyncGenerator<Buffer> {
  const handed: Buffer[] = [];
  let held = 0;
  let last: Buffer | undefined;
  for await (const bytes of source) {
    yield bytes;
    if (last) {
      handed.push(last);
      held += last.length;
    }
    last = bytes;
    // What it has not passed on are the last bytes of those it got.
    for (let [oldest] = handed; oldest && held - oldest.length >= sink.writableLength; [oldest] = handed) {
      held -= oldest.length;
      handed.shift();
      freeBuffer(oldest);
    }
  }
}
