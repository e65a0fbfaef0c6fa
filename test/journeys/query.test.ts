import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { timeOfId } from '@sluice/store/entries/entry-id.ts';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { history } from '../../examples/weather/readings.ts';
import { readDescription } from '../clients/description.ts';
import { root } from '../support/docs-steps.ts';
import { rowsOf } from '../support/lake.ts';
import { type Answer, type Call, sharedSluice, startSluice, storeOf, until } from '../support/sluice.ts';
import { commandLine } from '../support/sluice-command.ts';

const sluice = await startSluice({ questions: true });
afterAll(() => sluice.stop());

const schema = {
  type: 'object',
  properties: { place: { type: 'string' }, celsius: { type: 'number' } },
};

const weather = JSON.parse(readFileSync(join(root, 'examples/weather/schema.json'), 'utf8'));

async function application() {
  const { token } = await sluice.owner();
  const domain = await sluice.application(token, schema);
  const path = `/applications/${domain}`;
  const call = (method: string, where: string, options: Call = {}) =>
    sluice.request(method, `${path}${where}`, { token, ...options });
  const upload = (...entries: object[]) => call('POST', '/data/batch', { json: entries });
  const ask = (sql: string, options: Call & { params?: unknown } = {}) => {
    const { params, ...rest } = options;
    return call('POST', '/query', { json: { sql, ...(params !== undefined && { params }) }, ...rest });
  };
  const personal = async (scope: string): Promise<string> => {
    const json = { name: scope, scopes: [scope] };
    return (await sluice.request('POST', '/users/me/tokens', { token, json })).body.data.token;
  };
  return { token, domain, call, upload, ask, personal };
}

it('readers may ask, and nobody else', async () => {
  const { call, upload, ask, personal } = await application();
  await upload({ celsius: 1 });
  const [reader, other] = [await sluice.owner(), await sluice.owner()];
  await call('PUT', `/members/${reader.username}`, { json: { role: 'reader' } });
  const { key } = (await call('POST', '/keys', { json: { name: 'k' } })).body.data;
  const statusOf = async (token: string | undefined) =>
    (await ask('select count(*) from entries', { token })).status;
  expect({
    owner: await statusOf((await application()).token),
    reader: await statusOf(reader.token),
    other: await statusOf(other.token),
    'read token': await statusOf(await personal('read')),
    'write token': await statusOf(await personal('write')),
    'upload token': await statusOf(await personal('upload')),
    key: await statusOf(key),
    nobody: await statusOf(undefined),
  }).toEqual({
    owner: 404,
    reader: 200,
    other: 404,
    'read token': 200,
    'write token': 403,
    'upload token': 403,
    key: 401,
    nobody: 401,
  });
});

it('answers the example of the description, and its parameters by place and by name', async () => {
  const { upload, call, ask } = await application();
  await upload({ celsius: 21 }, { celsius: 23, place: "O'Hare" }, { celsius: 5 });
  const { operations } = await readDescription(sluice);
  const operation = operations.find(({ operationId }) => operationId === 'query');
  const { example } = operation?.requestBody?.content['application/json'] ?? {};
  const answer = await call('POST', '/query', { json: example });
  expect(answer.body).toMatchObject({ success: true, status: 200, data: { rows: [[2, 22]] } });
  const described = operation?.responses[200]?.content?.['application/json']?.example as { data: object };
  expect(Object.keys(answer.body.data).sort()).toEqual(Object.keys(described.data).sort());
  const named = await ask('select celsius from entries where place = $place', {
    params: { place: "O'Hare" },
  });
  expect(named.body.data.rows).toEqual([[23]]);
  expect((await ask('select $1', { params: [] })).status).toBe(400);
  expect((await ask('select 1', { params: [{}] })).status).toBe(400);
});

it('answers in the format that the client likes best', async () => {
  const { upload, ask } = await application();
  await upload({ celsius: 1, place: 'Oslo' }, { celsius: 2.5, place: 'a,b' });
  const sql = 'select place, celsius from entries order by celsius';
  const as = (accept: string) => ask(sql, { headers: { accept } });
  const csv = await as('text/csv; charset=utf-8');
  expect(csv.text).toBe('place,celsius\r\nOslo,1\r\n"a,b",2.5\r\n');
  expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(csv.headers.get('sluice-truncated')).toBe('false');
  expect(Date.parse(csv.headers.get('sluice-as-of') as string)).toBeGreaterThan(0);
  const lines = await as('application/json;q=0.5, application/x-ndjson');
  expect(lines.text).toBe('{"place":"Oslo","celsius":1}\n{"place":"a,b","celsius":2.5}\n');
  for (const accept of ['text/*', 'Text/CSV', 'image/png, text/csv;q="0.1"'])
    expect((await as(accept)).headers.get('content-type')).toMatch('text/csv');
  for (const accept of ['*/*', 'image/png', 'text/csv;q=0'])
    expect((await as(accept)).body.data.rows).toHaveLength(2);
  const parquet = await ask(`${sql} limit 1`, { headers: { accept: 'application/vnd.apache.parquet' } });
  expect(parquet.text.slice(0, 4)).toBe('PAR1');
});

