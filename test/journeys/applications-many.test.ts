import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { type Sluice, startSluice } from '../support/sluice.ts';

let sluice: Sluice;
let token: string;
beforeAll(async () => {
  sluice = await startSluice({ workers: false });
  ({ token } = await sluice.owner());
});
afterAll(() => sluice.stop());

const list = () => sluice.request('GET', '/applications', { token });
/** Nearly all that a schema may have, and little to compile. */
const large = JSON.stringify({ type: 'object', x: '\u20ac"'.repeat(50_000) });

it('an owner without applications has an empty list', async () => {
  const { status, body } = await list();
  expect([status, body]).toEqual([200, { success: true, status: 200, data: [] }]);
});

it('applications with large schemas are listed whole, newest first, each as it is by itself', async () => {
  const domains: string[] = [];
  for (let n = 0; n < 30; n++) {
    const json = { name: `no ${n}`, type: 'web', schema: large };
    const { status, body } = await sluice.request('POST', '/applications', { token, json });
    expect(status).toBe(200);
    domains.unshift(body.data.domain);
  }
  await sluice.request('DELETE', `/applications/${domains.pop()}`, { token });
  const { status, body } = await list();
  expect([status, body.success, body.status]).toEqual([200, true, 200]);
  expect(body.data.map(({ domain }: { domain: string }) => domain)).toEqual(domains);
  for (const [place, domain] of domains.entries()) {
    const single = await sluice.request('GET', `/applications/${domain}`, { token });
    expect(body.data[place]).toEqual(single.body.data);
  }
});

it('HEAD of the list is answered like GET, and reads none of them', async () => {
  const client = new MongoClient(sluice.env.MONGODB_URL as string);
  onTestFinished(() => client.close());
  const db = client.db();
  await db.command({ profile: 2 });
  onTestFinished(async () => void (await db.command({ profile: 0 })));
  const { status, headers, text } = await sluice.request('HEAD', '/applications', { token });
  const get = await list();
  expect([status, headers.get('content-type'), text]).toEqual([200, get.headers.get('content-type'), '']);
  const byId = { ns: `${db.databaseName}.applications`, 'command.filter._id': { $exists: true } };
  expect(await db.collection('system.profile').countDocuments(byId)).toBe(get.body.data.length);
});
