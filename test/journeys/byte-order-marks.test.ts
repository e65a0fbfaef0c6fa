import { readFileSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { importClient, types } from '../support/import-client.ts';
import { sharedSluice } from '../support/sluice.ts';
import { commandLine } from '../support/sluice-command.ts';
import { uploadClient } from '../support/upload-client.ts';

const mark = '\ufeff';
const schema = JSON.stringify({ type: 'object', properties: { n: { type: 'integer' } } });
const sluice = await sharedSluice();
const { token } = await sluice.owner();
let domain: string;
let user: ReturnType<typeof commandLine>;

beforeEach(async () => {
  domain = await sluice.application(token, JSON.parse(schema));
  user = commandLine({ url: sluice.url, token, app: domain });
});

const ask = (path: string, json: object) => sluice.request('POST', path, { token, json });
const at = (rest: string) => `/applications/${domain}${rest}`;

describe('one byte order mark before a text is dropped by the API', () => {
  it.each<[string, () => Promise<{ status: number }>, number]>([
    ['a body', () => sluice.request('POST', at('/replays'), { token, body: `${mark}{}` }), 202],
    ['a schema', () => ask('/applications', { name: 'a', type: 'other', schema: mark + schema }), 200],
    ['a version', () => ask(at('/schemas'), { schema: `${mark}{"type":"object"}` }), 200],
    ['a rehearsed schema', () => ask(at('/rehearsals'), { schema: mark + schema }), 202],
    ['a patch', () => ask(at('/replays'), { patch: `${mark}[{"op":"remove","path":"/n"}]` }), 202],
    ['changes', () => ask(at('/replays'), { coerce: `${mark}[{"path":"/n","to":"number"}]` }), 202],
    ['a filter of an export', () => ask(at('/exports'), { filter: `${mark}{"n":1}` }), 202],
    ['a filter of a deletion', () => ask(at('/deletions?dry_run=true'), { filter: `${mark}{"n":1}` }), 200],
    ['an upload', () => sluice.request('POST', at('/data'), { body: `${mark}{"n":1}` }), 201],
    ['a batch', () => uploadClient(sluice, token).batch(domain, `${mark}{"n":1}\n`), 201],
  ])('%s', async (_what, send, expected) => {
    const { status, ...answer } = await send();
    expect({ status, answer }).toMatchObject({ status: expected });
  });

  it.each([
    ['NDJSON', '{"n":1}\n', types.ndjson],
    ['an array', '[{"n":1}]', types.json],
    ['CSV', 'n\n1\n', types.csv],
  ])('an import of %s', async (_what, text, type) => {
    const { job } = await importClient(sluice, token).complete(domain, mark + text, { type });
    expect(job).toMatchObject({ accepted: 1, rejected: 0 });
    expect(await uploadClient(sluice, token).payloads(domain)).toEqual([{ n: 1 }]);
  });

  it('but not before a later line, where the place of the mark is told', async () => {
    const message = expect.stringContaining('at column 1; this is a byte order mark');
    const { body } = await uploadClient(sluice, token).batch(domain, `{"n":1}\n${mark}{"n":2}\n`);
    expect(body.data.errors).toMatchObject([{ line: 2, message }]);
    const { errors } = await importClient(sluice, token).complete(domain, `{"n":1}\n${mark}{"n":2}\n`, {
      type: types.ndjson,
    });
    expect(errors).toMatchObject([{ line: 2, message }]);
  });

  it('which keeps a schema as it was sent, but for the mark', async () => {
    const { body } = await ask('/applications', { name: 'a', type: 'other', schema: mark + schema });
    expect(body.data.template.raw_schema).toBe(schema);
  });

  it('and no second one', async () => {
    const { status } = await ask(at('/schemas'), { schema: mark + mark + schema });
    expect(status).toBe(422);
  });
});

describe('one byte order mark before a file is dropped by the command line', () => {
  const looser = '{"type":"object"}';
  it.each<[string, string, string[], number]>([
    ['a schema to compare', looser, ['schema', 'diff', 'FILE'], 1],
    ['a schema to rehearse', schema, ['schema', 'rehearse', 'FILE'], 0],
    ['a schema to publish', looser, ['schema', 'publish', 'FILE', '--yes'], 0],
    ['the schema of an application', schema, ['apps', 'create', 'a', '--schema', 'FILE'], 0],
    ['a sample', 'n\n1\n', ['apps', 'create', 'a', '--from', 'FILE'], 0],
    ['a patch', '[{"op":"remove","path":"/n"}]', ['refused', 'replay', '--patch', '@FILE'], 0],
    ['changes', '[{"path":"/n","to":"number"}]', ['refused', 'replay', '--coerce', '@FILE'], 0],
    ['NDJSON to send', '{"n":1}\n', ['send', 'FILE', '--format', 'ndjson'], 0],
    ['CSV to send', 'n\n1\n', ['send', 'FILE', '--format', 'csv'], 0],
  ])('%s', async (_what, text, args, code) => {
    writeFileSync(user.at('file'), mark + text);
    const named = args.map((arg) => arg.replace('FILE', user.at('file')));
    expect(await user.sluice(named)).toMatchObject({ code });
  });

  it('a profile, and a token from the standard input', async () => {
    const newcomer = commandLine({ url: sluice.url });
    expect(await newcomer.sluice(['login'], { input: `${mark}${token}\r\n` })).toMatchObject({ code: 0 });
    const file = newcomer.at('.config/sluice/profiles.json');
    writeFileSync(file, mark + readFileSync(file, 'utf8'), { mode: 0o600 });
    expect(await newcomer.sluice(['apps', 'list'])).toMatchObject({ code: 0, stderr: '' });
  });

  it('a client, which is as before without it', async () => {
    expect(await user.sluice(['client', 'python', '-o', user.at('a.py')])).toMatchObject({ code: 0 });
    writeFileSync(user.at('a.py'), mark + readFileSync(user.at('a.py'), 'utf8'));
    const { code, stderr } = await user.sluice(['client', 'update', user.at('a.py')]);
    expect([code, stderr]).toEqual([0, expect.stringContaining('is what version 1 of the schema makes')]);
  });
});

it.each([
  ['a schema', ['schema', 'diff', 'FILE']],
  ['a patch', ['refused', 'replay', '--patch', '@FILE']],
])('the command line says which byte of %s is not UTF-8', async (_what, args) => {
  writeFileSync(user.at('file'), Buffer.from('["\xe9"]', 'latin1'));
  const named = args.map((arg) => arg.replace('FILE', user.at('file')));
  const { code, stderr } = await user.sluice(named);
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('not valid UTF-8 at byte 3; it looks like Windows-1252'),
  ]);
});
