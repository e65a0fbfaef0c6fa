import { expect, it } from 'vitest';
import { sharedSluice } from '../support/sluice.ts';

const sluice = await sharedSluice();

const schema = {
  type: 'object',
  properties: { celsius: { type: 'number', minimum: -90 }, note: { type: 'string' } },
  required: ['celsius'],
};

/** An application with the schema, and what asks as its owner. */
async function application() {
  const { token } = await sluice.owner();
  const domain = await sluice.application(token, schema);
  const path = `/applications/${domain}`;
  return {
    token,
    domain,
    path,
    get: (rest: string, headers?: Record<string, string>) =>
      sluice.request('GET', `${path}${rest}`, { token, ...(headers && { headers }) }),
    publish: (next: object) => sluice.request('POST', `${path}/schemas`, { token, json: { schema: next } }),
    /** A batch of a client that was made from this version. */
    send: (version: string, entries: object[] = [{ celsius: 1 }]) =>
      sluice.request('POST', `${path}/data/batch`, {
        json: entries,
        headers: { 'sluice-schema-version': version },
      }),
  };
}

const told = ({ status, headers }: { status: number; headers: Headers }) => [
  status,
  headers.get('sluice-schema-version'),
  headers.get('sluice-schema-change'),
];

it('gives a client in each language of the list, the same until the schema changes', async () => {
  const { get, domain, publish } = await application();
  const { body } = await get('/clients');
  const clients = body.data as { language: string; file: string; how: string }[];
  expect(clients.map(({ language }) => language)).toEqual(['typescript', 'python', 'go', 'java', 'rust']);
  const first = await Promise.all(clients.map(({ language }) => get(`/clients/${language}`)));
  for (const [at, { headers, text }] of first.entries()) {
    expect(headers.get('content-disposition')).toBe(`attachment; filename="${clients[at]?.file}"`);
    expect(text).toMatch(
      new RegExp(
        `^.* application ${domain}, schema version 1, hash [0-9a-f]{16}\\.\\n[\\s\\S]*celsius[\\s\\S]*Uploader`,
      ),
    );
  }
  const etag = first[0]?.headers.get('etag') as string;
  const again = await get('/clients/typescript', { 'if-none-match': etag });
  expect([again.status, again.text]).toEqual([304, '']);
  await publish({ ...schema, required: [] });
  const changed = await get('/clients/typescript', { 'if-none-match': etag });
  expect([changed.status, changed.text.includes('schema version 2')]).toEqual([200, true]);
});

it('gives types without an uploader, in more languages', async () => {
  const { get } = await application();
  const [python, kotlin] = [
    await get('/clients/python?types_only=true'),
    await get('/clients/kotlin?types_only=true'),
  ];
  expect(python.text).toMatch(/class Entry:[\s\S]*celsius: float/);
  expect(python.text).not.toMatch(/Uploader/);
  expect(kotlin.text).toMatch(/class Entry[\s\S]*celsius: Double/);
  const whole = await get('/clients/kotlin');
  expect([whole.status, whole.body.error.message]).toEqual([
    404,
    'there is no client in the language kotlin',
  ]);
});

it('puts a file in Java into a package, and no other file', async () => {
  const { get } = await application();
  for (const query of ['', '&types_only=true'])
    expect((await get(`/clients/java?package=com.example.weather${query}`)).text).toMatch(
      /^package com\.example\.weather;$/m,
    );
  expect((await get('/clients/java')).text).not.toMatch(/^package /m);
  const noPackage = 'package: it is not a Java package such as com.example.weather';
  for (const [path, message] of [
    ['java?package=com.example;import', noPackage],
    ['java?package=com.new.weather', noPackage],
    ['java?package=', noPackage],
    ['go?package=com.example.weather', 'package: only a file in Java has one'],
  ] as const) {
    const { status, body } = await get(`/clients/${path}`);
    expect([status, body.error.message]).toEqual([400, message]);
  }
});

it('gives a file in Go for Windows, which another system leaves out, and the other way round', async () => {
  const { get } = await application();
  const [usual, windows] = [await get('/clients/go'), await get('/clients/go?os=windows')];
  expect(usual.text).toMatch(/^\/\/go:build !windows$/m);
  expect(usual.text).toContain('syscall.Flock(');
  expect(windows.text).toMatch(/^\/\/go:build windows$/m);
  expect(windows.text).not.toContain('syscall.Flock(');
  expect(windows.headers.get('content-disposition')).toBe('attachment; filename="uploader_windows.go"');
  const other = await get('/clients/python?os=windows');
  expect([other.status, other.body.error.message]).toEqual([400, 'os: only a file in Go is for one system']);
  expect((await get('/clients/go?os=plan9')).status).toBe(400);
});

it('tells a client of another version what the schema in force does to its entries', async () => {
  const { publish, send } = await application();
  expect(told(await send('1'))).toEqual([201, null, null]);
  await publish({ ...schema, required: [] });
  expect(told(await send('1'))).toEqual([201, '2', 'looser']);
  await publish({ ...schema, required: ['celsius', 'note'] });
  expect(told(await send('1'))).toEqual([422, '3', 'stricter']);
  expect(told(await send('2', [{ celsius: 1 }, { celsius: 1, note: 'n' }]))).toEqual([207, '3', 'stricter']);
  expect(told(await send('3', [{ celsius: 1, note: 'n' }]))).toEqual([201, null, null]);
  // A replica may know a version that this one does not know yet.
  expect(told(await send('4', [{ celsius: 1, note: 'n' }]))).toEqual([201, null, null]);
});

it('refuses a version that is no number, and stores nothing', async () => {
  const { send, get } = await application();
  const { status, body } = await send('v1');
  expect([status, body.error.name]).toEqual([400, 'InvalidRequestError']);
  expect((await get('/data')).body.data.pagination.total).toBe(0);
});
