import { startIngestWorker } from '@sluice/ingest-worker/start.ts';
import { loadIngestWorkerConfig } from '@sluice/shared/config/load.ts';
import { createLogger } from '@sluice/shared/logger.ts';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { importClient } from '../support/import-client.ts';
import { quickTimings } from '../support/quick-timings.ts';
import { type SharedSluice, sharedSluice, startSluice, until, untilTaken } from '../support/sluice.ts';
import { ndjson, uploadClient } from '../support/upload-client.ts';

const one = await sharedSluice();
const two = await startSluice({ workers: false, env: one.env });
afterAll(() => two.stop());
const { token } = await one.owner();

const celsius = (more: object = {}) => ({
  type: 'object',
  properties: { celsius: { type: 'number' }, ...more },
  required: ['celsius'],
});
const humidity = { ...celsius({ humidity: { type: 'integer' } }), required: ['celsius', 'humidity'] };
/** One that takes only payloads of this kind. */
const only = (kind: number) => ({
  type: 'object',
  properties: { kind: { const: kind } },
  required: ['kind'],
});

const publish = (domain: string, schema: object, more: object = {}, query = '') =>
  one.request('POST', `/applications/${domain}/schemas${query}`, { token, json: { schema, ...more } });
const upload = (sluice: SharedSluice, domain: string, json: unknown) =>
  untilTaken(() => sluice.request('POST', `/applications/${domain}/data`, { json }));
const entriesOf = async (domain: string) =>
  (await one.request('GET', `/applications/${domain}/data?limit=1000`, { token })).body.data.result;

