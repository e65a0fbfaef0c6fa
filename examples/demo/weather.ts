import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { faultyReadings, nextReading } from '../weather/faulty.ts';
import { history, randomNumbers } from '../weather/readings.ts';
import type { Client } from './client.ts';
import { DemoError } from './demo-error.ts';
import { upload } from './upload.ts';

const schema = readFileSync(new URL('../weather/schema.json', import.meta.url), 'utf8');
const streamPauseMs = 400;

interface Job {
  id: string;
  state: 'waiting' | 'active' | 'completed' | 'failed' | 'cancelled';
  error?: { message: string };
}

/** Creates an application with entries of 30 days, refused uploads and an export. Returns its domain. */
export async function fillWeather(client: Client, token: string): Promise<string> {
  const body = { name: 'Weather stations', type: 'server', schema };
  const { domain } = await client.need<{ domain: string }>('POST', '/applications', { token, body });
  const path = `/applications/${domain}`;
  const lines = `${[...history(Date.now())].join('\n')}\n`;
  const file = new Blob([lines], { type: 'application/x-ndjson' });
  const job = await client.need<Job>('POST', `${path}/imports?entries=wrapped`, { token, body: file });
  await untilDone(() => client.need<Job>('GET', `${path}/imports/${job.id}`, { token }));
  await upload(client, domain, faultyReadings(randomNumbers(422)), () => {});
  await client.need('POST', `${path}/exports`, { token, body: { format: 'csv' } });
  return domain;
}

async function untilDone(read: () => Promise<Job>): Promise<void> {
  for (;;) {
    const { state, error } = await read();
    if (state === 'completed') return;
    if (state === 'failed' || state === 'cancelled')
      throw new DemoError(`the import has ${state}: ${error?.message ?? ''}`);
    await pause(200);
  }
}

/** Uploads readings as they would come, one in twelve of which is refused. */
export async function stream(client: Client, domain: string, seconds: number): Promise<void> {
  const random = randomNumbers(Date.now());
  const end = Date.now() + seconds * 1_000;
  for (let index = 0; Date.now() < end; index++) {
    await client.ask('POST', `/applications/${domain}/data`, { body: nextReading(index, random) });
    await pause(streamPauseMs);
  }
}
