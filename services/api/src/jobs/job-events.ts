import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { JobStore } from '@sluice/jobs/record/jobs.ts';
import type { Job } from './contract.ts';
import { toJob } from './steps.ts';

const everyMs = 500;
/** Proxies close silent connections. */
const aliveEveryMs = 15_000;

const isOver = ({ state }: Job) => state !== 'waiting' && state !== 'active';

interface Until {
  /** Aborted when the client has gone. */
  signal: AbortSignal;
  /** Ends the stream without an `end`, so that its client connects again. */
  isDraining(): boolean;
}

/** A job as server-sent events: `progress` when something changed, at most twice a second, and `end` when it is over. */
export function jobEvents(jobs: JobStore, id: string, { signal, isDraining }: Until): Readable {
  async function* events(): AsyncGenerator<string> {
    let said = '';
    let saidAt = performance.now();
    while (!isDraining()) {
      const record = await jobs.glance(id);
      // The job was removed.
      if (!record) return;
      const job = toJob(record);
      const data = JSON.stringify(job);
      if (isOver(job)) {
        yield `event: end\ndata: ${data}\n\n`;
        return;
      }
      if (data !== said) {
        yield `event: progress\ndata: ${data}\n\n`;
        [said, saidAt] = [data, performance.now()];
      } else if (performance.now() - saidAt > aliveEveryMs) {
        yield ':\n\n';
        saidAt = performance.now();
      }
      await pause(everyMs, undefined, { signal });
    }
  }
  const stream = Readable.from(events());
  // A failure breaks the connection; an EventSource connects again.
  stream.on('error', () => undefined);
  return stream;
}
