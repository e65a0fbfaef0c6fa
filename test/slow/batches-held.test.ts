import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { type Answer, type Sluice, startSluice, until } from '../support/sluice.ts';
import { type UploadClient, uploadClient } from '../support/upload-client.ts';

let sluice: Sluice;
let client: UploadClient;
let domain: string;
/** As large as a batch may be: eight of them are all that one process holds at once, six of an address. */
const size = 16 * 1024 ** 2;
const blanks = new Uint8Array(size).fill(0x20);

beforeAll(async () => {
  sluice = await startSluice({ workers: false, env: { TRUST_PROXY: '1' } });
  const { token } = await sluice.owner();
  client = uploadClient(sluice, token);
  domain = await sluice.application(token);
});
afterAll(() => sluice.stop());

/** Sends a batch but for its last byte. */
async function unfinished(address: string): Promise<Socket> {
  const { hostname, port } = new URL(sluice.url);
  const socket = connect(Number(port), hostname).on('error', () => {});
  await once(socket, 'connect');
  const path = `/api/applications/${domain}/data/batch`;
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${address}\r\nContent-Type: application/x-ndjson\r\nContent-Length: ${size}\r\n\r\n`,
  );
  socket.write(blanks.subarray(1));
  return socket;
}

const small = (address: string) =>
  sluice.request('POST', `/applications/${domain}/data/batch`, {
    body: '{"n":1}\n'.padEnd(1_024, '\n'),
    headers: { 'content-type': 'application/x-ndjson', 'x-forwarded-for': address },
  });

it('large batches one after the other are all taken in, though they are refused', async () => {
  for (let n = 0; n < 9; n++) expect((await client.batch('nothing-abc234', blanks)).status).toBe(404);
});

it('a batch is told to come again while too many are held, of its address or in all, and taken when they are gone', async () => {
  const [one, other, third] = ['10.0.0.1', '10.0.0.2', '10.0.0.3'] as const;
  const holding = new Map<Socket, string>();
  onTestFinished(() => {
    for (const socket of holding.keys()) socket.destroy();
  });
  async function hold(address: string): Promise<void> {
    const socket = await unfinished(address);
    holding.set(socket, address);
    // Answered already: it is one too many itself, as what was asked meanwhile is held too.
    socket.once('data', () => holding.delete(socket.destroy()));
  }
  const heldOf = (address: string) => [...holding.values()].filter((each) => each === address).length;
  /** Resolves with the answer when so many of an address are held. */
  async function refusedAt(address: string, count: number, status: number): Promise<Answer> {
    let refused: Answer | undefined;
    await until(async () => {
      while (heldOf(address) < count) await hold(address);
      refused = await small(address);
      return refused.status === status;
    });
    return refused as Answer;
  }

  const ofAddress = await refusedAt(one, 6, 429);
  expect((await small(third)).status).toBe(201);
  await refusedAt(other, 2, 503);
  const ofAll = await small(third);
  for (const [{ body, headers }, name, message] of [
    [ofAddress, 'TooManyRequestsError', 'too many batches of one address at once; nothing was done'],
    [ofAll, 'ServiceUnavailableError', 'too many batches at once; nothing was done'],
  ] as const) {
    expect(body.error).toMatchObject({ name, message });
    expect(headers.get('retry-after')).toMatch(/^\d+$/);
  }
  expect((await client.upload(domain, '{"n":1}')).status).toBe(201);
  for (const socket of holding.keys()) socket.destroy();
  for (const address of [one, other, third]) await until(async () => (await small(address)).status === 201);
});
