import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { JobFailed } from '@sluice/jobs/kind.ts';
import { type Allowed, parseAllowed } from '@sluice/shared/public-address.ts';
import { expect, it, onTestFinished } from 'vitest';
import { createDownload } from './download.ts';

it('ends where a server sends a few bytes now and then', async () => {
  const server = createServer((_request, answer) => {
    const drip = setInterval(() => answer.write('\n'), 20);
    answer.once('close', () => clearInterval(drip));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const download = createDownload(parseAllowed(['127.0.0.1']) as Allowed, { idleMs: 500, pauseMs: 10 });
  const { port } = server.address() as AddressInfo;
  const body = download(`http://127.0.0.1:${port}/`, 1_000_000, new AbortController().signal);
  let bytes = 0;
  const read = async () => {
    for await (const piece of body) bytes += piece.length;
  };
  await expect(read()).rejects.toThrow(JobFailed);
  expect(bytes).toBeGreaterThan(0);
});
