import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { createClient } from './client.ts';
import { upload } from './upload.ts';

let server: Server | undefined;
afterEach(() => server?.close());

it('sends each record once and tells which were refused, and why', async () => {
  const received: number[] = [];
  const error = {
    name: 'SchemaValidationError',
    message: 'no',
    details: [{ path: '/n', message: 'must be odd' }],
  };
  const client = await serve(async (record) => {
    received.push(record.n);
    return record.n === 7 ? { status: 422, error } : { status: 201, data: {} };
  });
  const records = Array.from({ length: 200 }, (_, n) => ({ n }));
  const told: number[] = [];
  const { stored, refused } = await upload(client, 'numbers-abc', records, (done) => told.push(done));

  expect(received.sort((a, b) => a - b)).toEqual(records.map(({ n }) => n));
  expect(stored).toBe(199);
  expect(refused).toMatchObject([{ record: 8, refusal: { status: 422, ...error } }]);
  expect(told.at(-1)).toBe(200);
});

it('ends with one line when the service goes away', async () => {
  const client = await serve(async () => 'hang up');
  const records = Array.from({ length: 1_000 }, (_, n) => ({ n }));
  await expect(upload(client, 'numbers-abc', records, () => {})).rejects.toThrow(/^no answer from http/);
});

type Reply = { status: number; data?: unknown; error?: unknown } | 'hang up';

async function serve(answer: (record: { n: number }) => Promise<Reply>) {
  const listening = createServer(async (request, response) => {
    const record = JSON.parse(Buffer.concat(await request.toArray()).toString());
    const reply = await answer(record);
    if (reply === 'hang up') return request.socket.destroy();
    response.writeHead(reply.status).end(JSON.stringify({ success: reply.status < 400, ...reply }));
  });
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  return createClient(`http://127.0.0.1:${(listening.address() as AddressInfo).port}`);
}
