import { randomBytes } from 'node:crypto';
import { toJson } from '@sluice/json/numbers.ts';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hostileBody } from '../support/any-body.ts';
import { goodUpload, hostileRequest, type Request, split } from '../support/any-request.ts';
import { canonical } from '../support/json-oracle.ts';
import { type RawResponse, speak } from '../support/raw-connection.ts';
import { readMessages } from '../support/rfc9112.ts';
import { runs } from '../support/runs.ts';
import { type Sluice, startSluice } from '../support/sluice.ts';
import { type UploadClient, uploadClient } from '../support/upload-client.ts';

/** Each run holds so many cases, side by side: some of them wait for a time limit. */
const casesAtOnce = 40;
const { numRuns } = runs(3);
// The failure shows the bytes; to shrink forty cases at once would take an hour.
const options = { numRuns, endOnFailure: true };
const timeoutMs = 60_000 + numRuns * 20_000;

interface Scene {
  sluice: Sluice;
  client: UploadClient;
  token: string;
  domain: string;
}

/** For requests that come whole, but for how fast the machine is; and for those whose rest may never come. */
let patient: Scene;
let hasty: Scene;
async function start(REQUEST_TIMEOUT: string): Promise<Scene> {
  const sluice = await startSluice({ workers: false, env: { REQUEST_TIMEOUT, BODY_LIMIT: '8KiB' } });
  const { token } = await sluice.owner();
  return { sluice, token, client: uploadClient(sluice, token), domain: await sluice.application(token) };
}
beforeAll(async () => {
  [patient, hasty] = await Promise.all([start('60s'), start('1s')]);
});
afterAll(async () => {
  await Promise.all([patient.sluice.stop(), hasty.sluice.stop()]);
});

const last = 'GET /api/health/live HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
const documented = new Set([100, 200, 201, 204, 400, 401, 403, 404, 405, 408, 413, 415, 417, 422, 431]);

/** What `GET /` has for an answer. */
const isConsole = (body: unknown) => typeof body === 'string' && body.startsWith('<!doctype html>');

function expectEnvelopes(answers: RawResponse[]): void {
  for (const { status, body } of answers) {
    expect(documented).toContain(status);
    if (status < 200 || status === 204 || isConsole(body)) continue;
    expect(body).toMatchObject({ success: status < 400, status });
    if (status >= 400) expect(body.error).toMatchObject({ name: /Error$/, description: /./, message: /./ });
  }
}

const storedIds = async ({ client, domain }: Scene): Promise<Set<string>> =>
  new Set((await client.payloads(domain)).map(({ id }) => id));

function idOf(body: string): string[] {
  try {
    return [JSON.parse(body).id];
  } catch {
    return [];
  }
}

/** Ids of the uploads that these bytes hold, as a strict reader of RFC 9112 finds them. */
const idsIn = (messages: { method: string; body: string }[]) =>
  messages.filter(({ method }) => method === 'POST').flatMap(({ body }) => idOf(body));

const inPieces = (request: fc.Arbitrary<Request>) =>
  fc.array(
    fc.record({
      requests: fc.array(request, { minLength: 1, maxLength: 4 }),
      cuts: fc.array(fc.nat(), { maxLength: 6 }),
    }),
    { minLength: casesAtOnce, maxLength: casesAtOnce },
  );

/** `ids` are those that its entries have, in their order. */
async function send({ sluice, domain }: Scene, requests: Request[], cuts: number[]) {
  const ids: string[] = [];
  const newId = () => ids[ids.push(`id${randomBytes(8).toString('hex')}`) - 1] as string;
  const bytes = requests.map((request) => request({ domain, newId })).join('') + last;
  return { ids, bytes, answers: await speak(sluice.url, ...split(bytes, cuts)) };
}

it(
  'answers good requests on one connection in their order, wherever their bytes are split',
  async () => {
    const property = fc.asyncProperty(inPieces(goodUpload), async (cases) => {
      const all = await Promise.all(cases.map(({ requests, cuts }) => send(patient, requests, cuts)));
      const stored = await storedIds(patient);
      for (const { ids: expected, bytes, answers } of all) {
        expect(idsIn(readMessages(bytes).messages)).toEqual(expected);
        const statuses = answers.map(({ status }) => status);
        expect(statuses, JSON.stringify(bytes)).toEqual([...expected.map(() => 201), 200]);
        expect(answers.slice(0, -1).map(({ body }) => body.data.payload.id)).toEqual(expected);
        expect(expected.filter((id) => !stored.has(id))).toEqual([]);
      }
    });
    await fc.assert(property, options);
  },
  timeoutMs,
);

it(
  'takes no bytes for a request that are none, and says so in the envelope',
  async () => {
    const property = fc.asyncProperty(inPieces(hostileRequest), async (cases) => {
      const all = await Promise.all(cases.map(({ requests, cuts }) => send(hasty, requests, cuts)));
      const stored = await storedIds(hasty);
      for (const { ids, bytes, answers } of all) {
        const { messages, isBroken } = readMessages(bytes);
        expectEnvelopes(answers);
        const final = answers.filter(({ status }) => status >= 200);
        expect(final.length, JSON.stringify(bytes)).toBeLessThanOrEqual(messages.length + Number(isBroken));
        const accepted = final.flatMap(({ status, body }) => (status === 201 ? body.data.payload.id : []));
        const kept = [...new Set([...ids, ...accepted])].filter((id) => stored.has(id));
        expect(kept.sort(), JSON.stringify(bytes)).toEqual(accepted.sort());
        expect(idsIn(messages), JSON.stringify(bytes)).toEqual(expect.arrayContaining(accepted));
      }
      expect((await hasty.sluice.request('GET', '/health/live')).status).toBe(200);
    });
    await fc.assert(property, options);
  },
  timeoutMs,
);

it(
  'stores a body exactly as it was posted, or refuses it and stores nothing',
  async () => {
    const { sluice, client, token } = patient;
    const own = await sluice.application(token);
    const accepted: string[] = [];
    const cases = fc.array(hostileBody, { minLength: casesAtOnce, maxLength: casesAtOnce });
    const property = fc.asyncProperty(cases, async (bodies) => {
      await Promise.all(
        bodies.map(async ({ bytes, headers }) => {
          const head = [
            `POST /api/applications/${own}/data HTTP/1.1`,
            'Host: a',
            'Connection: close',
            ...headers,
            `Content-Length: ${bytes.length}`,
            '',
            '',
          ].join('\r\n');
          const answers = await speak(sluice.url, Buffer.concat([Buffer.from(head), bytes]));
          expect(answers).toHaveLength(1);
          expectEnvelopes(answers);
          const [{ status, body }] = answers as [RawResponse];
          expect([201, 400, 413, 415, 422]).toContain(status);
          if (status !== 201) return;
          const posted = canonical(bytes.toString().replace(/^\uFEFF/, ''));
          expect(canonical(toJson(body.data.payload))).toBe(posted);
          accepted.push(posted);
        }),
      );
    });
    await fc.assert(property, options);
    const stored = (await client.payloads(own)).map((payload) => canonical(toJson(payload)));
    expect(stored.sort()).toEqual(accepted.sort());
    expect(stored.length).toBeGreaterThan(0);
    expect((await client.upload(own, '{"is":"well"}')).status).toBe(201);
  },
  timeoutMs,
);
