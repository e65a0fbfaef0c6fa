import { EventSourceParserStream } from 'eventsource-parser/stream';
import { client } from '../api/client.ts';
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
  if (!data) return;
  const events = (data as ReadableStream<BufferSource>)
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    .getReader();
  for (;;) {
    const { done, value } = await events.read();
    if (done) return;
    onJob(JSON.parse(value.data));
  }
}