describe('publishing a schema', () => {
  it('tells what changes, is in force on every replica, and leaves what is stored as it is', async () => {
    const domain = await one.application(token, celsius());
    expect((await upload(two, domain, { celsius: 1 })).status).toBe(201);
    const [before] = await entriesOf(domain);
    expect(before).not.toHaveProperty('schema_version');

    const dry = await publish(domain, humidity, {}, '?dry_run=true');
    expect(dry.body.data.changes).toContainEqual({
      path: '/humidity',
      kind: expect.stringMatching(/added|stricter/),
      message: expect.any(String),
    });
    expect((await upload(two, domain, { celsius: 2 })).status).toBe(201);

    const { body } = await publish(domain, humidity, { note: 'Humidity', if_version: 1 });
    expect(body.data.version).toBe(2);
    expect(body.data.changes).toEqual(dry.body.data.changes);
    expect(body.data.application.template).toMatchObject({ version: 2, schema: humidity });
    for (const sluice of [one, two]) {
      await until(async () => (await upload(sluice, domain, { celsius: 3 })).status === 422);
      expect((await upload(sluice, domain, { celsius: 3, humidity: 40 })).status).toBe(201);
    }
    const entries = await entriesOf(domain);
    expect(entries.find(({ payload }: { payload: object }) => 'humidity' in payload).schema_version).toBe(2);
    expect(entries.at(-1)).toEqual({ ...before, schema_version: 1 });
  });

  it('tells in a dry run which of the newest entries would be refused, by the key of their senders', async () => {
    const domain = await one.application(token, celsius());
    const path = `/applications/${domain}`;
    const { body } = await one.request('POST', `${path}/keys`, { token, json: { name: 'till-7' } });
    const { id, key } = body.data;
    const send = (payloads: object[], headers = {}) =>
      one.request('POST', `${path}/data/batch`, { json: payloads, headers });
    await send([{ celsius: 1 }, { celsius: 98 }, { celsius: 99 }, { celsius: 1, humidity: 'x' }], {
      'x-api-key': key,
    });
    await send(Array.from({ length: 1_200 }, (_, n) => ({ celsius: n / 100 })));
    const dry = async (schema: object) => (await publish(domain, schema, {}, '?dry_run=true')).body.data;
    const stricter = celsius({ celsius: { type: 'number', maximum: 11.97 }, humidity: { type: 'integer' } });
    // A dry run ends after a time, and a busy machine may check fewer.
    await until(async () => {
      const data = await dry(stricter);
      if (data.checked < 1_204) return false;
      expect(data).toMatchObject({
        checked: 1_204,
        refused: 5,
        by_key: [
          { key: id, checked: 4, refused: 3, paths: ['/celsius', '/humidity'] },
          { key: null, checked: 1_200, refused: 2, paths: ['/celsius'] },
        ],
      });
      return true;
    });
    expect(await dry({ ...celsius(), required: [] })).not.toHaveProperty('checked');
    expect(await dry(celsius())).not.toHaveProperty('by_key');
  });

  it('tells so in a dry run also for a schema that is too large for the main thread', async () => {
    const domain = await one.application(token, celsius());
    expect((await upload(one, domain, { celsius: 1, humidity: 'none' })).status).toBe(201);
    const choices = Array.from({ length: 4_000 }, (_, n) => `choice ${n}`);
    const large = celsius({ humidity: { enum: choices } });
    // The thread may need more time than a dry run has, for the first one.
    await until(async () => {
      const { data } = (await publish(domain, large, {}, '?dry_run=true')).body;
      if (data.checked === 0) return false;
      expect(data).toMatchObject({ checked: 1, refused: 1, by_key: [{ key: null, refused: 1 }] });
      return true;
    });
  });

  it('keeps every version', async () => {
    const domain = await one.application(token, celsius());
    await publish(domain, humidity, { note: 'Humidity' });
    await publish(domain, { type: 'object' });
    const path = `/applications/${domain}/schemas`;
    const { body } = await one.request('GET', path, { token });
    const [third, second, first] = body.data;
    expect(body.data).toHaveLength(3);
    const { template } = (await one.request('GET', `/applications/${domain}`, { token })).body.data;
    expect(third).toMatchObject({ ...template, version: 3, createdBy: expect.any(String) });
    expect(third).not.toHaveProperty('note');
    expect(second).toMatchObject({ version: 2, schema: humidity, note: 'Humidity' });
    expect(first).toMatchObject({ version: 1, schema: celsius(), raw_schema: JSON.stringify(celsius()) });
    for (const version of [first, second, third])
      expect((await one.request('GET', `${path}/${version.version}`, { token })).body).toMatchObject({
        data: version,
      });
    expect((await one.request('GET', `${path}/4`, { token })).status).toBe(404);
  });

  it('makes one version of two that are published at once, where each names the version that it changes', async () => {
    const domain = await one.application(token, celsius());
    const answers = await Promise.all(
      [1, 2, 3].map((kind) => publish(domain, only(kind), { if_version: 1 })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body.error).toMatchObject({
      name: 'ResourceConflictError',
      message: `version 2 of the schema of ${domain} is in force; nothing was published`,
    });
  });

  it('leaves no column of one that was refused because another was published at once', async () => {
    const domains = await Promise.all(Array.from({ length: 8 }, () => one.application(token, celsius())));
    for (const domain of domains) {
      const names = ['left', 'right'];
      const answers = await Promise.all(
        names.map((name, at) =>
          [one, two][at]?.request('POST', `/applications/${domain}/schemas`, {
            token,
            json: { schema: celsius({ [name]: { type: 'string' } }), if_version: 1 },
          }),
        ),
      );
      expect(answers.map((answer) => answer?.status).sort()).toEqual([200, 409]);
      const published = names[answers.findIndex((answer) => answer?.status === 200)];
      const { text } = await one.request('GET', `/applications/${domain}/export`, { token });
      expect(text).toBe(`createdAt,celsius,${published}\r\n`);
    }
  });

  it('makes no other version of the schema that is in force', async () => {
    const domain = await one.application(token, celsius());
    const { body } = await publish(domain, celsius());
    expect(body.data).toMatchObject({ version: 1, changes: [] });
  });

  it('refuses what is no schema, and what is not one of the owner', async () => {
    const domain = await one.application(token, celsius());
    const { status, body } = await publish(domain, { type: 'objekt' });
    expect([status, body.error.name]).toEqual([422, 'InvalidSchemaError']);
    const { token: other } = await one.owner();
    const json = { schema: {} };
    expect(
      (await one.request('POST', `/applications/${domain}/schemas`, { token: other, json })).status,
    ).toBe(404);
  });
});

it('an upload that is validated in a thread is judged by the version in force', async () => {
  const pad = 'x'.repeat(200_000);
  const domain = await one.application(token, only(1));
  const statusOf = async (kind: number) =>
    (await untilTaken(() => upload(one, domain, { kind, pad }))).status;
  expect(await statusOf(1)).toBe(201);
  await publish(domain, only(2));
  expect(await statusOf(1)).toBe(422);
  expect(await statusOf(2)).toBe(201);
});

it('an import is judged by the version that was in force when its job was made', async () => {
  const sluice = await startSluice({ workers: false });
  onTestFinished(sluice.stop);
  const { token: own } = await sluice.owner();
  const domain = await sluice.application(own, only(1));
  const { start, ended } = importClient(sluice, own);
  const job = (await start(domain, ndjson([{ kind: 1 }, { kind: 2 }]))).body.data;
  await sluice.request('POST', `/applications/${domain}/schemas`, { token: own, json: { schema: only(2) } });
  const next = (await start(domain, ndjson([{ kind: 1 }, { kind: 2 }, { kind: 2 }]))).body.data;
  const log = createLogger('test', { level: 'silent', pretty: false });
  const worker = await startIngestWorker(loadIngestWorkerConfig(sluice.env), log, quickTimings);
  onTestFinished(worker.stop);
  expect(await ended(domain, job.id)).toMatchObject({ accepted: 1, rejected: 1 });
  expect(await ended(domain, next.id)).toMatchObject({ accepted: 2, rejected: 1 });
  const { body } = await sluice.request('GET', `/applications/${domain}/data`, { token: own });
  const stored = body.data.result.map((entry: { payload: { kind: number }; schema_version: number }) => [
    entry.payload.kind,
    entry.schema_version,
  ]);
  expect(stored.sort()).toEqual([
    [1, 1],
    [2, 2],
    [2, 2],
  ]);
});

it('no upload that is sent 0.8 s after a publication is accepted by an earlier version, and each batch is judged by one', async () => {
  const versions = 8;
  /** Each version of the schema accepts one of these payloads. */
  const kinds = Array.from({ length: versions + 1 }, (_, kind) => ({ kind }));
  const lines = [...kinds, ...kinds];
  const domain = await one.application(token, only(0));
  /** When a version came into force at the earliest, and until when an upload that it accepts was sent. */
  const inForce = [{ from: 0, to: Number.POSITIVE_INFINITY }];
  const uploads: { status: number; kind: number; sentAt: number; answeredAt: number }[] = [];
  let isOver = false;

  async function client(n: number): Promise<void> {
    const sluice = n % 2 === 0 ? one : two;
    const { batch } = uploadClient(sluice, token);
    for (let turn = n; !isOver; turn++) {
      if (turn % 5 === 0) {
        const { status, body } = await batch(domain, ndjson(lines));
        expect(status).toBe(207);
        const rejected = new Set(body.data.errors.map(({ line }: { line: number }) => line));
        const stored = lines.filter((_, at) => !rejected.has(at + 1));
        expect(stored).toEqual([stored[0], stored[0]]);
        continue;
      }
      const kind = turn % kinds.length;
      let sentAt = Number.NaN;
      const { status } = await untilTaken(() => {
        sentAt = performance.now();
        return sluice.request('POST', `/applications/${domain}/data`, { json: { kind } });
      });
      uploads.push({ status, kind, sentAt, answeredAt: performance.now() });
    }
  }
  const clients = Array.from({ length: 8 }, (_, n) => client(n));
  for (let version = 1; version <= versions; version++) {
    const from = performance.now();
    await publish(domain, only(version));
    (inForce.at(-1) as { to: number }).to = performance.now() + 800;
    inForce.push({ from, to: Number.POSITIVE_INFINITY });
    await until(async () => uploads.some(({ status, kind }) => status === 201 && kind === version));
  }
  const { to: end } = inForce.at(-2) as { to: number };
  await until(async () => uploads.some(({ kind, sentAt }) => kind === versions - 1 && sentAt > end));
  isOver = true;
  await Promise.all(clients);
  const wrong = uploads.filter(({ status, kind, sentAt, answeredAt }) => {
    const { from, to } = inForce[kind] as { from: number; to: number };
    return status !== 422 && !(status === 201 && from <= answeredAt && sentAt <= to);
  });
  expect(wrong).toEqual([]);
  const stored: { payload: { kind: number }; schema_version: number }[] = await entriesOf(domain);
  expect(stored.length).toBeGreaterThan(0);
  expect(stored.filter(({ payload, schema_version }) => schema_version !== payload.kind + 1)).toEqual([]);
});
