import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { type Answer, type Sluice, startSluice, until } from '../support/sluice.ts';
import { type UploadClient, uploadClient } from '../support/upload-client.ts';

let sluice: Sluice;
let client: UploadClient;
let domain: string;
/** As large as a batch may be: eight of them are all that one process holds at once. */
const size = 16 * 1024 ** 2;
const blanks = new Uint8Array(size).fill(0x20);

beforeAll(async () => {
  sluice = await startSluice({ workers: false });
  const { token } = await sluice.owner();
  client = uploadClient(sluice, token);
  domain = await sluice.application(token);
});
afterAll(() => sluice.stop());

/** Sends a batch but for its last byte. */
async function unfinished(): Promise<Socket> {
  const { hostname, port } = new URL(sluice.url);
  const socket = connect(Number(port), hostname).on('error', () => {});
  await once(socket, 'connect');
  const path = `/api/applications/${domain}/data/batch`;
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-ndjson\r\nContent-Length: ${size}\r\n\r\n`,
  );
  socket.write(blanks.subarray(1));
  return socket;
}

const small = () => client.batch(domain, '{"n":1}\n'.padEnd(1_024, '\n'));

it('large batches one after the other are all taken in, though they are refused', async () => {
  for (let n = 0; n < 12; n++) expect((await client.batch('nothing-abc234', blanks)).status).toBe(404);
});

it('a batch is told to come again while too many are held, and taken when they are gone', async () => {
  const holding = new Set<Socket>();
  onTestFinished(() => {
    for (const socket of holding) socket.destroy();
  });
  async function hold(): Promise<void> {
    const socket = await unfinished();
    holding.add(socket);
    // Answered already: it is one too many itself, as what was asked meanwhile is held too.
    socket.once('data', () => holding.delete(socket.destroy()));
  }
  let refused: Answer | undefined;
  await until(async () => {
    while (holding.size < 8) await hold();
    refused = await small();
    return refused.status === 503;
  });
  expect(refused?.body.error).toMatchObject({
    name: 'ServiceUnavailableError',
    message: 'too many batches at once; nothing was stored',
  });
  expect(refused?.headers.get('retry-after')).toMatch(/^\d+$/);
  expect((await client.upload(domain, '{"n":1}')).status).toBe(201);
  for (const socket of holding) socket.destroy();
  await until(async () => (await small()).status === 201);
});
