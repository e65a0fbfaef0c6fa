import { quotas } from '@sluice/api/limits/table.ts';
import { type Document, MongoClient, ObjectId, type WithId } from 'mongodb';
import { expect, it, onTestFinished } from 'vitest';
import { exportClient } from '../support/export-client.ts';
import { type Answer, type Sluice, startSluice, storeOf, until } from '../support/sluice.ts';

async function start(env: Record<string, string>): Promise<Sluice> {
  const sluice = await startSluice({ workers: false, env, timings: { exportWaitMs: 0 } });
  onTestFinished(() => sluice.stop());
  return sluice;
}

const text = 'x'.repeat(500);

const upload = (sluice: Sluice, domain: string) =>
  sluice.request('POST', `/applications/${domain}/data`, { json: { text } });
const batch = (sluice: Sluice, domain: string, lines: number) =>
  sluice.request('POST', `/applications/${domain}/data/batch`, {
    json: Array.from({ length: lines }, () => ({ text })),
  });

function expectOver(answer: Answer, quota: RegExp): void {
  expect([answer.status, answer.body.error.name]).toEqual([429, 'TooManyRequestsError']);
  expect(answer.body.error.message).toMatch(quota);
  expect(answer.body.error.message).toMatch(/; delete (some|entries), .*; nothing was stored$/);
  expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
}

it.each([
  [
    'ENTRY_QUOTA',
    '100',
    /^the owner of this application has reached the limit of 100 entries; .* ENTRY_QUOTA/,
  ],
  ['BYTE_QUOTA', '50000B', / 50,000 bytes of payloads; .* BYTE_QUOTA/],
])(
  '%s of an owner ends uploads, batches and imports on every process, until an application is deleted',
  async (name, quota, message) => {
    const one = await start({ [name]: quota });
    const other = await start(one.env);
    const { token } = await one.owner();
    const [first, second] = [await one.application(token), await one.application(token)];
    const total = async (domain: string) => {
      const { body } = await one.request('GET', `/applications/${domain}/data?limit=1`, { token });
      return body.data.pagination.total as number;
    };
    expect((await batch(one, first, 100)).status).toBe(201);
    let taken = 100;
    for (const sluice of [one, other]) {
      await until(async () => {
        const { status } = await upload(sluice, second);
        if (status === 201) taken += 1;
        return status === 429;
      });
      expectOver(await upload(sluice, first), message);
      expectOver(await batch(sluice, second, 2), message);
      expectOver(
        await sluice.request('POST', `/applications/${first}/imports`, { token, body: '[{}]' }),
        message,
      );
    }
    expect((await total(first)) + (await total(second))).toBe(taken);
    expect((await one.request('GET', `/applications/${first}/imports`, { token })).body.data).toEqual([]);

    const stranger = await one.owner();
    expect((await upload(one, await one.application(stranger.token))).status).toBe(201);
    await one.request('DELETE', `/applications/${first}`, { token });
    await one.request('DELETE', `/applications/${second}`, { token });
    const third = await one.application(token);
    for (const sluice of [one, other]) await until(async () => (await upload(sluice, third)).status === 201);
  },
  120_000,
);

/** Adds so many exports that are like one. */
async function addExports({ env }: Sluice, id: string, count: number): Promise<void> {
  const client = await MongoClient.connect(env.MONGODB_URL as string);
  onTestFinished(() => client.close());
  const jobs = client.db().collection('jobs');
  const { _id, ...job } = (await jobs.findOne({ _id: new ObjectId(id) })) as WithId<Document>;
  await jobs.insertMany(Array.from({ length: count }, () => ({ ...job })));
}

it('the quota of stored exports counts those that are kept, whatever became of them, and none that is streamed', async () => {
  const sluice = await start({ JOB_QUOTA: '1000' });
  const { token } = await sluice.owner();
  const domain = await sluice.application(token);
  const { jobs } = storeOf(sluice);
  const client = exportClient(sluice.url, token);
  const later = new Date(Date.now() + 3_600_000);
  const ids: string[] = [];
  for (const _ of [1, 2, 3]) ids.push(await client.create(domain));
  const [finished, failed, cancelled] = ids as [string, string, string];
  for (const id of [finished, failed]) await jobs.claim('export', id, 60_000);
  await jobs.complete(finished, 1, { rows: 0, bytes: 0, sha256: '' }, later);
  await jobs.fail(failed, 1, { error: 'broken' }, later);
  await addExports(sluice, cancelled, quotas.storedExports.limit - ids.length);
  const make = () => sluice.request('POST', `/applications/${domain}/exports`, { token, json: {} });
  const refused = await make();
  expect([refused.status, refused.body.error.name]).toEqual([429, 'TooManyRequestsError']);
  expect(refused.body.error.message).toMatch(
    /^you have reached your limit of 500 stored exports; delete one, .* or stream the export/,
  );
  // There is no worker.
  expect((await sluice.request('GET', `/applications/${domain}/export`, { token })).status).toBe(503);
  await jobs.cancel(cancelled, later);
  expect((await make()).status).toBe(202);
  expect((await make()).status).toBe(429);
  await client.remove(domain, failed);
  expect((await make()).status).toBe(202);
});
