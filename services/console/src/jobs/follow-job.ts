import { client } from '../api/client.ts';
import { readEvents } from '../api/read-events.ts';
import type { Job, Jobs } from './jobs.ts';

interface Place {
  domain: string;
  jobs: Jobs;
  id: string;
}

/** Tells each state of a job, until it is over or the connection ends. Rejects when that breaks. */
export async function followJob(
  { domain, jobs, id }: Place,
  onJob: (job: Job) => void,
  signal: AbortSignal,
): Promise<void> {
  const { data } = await client.GET(`/api/applications/{domain}/${jobs}/{id}/events`, {
    params: { path: { domain, id } },
    parseAs: 'stream',
    signal,
  });
  if (data) await readEvents(data, (event) => onJob(JSON.parse(event.data)));
}
