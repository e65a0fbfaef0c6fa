import { type Admission, createThread, unlimited } from '@sluice/threads/thread.ts';
import type { WantedFile } from './make.ts';

/** The text of a file, or why the schema has none. */
export type Made = { text: string } | { problem: string };

export type ClientMaker = ReturnType<typeof createClientMaker>;

/** Makes clients in a thread with limits of time and memory, as schemas come from users. */
export function createClientMaker({ capacity = unlimited }: { capacity?: Admission } = {}) {
  const thread = createThread<WantedFile, Made>({
    name: 'the maker of clients',
    file: new URL('./make-thread.ts', import.meta.url),
    heapMb: 192,
    deadlineMs: 5_000,
    tooLong: { problem: 'it takes too long to make a client of this schema' },
    tooLarge: { problem: 'it takes too much memory to make a client of this schema' },
  });
  return {
    /** Rejects if `capacity` does, or the maker is closed. */
    make: (client: string, wanted: WantedFile): Promise<Made> =>
      capacity.run(client, () => thread.ask(client, wanted)),
    close: thread.close,
  };
}
