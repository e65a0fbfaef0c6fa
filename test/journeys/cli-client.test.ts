import { readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { type SharedSluice, sharedSluice } from '../support/sluice.ts';
import { commandLine } from '../support/sluice-command.ts';

let sluice: SharedSluice;
let token: string;
beforeAll(async () => {
  sluice = await sharedSluice();
  ({ token } = await sluice.owner());
});

const schemaOf = (name: string) => ({ type: 'object', properties: { [name]: { type: 'number' } } });

it('sluice client writes a client, and update shows the difference before it writes', async () => {
  const app = await sluice.application(token, schemaOf('celsius'));
  // The application is named in the file.
  const user = commandLine({ url: sluice.url, token });
  const file = user.at('uploader.py');
  expect((await user.sluice(['client', 'python', '-o', file, '--app', app])).code).toBe(0);
  const written = readFileSync(file, 'utf8');
  expect(written).toContain('celsius');
  expect((await user.sluice(['client', 'python', '-o', file, '--app', app])).stderr).toContain('is there');
  expect(await user.sluice(['client', 'update', file, '--json'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('"changed":false'),
  });

  const json = { schema: schemaOf('humidity') };
  await sluice.request('POST', `/applications/${app}/schemas`, { token, json });
  const asked = await user.sluice(['client', 'update', file]);
  expect(asked).toMatchObject({ code: 2, stderr: expect.stringMatching(/^\+ .*humidity/m) });
  expect(asked.stderr).toMatch(/^- .*celsius/m);
  expect(asked.stderr).toContain('from schema version 1 to 2');
  expect(readFileSync(file, 'utf8')).toBe(written);
  expect((await user.sluice(['client', 'update', file, '--yes'])).code).toBe(0);
  expect(readFileSync(file, 'utf8')).toContain('humidity');
});

it('sluice client says which language was probably meant, and refuses a file that is no client', async () => {
  const app = await sluice.application(token);
  const user = commandLine({ url: sluice.url, token, app });
  expect((await user.sluice(['client', 'pyton'])).stderr).toContain('did you mean python?');
  writeFileSync(user.at('mine.py'), 'print(1)\n');
  expect(await user.sluice(['client', 'update', user.at('mine.py')])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is no client of Sluice'),
  });
});

it.each(['typescript', 'go', 'java', 'rust'])(
  'sluice client reads the head of a file for %s',
  async (language) => {
    const app = await sluice.application(token, schemaOf('celsius'));
    const user = commandLine({ url: sluice.url, token, app });
    const made = await user.sluice(['client', language, '-o', '-']);
    writeFileSync(user.at('client'), made.stdout);
    expect(await user.sluice(['client', 'update', user.at('client'), '--json'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"changed":false'),
    });
  },
);

it('sluice client puts a file in Java into a package, and update keeps it there', async () => {
  const app = await sluice.application(token, schemaOf('celsius'));
  const user = commandLine({ url: sluice.url, token, app });
  const file = user.at('Uploader.java');
  expect(await user.sluice(['client', 'java', '--package', 'com.example.weather', '-o', file])).toMatchObject(
    { code: 0 },
  );
  const json = { schema: schemaOf('humidity') };
  await sluice.request('POST', `/applications/${app}/schemas`, { token, json });
  expect((await user.sluice(['client', 'update', file, '--yes'])).code).toBe(0);
  expect(readFileSync(file, 'utf8')).toMatch(/^package com\.example\.weather;$[\s\S]*humidity/m);
});

it('sluice client writes a file in Go for Windows, and update keeps that', async () => {
  const app = await sluice.application(token, schemaOf('celsius'));
  const user = commandLine({ url: sluice.url, token, app });
  const file = user.at('uploader_windows.go');
  expect(await user.sluice(['client', 'go', '--os', 'windows', '-o', file])).toMatchObject({ code: 0 });
  const json = { schema: schemaOf('humidity') };
  await sluice.request('POST', `/applications/${app}/schemas`, { token, json });
  expect((await user.sluice(['client', 'update', file, '--yes'])).code).toBe(0);
  expect(readFileSync(file, 'utf8')).toMatch(/^\/\/go:build windows$[\s\S]*humidity/m);
});