it('says where a question is wrong', async () => {
  const { upload, ask } = await application();
  await upload({ celsius: 1 });
  const { status, body } = await ask('select celsius\nfrom entries\nwhere kelvin > 1');
  expect([status, body.error.name]).toEqual([400, 'InvalidRequestError']);
  expect(body.error.message).toMatch(/kelvin.*\(line 3, column 7\)$/s);
  expect(body.error.details).toMatchObject([{ in: 'body', path: '/sql', line: 3, column: 7 }]);
  const two = await ask('select 1; select 2');
  expect(two.body.error.message).toBe('a question is one SELECT; several were sent');
});

it('says that there are more rows', async () => {
  const { ask } = await application();
  const { body, headers } = await ask('select * from range(10001)');
  expect([body.data.rows.length, body.data.truncated, body.data.as_of]).toEqual([10_000, true, null]);
  expect([headers.get('sluice-truncated'), headers.get('sluice-as-of')]).toEqual(['true', null]);
});

it('holds every upload that was acknowledged, up to its time', async () => {
  const applications = await Promise.all([application(), application()]);
  const found = await Promise.all(
    applications.map(async ({ call, ask }) => {
      const acknowledged: string[] = [];
      let isAsking = true;
      const uploading = Array.from({ length: 4 }, async () => {
        while (isAsking || acknowledged.length < 50) {
          const { headers } = await call('POST', '/data', { json: { celsius: 1 } });
          acknowledged.push(headers.get('entry-id') as string);
        }
      });
      await until(async () => acknowledged.length > 10);
      const { data } = (await ask('select id from entries')).body;
      isAsking = false;
      await Promise.all(uploading);
      const asOf = Date.parse(data.as_of);
      const before = acknowledged.filter((id) => timeOfId(id).getTime() < asOf);
      const answered = new Set(data.rows.flat());
      return { before: before.length, missing: before.filter((id) => !answered.has(id)) };
    }),
  );
  for (const { before, missing } of found) {
    expect(missing).toEqual([]);
    expect(before).toBeGreaterThan(0);
  }
});

it('keeps questions that members share', async () => {
  const { call, domain, token } = await application();
  const [reader, other] = [await sluice.owner(), await sluice.owner()];
  await call('PUT', `/members/${reader.username}`, { json: { role: 'reader' } });
  const save = (name: string, options: Call = {}) =>
    call('POST', '/queries', { json: { name, sql: `select '${name}'` }, ...options });
  const { data } = (await save('warm')).body;
  expect(data).toMatchObject({ name: 'warm', sql: "select 'warm'", createdBy: expect.any(String) });
  await save('cold');
  const again = await save('warm');
  expect([again.status, again.body.error.name]).toEqual([409, 'ResourceConflictError']);
  const names = async (user?: { token: string }) => {
    const { status, body } = await call('GET', '/queries', user);
    return body.data?.map(({ name }: { name: string }) => name) ?? status;
  };
  expect([await names(reader), await names(other)]).toEqual([['cold', 'warm'], 404]);
  expect((await save('mine', { token: reader.token })).status).toBe(403);
  expect((await call('DELETE', `/queries/${data.id}`, { token: reader.token })).status).toBe(403);
  for (const status of [200, 404]) expect((await call('DELETE', `/queries/${data.id}`)).status).toBe(status);
  expect(await names()).toEqual(['cold']);
  const audit = await sluice.request('GET', '/users/me/activity', { token });
  const actions = audit.body.data.result.map(({ action }: { action: string }) => action);
  expect(actions).toEqual(expect.arrayContaining(['question.saved', 'question.deleted']));

  const full = await Promise.all(Array.from({ length: 101 }, (_, at) => save(`q${at}`)));
  const refused = full.find(({ status }) => status === 429);
  expect(refused?.body.error.message).toContain('limit of 100 saved questions');
  expect((await names()).length).toBeLessThanOrEqual(100);
  const store = storeOf(sluice);
  const { id = '' } = (await store.applications.byDomain(domain)) ?? {};
  await call('DELETE', '');
  await until(async () => (await store.savedQuestions.list(id)).length === 0);
});

