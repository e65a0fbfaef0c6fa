import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type CuttableProxy, createCuttableProxy } from '../support/cuttable-proxy.ts';
import { throughProxy } from '../support/own-database.ts';
import { ownStores, type Sluice, startSluice, until } from '../support/sluice.ts';
import { ndjson, type UploadClient, uploadClient } from '../support/upload-client.ts';

let proxy: CuttableProxy;
let sluice: Sluice;
let witness: Sluice;
let client: UploadClient;
let seen: UploadClient;
let token: string;
const application = () =>
  witness.application(token, { type: 'object', properties: { n: { type: 'integer' }, text: {} } });

beforeAll(async () => {
  const { hostname, port } = new URL(inject('mongodbUrl'));
  proxy = await createCuttableProxy({ host: hostname, port: Number(port || 27017) });
  // Longer than the driver looks for a server, so that it is the driver that gives up.
  const env: Record<string, string> = { ...ownStores(), MONGODB_TIMEOUT: '7s' };
  witness = await startSluice({ workers: false, env });
  const MONGODB_URL = throughProxy(env.MONGODB_URL as string, proxy);
  sluice = await startSluice({ workers: false, env: { ...env, MONGODB_URL } });
  ({ token } = await witness.owner());
  client = uploadClient(sluice, token);
  seen = uploadClient(witness, token);
});
afterAll(async () => {
  await Promise.all([sluice.stop(), witness.stop()]);
  await proxy.close();
});

describe('when MongoDB goes away after a command arrived, nobody is told that nothing was stored', () => {
  it.each([
    ['an upload', 'the marker', (at: string) => client.upload(at, '{"text":"the marker"}')],
    [
      'an atomic batch',
      'commitTransaction',
      (at: string) => client.batch(at, '{"n":1}\n', { query: '?atomic=true' }),
    ],
  ])('%s', async (_what, marker, send) => {
    const domain = await application();
    await proxy.restore();
    proxy.cutWhenAnswered(marker);
    const { status, body } = await send(domain);
    await proxy.restore();
    expect([status, await seen.count(domain)]).toEqual([503, 1]);
    expect(body.error.message).toBe('the outcome could not be confirmed by the database');
  });

  it('a batch', async () => {
    const domain = await application();
    await proxy.restore();
    proxy.cutWhenAnswered('the marker');
    const lines = Array.from({ length: 1_300 }, (_, n) => ({ n, text: n === 1_200 ? 'the marker' : '' }));
    const { body } = await client.batch(domain, ndjson(lines));
    await proxy.restore();
    const stored = new Set((await seen.payloads(domain)).map(({ n }) => n));
    const liedAbout = body.data.errors.filter(
      ({ line, message }: { line: number; message: string }) =>
        message.endsWith('was not stored') && stored.has(line - 1),
    );
    expect(liedAbout.length).toBe(0);
  });
});

it('an atomic batch that was interrupted is stored whole by a retry with the same key', async () => {
  const domain = await application();
  const lines = Array.from({ length: 1_300 }, (_, n) => ({ n, text: n === 1_200 ? 'the marker' : '' }));
  const send = () =>
    client.batch(domain, ndjson(lines), { query: '?atomic=true', headers: { 'idempotency-key': 'k' } });
  await proxy.restore();
  proxy.cutWhenSent('the marker');
  expect((await send()).status).toBe(503);
  await proxy.restore();
  await until(async () => (await send()).status === 201);
});

it('a batch is listed with the last line first, though its first line has a field of its own', async () => {
  const domain = await application();
  const lines = Array.from({ length: 1_000 }, (_, n) => (n === 0 ? { n, more: 1 } : { n }));
  expect((await seen.batch(domain, ndjson(lines))).status).toBe(201);
  expect((await seen.payloads(domain))[0].n).toBe(999);
});

it('the answer to a refused batch is no longer than the batch', async () => {
  const domain = await application();
  const body = `{"${'/'.repeat(500)}":[${Array(67).fill('9223372036854775808')}]}\n`.repeat(500);
  const { text } = await seen.batch(domain, body);
  expect(text.length / body.length).toBeLessThan(5);
});
