import { createHash } from 'node:crypto';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { sharedSluice, until } from '../support/sluice.ts';

const schema = { type: 'object', properties: { n: { type: 'integer' }, text: { type: 'string' } } };
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

const fetchFile = (headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${sluice.url}/api${path}/file`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'accept-encoding': 'identity', ...headers },
  });
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

async function completed(json: object, at = domain) {
  const jobs = `/applications/${at}/exports`;
  const { body } = await sluice.request('POST', jobs, { token, json });
  const get = () => sluice.request('GET', `${jobs}/${body.data.id}`, { token });
  await until(async () => (await get()).body.data.state === 'completed');
  return { path: `${jobs}/${body.data.id}`, job: (await get()).body.data };
}

const sluice = await sharedSluice();
const { token } = await sluice.owner();
const domain = await sluice.application(token, schema);
const lines = Array.from({ length: 3_000 }, (_, n) => JSON.stringify({ n, text: 'x'.repeat(n % 50) }));
await sluice.request('POST', `/applications/${domain}/data/batch`, {
  body: lines.join('\n'),
  headers: { 'content-type': 'application/x-ndjson' },
});
/** Of one completed job. */
const { path, job } = await completed({});
const whole = await bytesOf(await fetchFile());

describe('a finished export', () => {
  it('tells what its file has', async () => {
    const { body } = await sluice.request('GET', `/applications/${domain}/data?limit=1000&start=2000`, {
      token,
    });
    const oldest = body.data.result.at(-1).createdAt;
    const newest = (await sluice.request('GET', `/applications/${domain}/data?limit=1`, { token })).body.data
      .result[0].createdAt;
    expect(job.file).toEqual({
      url: `/api${path}/file`,
      name: expect.stringMatching(new RegExp(`^${domain}-\\d{8}T\\d{6}Z\\.csv$`)),
      rows: 3_000,
      bytes: whole.length,
      sha256: sha256(whole),
      firstCreatedAt: oldest,
      lastCreatedAt: newest,
    });
    expect(job.columns).toEqual(['createdAt', 'n', 'text']);
    expect(JSON.parse(job.schema)).toEqual(schema);
    expect(job.progress).toEqual({ done: 3_000, total: 3_000 });
  });

  it('tells so also when there was nothing', async () => {
    const empty = await completed({}, await sluice.application(token, schema));
    expect(empty.job.file).toMatchObject({ rows: 0, bytes: 'createdAt,n,text\r\n'.length });
    expect(empty.job.file).not.toHaveProperty('firstCreatedAt');
  });

  it('has its length and a strong tag, and is not sent again to whom has it', async () => {
    const response = await fetchFile();
    const etag = response.headers.get('etag') as string;
    expect(response.headers.get('content-length')).toBe(String(whole.length));
    expect(etag).toBe(`"${sha256(whole)}"`);
    expect((await bytesOf(response)).equals(whole)).toBe(true);
    const again = await fetchFile({ 'if-none-match': etag });
    expect([again.status, (await bytesOf(again)).length]).toEqual([304, 0]);
  });

  it('is another representation with another tag when it is compressed', async () => {
    const plain = (await fetchFile()).headers.get('etag');
    const packed = await fetchFile({ 'accept-encoding': 'gzip' });
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    expect(packed.headers.get('etag')).not.toBe(plain);
    expect((await bytesOf(packed)).equals(whole)).toBe(true);
  });

  it('can be resumed where a download broke off', async () => {
    const tag = (await fetchFile()).headers.get('etag') as string;
    const response = await fetchFile({ range: 'bytes=12345-', 'if-range': tag, 'accept-encoding': 'gzip' });
    expect(response.headers.get('content-encoding')).toBeNull();
    expect(Buffer.concat([whole.subarray(0, 12_345), await bytesOf(response)]).equals(whole)).toBe(true);
  });

  it('answers HEAD with what GET has around its body', async () => {
    const [head, get] = [await fetchFile({}, 'HEAD'), await fetchFile()];
    for (const name of ['content-length', 'etag', 'content-type', 'content-disposition', 'accept-ranges'])
      expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)]);
    expect((await bytesOf(head)).length).toBe(0);
  });
});

describe('a format', () => {
  const entries = () => parse(whole.toString(), { columns: true }) as { createdAt: string; n: string }[];

  it('ndjson has an entry a line, as it was uploaded', async () => {
    const made = await completed({ format: 'ndjson' });
    const text = (await sluice.request('GET', `${made.path}/file`, { token })).text;
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ createdAt, payload }) => [createdAt, payload.n])).toEqual(
      entries().map(({ createdAt, n }) => [createdAt, Number(n)]),
    );
    expect(lines[7]).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{28}$/),
      createdAt: entries()[7]?.createdAt,
      payload: { n: 7, text: 'xxxxxxx' },
    });
  });

  it('ndjson has only the columns that are asked for', async () => {
    const { text, headers } = await sluice.request(
      'GET',
      `/applications/${domain}/export?format=ndjson&columns=n`,
      { token },
    );
    expect(headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    expect(text.split('\n')[3]).toMatch(/^\{"id":"\w{28}","payload":\{"n":3\}\}$/);
  });

  it.each(['format=xml', 'format=ndjson&arrays=rows', 'arrays=rows&columns=n', 'arrays=all'])(
    'is refused as %s',
    async (query) => {
      const { status, body } = await sluice.request('GET', `/applications/${domain}/export?${query}`, {
        token,
      });
      expect([status, body.error.name]).toEqual([400, 'InvalidRequestError']);
    },
  );
});

describe('events of a job', () => {
  it('end with the job as it is in the end', async () => {
    const { body } = await sluice.request('POST', `/applications/${domain}/exports`, { token, json: {} });
    const at = `/applications/${domain}/exports/${body.data.id}`;
    const response = await fetch(`${sluice.url}/api${at}/events`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const events = (await response.text())
      .trim()
      .split('\n\n')
      .map((event) => event.split('\n'));
    const [name, data] = events.at(-1) as [string, string];
    const { columns: _, schema: __, ...brief } = (await sluice.request('GET', at, { token })).body.data;
    expect(name).toBe('event: end');
    expect(JSON.parse(data.slice('data: '.length))).toEqual(brief);
    expect(events.slice(0, -1).every(([event]) => event === 'event: progress')).toBe(true);
  });

  it("are another user's 404", async () => {
    const other = await sluice.owner();
    const { status } = await sluice.request('GET', `${path}/events`, { token: other.token });
    expect(status).toBe(404);
  });
});
