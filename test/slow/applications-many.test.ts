import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, inject, it, onTestFinished } from 'vitest';
import { createCommandProxy } from '../support/command-proxy.ts';
import { throughProxy } from '../support/own-database.ts';
import { ownStores, type Sluice, startSluice, storeOf } from '../support/sluice.ts';

let sluice: Sluice;
let token: string;
let mongodb: Awaited<ReturnType<typeof createCommandProxy>>;
beforeAll(async () => {
  const { hostname, port } = new URL(inject('mongodbUrl'));
  mongodb = await createCommandProxy({ host: hostname, port: Number(port || 27017) });
  const env = ownStores();
  sluice = await startSluice({
    workers: false,
    env: { ...env, MONGODB_URL: throughProxy(env.MONGODB_URL as string, mongodb) },
  });
  ({ token } = await sluice.owner());
});
afterAll(async () => {
  await sluice.stop();
  mongodb.close();
});

const list = (query = '', by = token) => sluice.request('GET', `/applications${query}`, { token: by });
/** Nearly all that a schema may have, and little to compile. */
const large = JSON.stringify({ type: 'object', x: '\u20ac"'.repeat(50_000) });

/** An owner with so many small applications; their domains, newest first. */
async function ownerOf(count: number) {
  const { username, token } = await sluice.owner();
  const { users, applications } = storeOf(sluice);
  const user = await users.byName(username);
  const owner = { id: user?.id as string, username };
  const domains: string[] = [];
  for (let n = 0; n < count; n++) {
    const fields = { name: `no ${n}`, type: 'web', connectors: [], rawSchema: '{"type":"object"}' };
    await applications.create({ ...fields, owner, domain: `${username}-${n}` });
    domains.unshift(`${username}-${n}`);
  }
  return { token, domains };
}

const domainsOf = (data: { domain: string }[]) => data.map(({ domain }) => domain);

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
  expect(domainsOf(body.data)).toEqual(domains);
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
  const byId = { ns: `${db.databaseName}.applications`, 'command.filter._id': { $exists: true } };
  const readings = () => db.collection('system.profile').countDocuments(byId);
  const { status, headers, text } = await sluice.request('HEAD', '/applications', { token });
  expect(await readings()).toBe(0);
  const get = await list();
  expect([status, headers.get('content-type'), text]).toEqual([200, get.headers.get('content-type'), '']);
  expect(await readings()).toBeGreaterThan(0);
});

it('start and limit give a part of the list; without them all is there', async () => {
  const { token, domains } = await ownerOf(250);
  const page = async (query: string) => domainsOf((await list(query, token)).body.data);
  expect(await page('')).toEqual(domains);
  expect(await page('?limit=100')).toEqual(domains.slice(0, 100));
  expect(await page('?start=100&limit=100')).toEqual(domains.slice(100, 200));
  expect(await page('?start=200&limit=1000')).toEqual(domains.slice(200));
  expect(await page('?start=249')).toEqual(domains.slice(249));
  expect(await page('?start=250')).toEqual([]);
  expect(await page('?start=1000000000&limit=1')).toEqual([]);
});

it.each([
  ['start=-1', '/start', 'minimum'],
  ['start=1.5', '/start', 'type'],
  ['start=', '/start', 'type'],
  ['start=1000000001', '/start', 'maximum'],
  ['start=0&start=1', '/start', 'type'],
  ['limit=0', '/limit', 'minimum'],
  ['limit=1001', '/limit', 'maximum'],
  ['limit=ten', '/limit', 'type'],
  ['page=1', '/page', 'additionalProperties'],
])('a list with %s is refused', async (query, path, keyword) => {
  const { status, body } = await list(`?${query}`);
  expect([status, body.error?.name]).toEqual([400, 'InvalidRequestError']);
  expect(body.error.details).toMatchObject([{ in: 'querystring', path, keyword }]);
});

it('a list of 1,000 small applications takes 15 commands at most', async () => {
  const { token, domains } = await ownerOf(1_000);
  mongodb.commands.length = 0;
  const { body } = await list('', token);
  expect(domainsOf(body.data)).toEqual(domains);
  const asked = mongodb.commands.filter((one) =>
    [one.find, one.aggregate, one.collection].includes('applications'),
  );
  expect(asked.length).toBeGreaterThan(0);
  expect(asked.length).toBeLessThanOrEqual(15);
});

it('a schema is shown as it was sent, in the list and by itself', async () => {
  const { token } = await sluice.owner();
  const schema =
    '{ "type": "object",\r\n\t"title": "\\u20ac \\"€\\" \\\\ \\ud83d\\ude00",' +
    '"properties": { "b": {}, "10": {"const": 1.0e2}, "9": {} }, "x": {"a": 9007199254740991} }';
  const json = { name: 'as sent', type: 'web', schema };
  const made = await sluice.request('POST', '/applications', { token, json });
  const { domain } = made.body.data;
  const path = `/applications/${domain}`;
  const shown = [
    made,
    await sluice.request('GET', path, { token }),
    await sluice.request('PATCH', path, { token, json: { name: 'as sent' } }),
    await list('', token),
  ];
  for (const { status, headers, text, body } of shown) {
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(text).toContain(`"schema":${schema}}`);
    const [{ template }] = [body.data].flat();
    expect(template).toEqual({ version: 1, raw_schema: schema, schema: JSON.parse(schema) });
  }
});