/** What an API answers whose query worker is this one. */
async function withWorker(listener: RequestListener | undefined) {
  const worker = createServer(listener).listen(0, '127.0.0.1');
  onTestFinished(() => void worker.close());
  await once(worker, 'listening');
  const { port } = worker.address() as AddressInfo;
  if (!listener) worker.close();
  const env = { QUERY_URL: `http://127.0.0.1:${port}` };
  const own = await startSluice({ workers: false, env });
  onTestFinished(own.stop);
  const { token } = await own.owner();
  const path = `/applications/${await own.application(token)}/query`;
  return {
    url: `${own.url}/api${path}`,
    token,
    ask: () => own.request('POST', path, { token, json: { sql: 'select 1' } }),
  };
}

it('ends a question when its client goes', async () => {
  const asked = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const { url, token } = await withWorker((request) => {
    request.socket.once('close', ended.resolve);
    asked.resolve();
  });
  const client = new AbortController();
  const answer = fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{"sql":"select 1"}',
    signal: client.signal,
  });
  await asked.promise;
  client.abort();
  await expect(answer).rejects.toThrow('aborted');
  await ended.promise;
});

it('says why there is no answer', async () => {
  const errorOf = ({ status, body, headers }: Answer) => [
    status,
    body.error.message,
    headers.get('retry-after'),
  ];
  const away = await withWorker(undefined);
  expect(errorOf(await away.ask())).toEqual([503, 'no query worker answers: try again', '5']);
  const busy = await withWorker((_request, response) => {
    response.writeHead(429, { 'retry-after': '1' }).end('{"message":"too many questions wait"}');
  });
  expect(errorOf(await busy.ask())).toEqual([429, 'too many questions wait', '1']);
  const strange = await withWorker((_request, response) => void response.writeHead(502).end('<html>'));
  expect(errorOf(await strange.ask())).toEqual([503, 'no reason', '5']);
  const without = await sharedSluice();
  const { token } = await without.owner();
  const path = `/applications/${await without.application(token)}/query`;
  const answer = await without.request('POST', path, { token, json: { sql: 'select 1' } });
  expect(errorOf(answer)).toEqual([
    503,
    'no query worker runs here: ask the operator to set QUERY_URL',
    '60',
  ]);
});

describe('sluice query', () => {
  async function asking(...entries: object[]) {
    const { token, domain, upload } = await application();
    await upload(...entries);
    return commandLine({ url: sluice.url, token, app: domain });
  }

  it('prints a table, JSON, CSV or NDJSON, or writes a Parquet file', async () => {
    const user = await asking({ place: 'Oslo', celsius: -3.5 }, { celsius: 12 });
    const sql = 'select place, celsius from entries order by celsius';
    expect(await user.sluice(['query', sql])).toEqual({
      code: 0,
      stdout: 'place  celsius\nOslo      -3.5\nNULL        12\n',
      stderr: expect.stringMatching(/^with every entry up to 2\S+Z\n$/),
    });
    const json = JSON.parse((await user.sluice(['query', sql, '--json'])).stdout);
    expect(json).toMatchObject({
      rows: [
        ['Oslo', -3.5],
        [null, 12],
      ],
      truncated: false,
    });
    const csv = await user.sluice(['query', sql, '--csv']);
    expect(csv).toEqual({ code: 0, stdout: 'place,celsius\r\nOslo,-3.5\r\n,12\r\n', stderr: '' });
    expect((await user.sluice(['query', sql, '--ndjson'])).stdout).toContain(
      '{"place":"Oslo","celsius":-3.5}\n',
    );
    const file = user.at('answer.parquet');
    expect((await user.sluice(['query', sql, '--parquet', file])).stdout).toBe('');
    expect(await rowsOf(file, readFileSync(file))).toEqual([
      { place: 'Oslo', celsius: -3.5 },
      { place: null, celsius: 12 },
    ]);
    expect(await user.sluice(['query', sql, '--csv', '--ndjson'])).toMatchObject({ code: 2, stdout: '' });
  });

  it('takes parameters, and the question from a file or the standard input', async () => {
    const user = await asking({ place: '7', celsius: 7 }, { place: 'a=b', celsius: 8 });
    const count = 'select count(*)::int as n from entries where';
    const n = async (args: string[], input?: string) => {
      const { stdout, stderr } = await user.sluice(
        ['query', '--csv', ...args],
        input === undefined ? {} : { input },
      );
      return stdout.split('\r\n')[1] ?? stderr;
    };
    expect(await n([`${count} celsius = $c and typeof($c) = 'BIGINT'`, '--param', 'c=7'])).toBe('1');
    expect(await n([`${count} place = $p and celsius = $c`, '--param', 'p=a=b', '--param', 'c=8'])).toBe('1');
    expect(await n([`${count} place = $p and typeof($p) = 'VARCHAR'`, '--param', 'p="7"'])).toBe('1');
    expect(await n(['-'], `${count} celsius > 7`)).toBe('1');
    writeFileSync(user.at('question.sql'), `\ufeff${count} true`);
    expect(await n(['--file', user.at('question.sql')])).toBe('2');
    expect(await n([])).toContain('give one question');
    expect(await n(['select 1', '--param', 'x'])).toContain('--param takes name=value');
  });

  it('saves questions for the members, and asks, lists and deletes them by name', async () => {
    const user = await asking({ celsius: 7 });
    const sql = 'select sum(celsius) as total\nfrom entries where celsius > $least';
    const least = ['--param', 'least=5'];
    const wrong = await user.sluice(['query', 'select kelvin from entries', '--save', 'wrong']);
    expect(wrong.code).toBe(2);
    const saved = await user.sluice(['query', sql, ...least, '--save', 'In all']);
    expect(saved).toMatchObject({ code: 0, stdout: 'total\n    7\n' });
    expect(saved.stderr).toContain('saved as In all');
    const named = ['query', '--named', 'In all', ...least];
    expect(await user.sluice([...named, '--csv'])).toMatchObject({ stdout: 'total\r\n7\r\n' });
    const again = await user.sluice(['query', 'select 1', '--save', 'In all']);
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('with the name In all') });
    expect(await user.sluice(['query', 'select 1', '--named', 'In all'])).toMatchObject({ code: 2 });
    const list = async () => JSON.parse((await user.sluice(['queries', 'list', '--json'])).stdout);
    expect(await list()).toMatchObject([{ name: 'In all', sql }]);
    expect((await user.sluice(['queries', 'list'])).stdout).toMatch(/^name .*\nIn all /);
    expect((await user.sluice(['__complete', '--', 'query', '--named', 'I'])).stdout).toBe('In all\t\n');
    expect((await user.sluice(['queries', 'delete', 'In all'])).code).toBe(2);
    expect((await user.sluice(['queries', 'delete', 'In all', '--yes'])).code).toBe(0);
    expect(await list()).toEqual([]);
    expect(await user.sluice(named)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('there is no saved question In all'),
    });
  });

  it('shows the place of a fault, and says when there are more rows', async () => {
    const user = await asking({ celsius: 1 });
    const wrong = await user.sluice(['query', 'select celsius\nfrom entries\n\twhere kelvin > 1']);
    expect([wrong.code, wrong.stdout]).toEqual([2, '']);
    expect(wrong.stderr).toMatch(
      /kelvin.*line 3, column 8.*\nsluice: {3}\twhere kelvin > 1\nsluice: {3}\t {6}\^\n$/s,
    );
    for (const format of [[], ['--json'], ['--csv']])
      expect((await user.sluice(['query', 'select * from range(10001)', ...format])).stderr).toContain(
        'there are more rows',
      );
  });
});

it('answers the questions of docs/asking.md over the weather stations', async () => {
  const { token } = await sluice.owner();
  const domain = await sluice.application(token, weather);
  const path = `/applications/${domain}`;
  const body = [...history(Date.now())].join('\n');
  const headers = { 'content-type': 'application/x-ndjson' };
  const { data } = (await sluice.request('POST', `${path}/imports?entries=wrapped`, { token, body, headers }))
    .body;
  await until(
    async () =>
      (await sluice.request('GET', `${path}/imports/${data.id}`, { token })).body.data.state === 'completed',
  );
  const page = readFileSync(join(root, 'docs/asking.md'), 'utf8');
  const questions = [...page.matchAll(/^```sql\n(.*?)^```/gms)].map(([, sql]) => sql as string);
  expect(questions).toHaveLength(10);
  const columns = ['createdAt', 'id', 'schema_version', 'source', 'key', 'payload'];
  for (const sql of [
    ...questions,
    `select ${columns}, "wind.speed", payload->>'$.wind.speed' from entries`,
  ]) {
    const { text, body: answer } = await sluice.request('POST', `${path}/query`, { token, json: { sql } });
    expect({ sql, text, rows: answer.data?.rows?.length }).toEqual({
      sql,
      text,
      rows: expect.toSatisfy((n) => n > 0),
    });
  }
});
