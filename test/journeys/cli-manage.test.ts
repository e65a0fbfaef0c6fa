import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { webhookEvents } from '@sluice/shared/webhook-events.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { codeOf } from '../support/authenticator.ts';
import { processEnv } from '../support/process-env.ts';
import { createReceiver } from '../support/receiver.ts';
import { type SharedSluice, sharedSluice, until } from '../support/sluice.ts';
import { commandLine, main } from '../support/sluice-command.ts';
import { startVersitygw } from '../support/versitygw.ts';

let sluice: SharedSluice;
let owner: { username: string; token: string };
let domain: string;
let user: ReturnType<typeof commandLine>;

const schema = { type: 'object', properties: { celsius: { type: 'number' } } };

const lake = mkdtempSync(join(tmpdir(), 'sluice-cli-lake-'));
afterAll(() => rmSync(lake, { recursive: true, force: true }));
beforeAll(async () => {
  const archives = { ARCHIVE_FOLDER: lake, SECRETS_KEY: 'a secret of tests' };
  sluice = await sharedSluice({ env: { OUTBOUND_ALLOW: '127.0.0.1', DELETION_GRACE: '7d', ...archives } });
  owner = await sluice.owner();
});
beforeEach(async () => {
  domain = await sluice.application(owner.token, schema);
  user = commandLine({ url: sluice.url, token: owner.token, app: domain });
});

const upload = (payload: string, headers: Record<string, string> = {}) =>
  sluice.request('POST', `/applications/${domain}/data`, { body: payload, headers });

/** What a command prints, which must end well. */
async function print(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await user.sluice(args);
  if (code !== 0) throw new Error(`${code} ${stderr}`);
  return stdout;
}
const json = async (...args: string[]) => JSON.parse(await print(...args, '--json'));

it('sluice keys creates, rotates, lists and deletes keys, and a key sends', async () => {
  const key = (await print('keys', 'create', 'Roof sensor')).trim();
  await sluice.request('PATCH', `/applications/${domain}`, {
    token: owner.token,
    json: { key_required: true },
  });
  await until(async () => (await upload('{}')).status === 403);
  const sent = await user.sluice(['send', '-', '--token', key], { input: '{"celsius":1}\n' });
  expect([sent.code, sent.stderr]).toEqual([0, '1 stored, 0 refused\n']);
  const input = 'celsius,place\n1,Oslo\n';
  const refused = await user.sluice(['send', '-', '--format', 'csv', '--token', key], { input });
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('an ingest key cannot import')]);
  const [{ id }] = await json('keys', 'list');
  const update = (...limits: string[]) => print('keys', 'update', id, ...limits);
  await update('--name', 'Roof', '--rate', '100/60', '--expires', '2126-01-31');
  const row = (limits: string) =>
    expect.stringMatching(new RegExp(`^${id} +Roof +sk_\\S+ .* ${owner.username} .* 1 +0${limits}$`, 'm'));
  expect(await print('keys', 'list')).toEqual(row(' +100/60 +2126-01-31T00:00:00.000Z'));
  await update('--rate', 'off', '--expires', 'never');
  expect(await print('keys', 'list')).toEqual(row(''));
  expect(await user.sluice(['keys', 'update', id, '--rate', '100'])).toMatchObject({
    code: 2,
    stderr: 'sluice: --rate takes entries/seconds, such as 100/60, or off\n',
  });
  expect((await user.sluice(['keys', 'update', id, '--expires', '2020-01-01'])).stderr).toContain('future');
  const limited = ['keys', 'create', 'Other', '--rate', '5/1', '--expires', 'never'];
  const other = await json(...limited);
  expect(other).toMatchObject({ upload_rate: { entries: 5, seconds: 1 } });
  await print('keys', 'delete', other.id, '--yes');
  expect((await json('keys', 'rotate', id)).key).not.toBe(key);
  expect((await user.sluice(['keys', 'delete', id])).code).toBe(2);
  await print('keys', 'delete', id, '--yes');
  expect(await print('keys', 'list')).toBe('none\n');
});

it('sluice keys says when a key is not needed, and how to need one', async () => {
  const created = await user.sluice(['keys', 'create', 'Roof sensor']);
  expect(created.stderr).toContain(`${domain} also takes uploads without a key: \`sluice apps set`);
  await print('apps', 'set', '--key-required', 'on');
  expect((await user.sluice(['keys', 'create', 'Other'])).stderr).toBe(
    'keep it now: Sluice does not show it again\n',
  );
});

describe('sluice apps set', () => {
  it('changes what is named, and nothing else', async () => {
    const options = [
      ['--name', 'Roof'],
      ['--type', 'server'],
      ['--key-required', 'on'],
      ['--origins', 'https://a.example,https://b.example'],
      ['--retention-days', '30'],
      ['--refused-days', '7'],
      ['--refused-limit', '100'],
    ];
    await print('apps', 'set', ...options.flat(), '--yes');
    const set = {
      name: 'Roof',
      type: 'server',
      key_required: true,
      allowed_origins: ['https://a.example', 'https://b.example'],
      retention_days: 30,
      refused: { keep: true, limit: 100, days: 7 },
    };
    expect(await json('apps', 'show')).toMatchObject(set);
    const off = ['--key-required', 'off', '--origins', 'off', '--retention-days', 'off'];
    expect(await print('apps', 'set', ...off)).toBe(
      'field            value\nkey_required     false\nallowed_origins  []\nretention_days   null\n',
    );
    expect(await json('apps', 'show')).toMatchObject({
      ...set,
      key_required: false,
      allowed_origins: [],
      retention_days: null,
    });
  });

  it('sets and removes a unique member', async () => {
    const required = { ...schema, required: ['celsius'] };
    const app = await sluice.application(owner.token, required);
    const unique = ['apps', 'set', app, '--unique', '/celsius', '--unique-days', '30'];
    expect(await json(...unique)).toMatchObject({ unique: { path: '/celsius', days: 30 } });
    expect(await json('apps', 'set', app, '--unique', 'off')).toMatchObject({ unique: null });
  });

  it.each([
    [[], 'name what to change: see `sluice help apps set`'],
    [['--retention-days', 'ten', '--yes'], '--retention-days takes a whole number from 1 to 3650, or off'],
    [['--refused-limit', '1.5', '--yes'], '--refused-limit takes a whole number from 1 to 100000'],
    [['--unique-days', '3'], '--unique-days needs --unique PATH'],
    [['--key-required', 'yes'], 'Allowed choices are on, off'],
    [['--retention-days', '30'], 'Entries older than 30 days are deleted. Continue? Confirm with --yes'],
  ])('refuses %j', async (options, message) => {
    const { code, stderr } = await user.sluice(['apps', 'set', ...options]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(await json('apps', 'show')).toMatchObject({ retention_days: null, key_required: false });
  });

  it('says which role it needs', async () => {
    const grace = await sluice.owner();
    await print('members', 'set', grace.username, 'reader');
    const as = (...args: string[]) => user.sluice([...args, '--token', grace.token]);
    const { code, stderr } = await as('apps', 'set', '--name', 'Mine');
    expect([code, stderr]).toEqual([2, `sluice: you are a reader of ${domain}; this needs an editor\n`]);
    expect((await as('entries', 'delete', '0'.repeat(28), '--yes')).stderr).toContain('needs an editor');
    expect((await as('imports', 'list')).stderr).toContain('needs an editor');
  });
});

it('sluice apps restore takes a deletion back', async () => {
  await upload('{"celsius":1}');
  await print('apps', 'delete', '--yes');
  expect(await print('apps', 'list', '--deleted')).toMatch(new RegExp(`^${domain} .* \\S+Z {2}\\S+Z$`, 'm'));
  expect(await user.sluice(['apps', 'restore', domain])).toMatchObject({
    code: 0,
    stderr: `${domain} is restored, with 1 entry\n`,
  });
  expect(await json('apps', 'restore')).toMatchObject({ domain, entries: 1 });
});

it('sluice members shares an application', async () => {
  const grace = await sluice.owner();
  await print('members', 'set', grace.username, 'reader');
  expect(await print('members', 'list')).toMatch(new RegExp(`^${grace.username} +reader +\\S+Z$`, 'm'));
  const { stdout } = await user.sluice(['apps', 'list', '--shared', '--token', grace.token]);
  expect(stdout).toMatch(new RegExp(`^${domain} .* reader$`, 'm'));
  await print('members', 'remove', grace.username, '--yes');
  expect(await json('members', 'list')).toHaveLength(1);
});

it('sluice tokens asks for the password, as a personal token cannot manage tokens', async () => {
  const created = await json('tokens', 'create', 'Laptop', '--scopes', 'read,write', '--days', '90');
  expect(created).toMatchObject({ name: 'Laptop', scopes: ['read', 'write'] });
  const input = 'correct horse\n';
  const token = ['--token', created.token];
  const listed = await user.sluice(['tokens', 'list', ...token], { input });
  expect([listed.code, listed.stdout]).toEqual([0, expect.stringContaining('Laptop')]);
  for (const [given, message] of [
    ['another one\n', `this is not the password of ${owner.username}`],
    [
      '',
      `a personal token may not manage tokens: give the password of ${owner.username}, in a terminal or on the standard input`,
    ],
  ] as const) {
    const stderr = `sluice: ${message}\n`;
    expect(await user.sluice(['tokens', 'list', ...token], { input: given })).toEqual({
      code: 2,
      stdout: '',
      stderr,
    });
  }
  expect((await user.sluice(['tokens', 'revoke', created.id, '--yes', ...token], { input })).code).toBe(0);
  expect((await user.sluice(['apps', 'list', ...token])).stderr).toContain(
    '`sluice login` asks for a new token',
  );
});

it('sluice tokens asks for a code of a user who has a second factor', async () => {
  const other = await sluice.owner();
  const token = (
    await sluice.request('POST', '/users/me/tokens', {
      token: other.token,
      json: { name: 'Laptop', scopes: ['read'] },
    })
  ).body.data.token;
  const path = '/users/me/second-factor';
  const { body } = await sluice.request('POST', path, { token: other.token });
  const { otpauth_url: url, recovery_codes: recovery } = body.data;
  await sluice.request('POST', `${path}/confirm`, { token: other.token, json: { code: codeOf(url) } });
  const list = (input: string) => user.sluice(['tokens', 'list', '--token', token], { input });
  expect((await list('correct horse\n')).stderr).toContain('give a code too');
  expect((await list('wrong horse\n1\n')).stderr).toContain('this is not the password of');
  expect((await list('correct horse\nx\n')).stderr).toContain('the code is wrong or was used');
  for (const code of [codeOf(url, 1), recovery[0]])
    expect((await list(`correct horse\r\n${code}\r\n`)).stdout).toContain('Laptop');
});

it('sluice webhooks creates a webhook, pings it, pauses it and deletes it', async () => {
  const to = await createReceiver();
  const { id, secret } = await json(
    'webhooks',
    'create',
    to.url,
    '--events',
    'entries.stored,schema.published',
  );
  expect(secret).toMatch(/^whsec_/);
  await print('webhooks', 'ping', id);
  await until(async () => (await print('webhooks', 'deliveries', id)).includes('delivered'));
  const [ping] = (await json('webhooks', 'deliveries', id)).result;
  await print('webhooks', 'redeliver', id, ping.id);
  await until(async () => to.of('ping').length === 2);
  const again = ['webhooks', 'redeliver', id];
  expect((await user.sluice([...again, '--from', '2026-11-21'])).stderr).toContain('since 2026-11-21T00:00');
  for (const wrong of [again, [...again, ping.id, '--from', '2026-11-21']])
    expect(await user.sluice(wrong)).toMatchObject({ code: 2, stderr: expect.stringContaining('either') });
  await print('webhooks', 'pause', id);
  expect(await print('webhooks', 'list')).toMatch(
    new RegExp(`^${id} .*paused .*entries.stored,schema.published$`, 'm'),
  );
  await print('webhooks', 'resume', id);
  expect((await json('webhooks', 'rotate', id)).secret).not.toBe(secret);
  await print('webhooks', 'delete', id, '--yes');
  expect(await json('webhooks', 'list')).toEqual([]);
});

it('sluice archives creates an archive, runs it, pauses it and deletes it', async () => {
  await upload('{"celsius":1}');
  const id = (await print('archives', 'create', '--format', 'ndjson', '--name', 'Lake')).trim();
  await until(async () => / completed +1 +1 /.test(await print('archives', 'runs', id)));
  await print('archives', 'pause', id);
  expect(await user.sluice(['archives', 'run', id])).toMatchObject({
    code: 2,
    stderr: `sluice: archive ${id} is paused: \`sluice archives resume ${id}\`\n`,
  });
  expect(await print('archives', 'list')).toMatch(
    new RegExp(`^${id} +Lake +folder +ndjson +1h +paused `, 'm'),
  );
  await print('archives', 'resume', id);
  expect((await user.sluice(['archives', 'run', id])).stderr).toContain('runs in a moment');
  await until(async () => (await json('archives', 'runs', id)).length === 2);
  await print('archives', 'delete', id, '--yes');
  expect(await json('archives', 'list')).toEqual([]);
});

it('sluice archives reads the secret key of a bucket from the standard input, and shows it nowhere', async () => {
  const place = ['--bucket', 'lake', '--prefix', 'some/place', '--endpoint', 'http://127.0.0.1:1'];
  const create = ['archives', 'create', ...place, '--access-key-id', 'key', '--path-style'];
  expect(await user.sluice(create)).toMatchObject({ code: 2, stderr: expect.stringContaining('secret key') });
  const secret = 'a-secret-that-nobody-sees';
  const { code, stdout, stderr } = await user.sluice([...create, '--json'], { input: `${secret}\n` });
  expect([code, stdout + stderr]).toEqual([0, expect.not.stringContaining(secret)]);
  expect(JSON.parse(stdout).to).toMatchObject({ kind: 's3', access_key_id: 'key', path_style: true });
  expect(await print('archives', 'list')).toMatch(/ s3:\/\/lake\/some\/place +parquet /);
  const [{ id }] = await json('archives', 'list');
  const update = ['archives', 'update', id, '--access-key-id', 'other', '--every', '1d', '--json'];
  const updated = await user.sluice(update, { input: secret });
  expect(JSON.parse(updated.stdout)).toMatchObject({ to: { access_key_id: 'other' }, every: '1d' });
  expect(await user.sluice(['archives', 'update', id])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('name what to change'),
  });
  const asked = ['create', '--access-key-id', 'key', '--bucket'];
  expect((await user.sluice(['archives', ...asked, 'Lake'], { input: secret })).stderr).toMatch(
    /^sluice: --bucket must be a name that S3 allows: /,
  );
  expect((await user.sluice(['archives', ...asked, 'lake'], { input: 'a\nb' })).stderr).toMatch(
    /^sluice: secret access key must be printable ASCII/,
  );
  const noBucket = await user.sluice(['archives', 'create', '--prefix', 'some/place']);
  expect(noBucket).toMatchObject({
    code: 2,
    stderr: 'sluice: --prefix is for a bucket: give --bucket\n',
  });
});

it('sluice archives refuses a fourth archive as what the user did', async () => {
  const asked = ['archives', 'create', '--from', 'now', '--access-key-id', 'key', '--bucket'];
  const codes = [];
  for (const bucket of ['one', 'two', 'three', 'four'])
    codes.push(await user.sluice([...asked, bucket], { input: 'a-secret-of-tests' }));
  expect(codes.map(({ code }) => code)).toEqual([0, 0, 0, 2]);
  expect(codes.at(-1)?.stderr).toContain('limit of 3 archives; delete one');
});

describe('sluice export --to', () => {
  it('puts the file into a bucket or the folder of the operator, and names it', async () => {
    const { target, folder, stop } = await startVersitygw();
    onTestFinished(stop);
    await upload('{"celsius":1}');
    const key = ['--access-key-id', target.accessKeyId, '--endpoint', target.endpoint, '--path-style'];
    const asked = ['export', '--to', 's3://lake/some/place/', '--before', '2126-01-31', ...key];
    const input = target.secretAccessKey;
    const { code, stderr } = await user.sluice(asked, { input });
    const said = new RegExp(`^s3://lake/(some/place/${domain}/exports/\\S+\\.csv): 1 entries, \\d+ bytes\n$`);
    expect([code, stderr]).toEqual([0, expect.stringMatching(said)]);
    const file = join(folder, said.exec(stderr)?.[1] ?? '');
    expect(readFileSync(file, 'utf8')).toMatch(/^createdAt,celsius\r\n\S+Z,1\r\n$/);
    const ofFolder = await json('export', '--to', 'folder', '--format', 'ndjson');
    const path = ofFolder.file.replace('ARCHIVE_FOLDER', lake);
    expect(JSON.parse(readFileSync(path, 'utf8')).payload).toEqual({ celsius: 1 });
  });

  it('takes the key of the environment, and says why a place cannot be used', async () => {
    const asked = ['export', '--to', 's3://lake', '--endpoint', 'http://127.0.0.1:1'];
    expect(await user.sluice(asked)).toMatchObject({ code: 2, stderr: expect.stringMatching(/or set AWS_/) });
    Object.assign(user.env, { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'a-secret-of-tests' });
    const refused = await user.sluice(asked);
    expect(refused).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('127.0.0.1:1 cannot be reached'),
    });
  });

  it.each([
    [['--to', 's3://'], 's3:// names no bucket: write s3://BUCKET/PREFIX'],
    [['--to', 'folder', '-o', 'entries.csv'], 'a place in --to gets the file: leave --output out'],
    [
      ['--to', 's3://Lake', '--access-key-id', 'k'],
      'bucket of --to must be a name that S3 allows: small letters, digits, `.` and `-`',
    ],
    [['--region', 'eu-central-1'], '--region is for a bucket: give --to s3://BUCKET/PREFIX'],
    [['--before', '2126-01-31'], 'without a place, give the time in --to'],
  ])('refuses %j', async (args, message) => {
    expect(await user.sluice(['export', ...args], { input: 'a' })).toMatchObject({
      code: 2,
      stderr: `sluice: ${message}\n`,
    });
  });
});

describe('sluice schema', () => {
  const next = { ...schema, properties: { celsius: { type: 'number', maximum: 60 } } };
  beforeEach(() => writeFileSync(user.at('next.json'), JSON.stringify(next)));

  it('tells whose entries a schema would refuse, by the name of the key', async () => {
    const { key } = await json('keys', 'create', 'till-7');
    await upload('{"celsius":61}', { 'x-api-key': key });
    await upload('{"celsius":1}', { 'x-api-key': key });
    const lines = 'key till-7: 50% of 2 would be refused, at /celsius\n';
    expect((await user.sluice(['schema', 'rehearse', user.at('next.json')])).stderr).toBe(
      `1 of 2 conform\n${lines}`,
    );
    expect((await user.sluice(['schema', 'diff', user.at('next.json')])).stderr).toBe(
      `1 of the newest 2 entries would be refused\n${lines}`,
    );
  });

  it('shows, compares, rehearses and publishes a schema', async () => {
    await upload('{"celsius":61}');
    await upload('{"celsius":1}');
    expect(await print('schema', 'show')).toBe(`${JSON.stringify(schema)}\n`);
    expect(await user.sluice(['schema', 'diff', user.at('next.json')])).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^stricter +\/celsius +maximum 60 is new$/m),
    });
    const rehearsed = await user.sluice([
      'schema',
      'rehearse',
      user.at('next.json'),
      '-o',
      user.at('left.ndjson'),
    ]);
    expect(rehearsed).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^1 +\/celsius +maximum$/m),
      stderr: '1 of 2 conform\n',
    });
    expect(JSON.parse(readFileSync(user.at('left.ndjson'), 'utf8')).payload).toEqual({ celsius: 61 });
    expect((await user.sluice(['schema', 'publish', user.at('next.json')])).code).toBe(2);
    expect(await user.sluice(['schema', 'publish', user.at('next.json'), '--yes'])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('version 2 is in force'),
    });
    expect(await print('schema', 'show')).toBe(`${JSON.stringify(next)}\n`);
    expect(await print('schema', 'show', '--version-number', '1')).toBe(`${JSON.stringify(schema)}\n`);
    expect((await user.sluice(['schema', 'diff', user.at('next.json')])).code).toBe(0);
  });
});

it('sluice refused lists refused uploads by reason, and replays them', async () => {
  await upload('{"celsius":"21.5"}');
  await until(async () => (await json('refused', 'list', '--groups')).length === 1);
  expect(await print('refused', 'list')).toMatch(
    /^\S+Z {2}[0-9a-f]{24} {2}\/celsius must be number {2}\{"celsius":"21.5"\}$/m,
  );
  expect(await user.sluice(['refused', 'replay'])).toMatchObject({
    code: 1,
    stderr: '0 stored, 1 still refused\n',
  });
  expect(await user.sluice(['refused', 'replay', '--dry-run'])).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^\{"ok":false,/),
    stderr: '0 of the first 1 would be stored, 1 refused again\n',
  });
  const coerce = ['--path', '/celsius', '--coerce', '[{"path":"/celsius","to":"number"}]'];
  expect(await json('refused', 'replay', ...coerce, '--dry-run')).toMatchObject({
    after: { celsius: 21.5 },
    ok: true,
  });
  expect(await json('refused', 'replay', ...coerce)).toEqual({ stored: 1, still_refused: 0 });

  await upload('none');
  const notJson = ['--reason', 'not_json'];
  await until(async () => (await print('refused', 'list', ...notJson)) !== '');
  expect(await print('refused', 'list', ...notJson)).toMatch(/ the body is not JSON: .* "none"$/m);
  expect((await json('refused', 'list', '--groups')).map(({ reason }: { reason: string }) => reason)).toEqual(
    expect.arrayContaining(['schema', 'not_json']),
  );
});

it('sluice erase asks, and tells what went', async () => {
  const ids = { type: 'object', properties: { id: { type: ['string', 'integer'] } }, required: ['id'] };
  const of = await sluice.application(owner.token, ids);
  const path = `/applications/${of}`;
  await sluice.request('PATCH', path, { token: owner.token, json: { unique: { path: '/id' } } });
  for (const id of ['ada', 9007199254740993n, 7, '7', 8])
    await sluice.request('POST', `${path}/data`, {
      body: `{"id":${typeof id === 'string' ? `"${id}"` : id}}`,
    });
  expect(await user.sluice(['erase', of, '--value', 'ada'])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^sluice: Erase ada from \S+, and remove .* Confirm with --yes$/m),
  });
  expect(await user.sluice(['erase', of, '--yes'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('say what to erase: either --value or --filter'),
  });
  const { code, stderr } = await user.sluice(['erase', of, '--value', 'ada', '7', '--yes']);
  expect([code, stderr]).toEqual([0, 'erased 3 entries and 0 refused uploads; 0 files removed\n']);
  expect(await json('erase', of, '--value', '9007199254740993', '--yes')).toMatchObject({ entries: 1 });
  expect(await json('erase', of, '--filter', '{"id":8}', '--yes')).toMatchObject({ entries: 1, refused: 0 });
});

it('sluice help shows the help of a command of a command', async () => {
  expect(await print('help', 'client', 'update')).toMatch(/^Usage: sluice client update .*<file>/);
  expect(await print('help')).toMatch(/^Usage: sluice /);
  const { code, stderr } = await user.sluice(['help', 'apps', 'creat']);
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('there is no command creat: did you mean create?'),
  ]);
});

it.each([
  [['tokens', 'create', 'Laptop', '--days', 'abc'], '--days takes a whole number from 1 to 36500'],
  [
    ['schema', 'show', '--version-number', '1.5'],
    '--version-number takes a whole number from 1 to 999999999',
  ],
  [
    ['webhooks', 'create', 'https://example.com', '--refusals', '10'],
    '--refusals takes count/minutes, such as 10/5',
  ],
])('sluice %j says once what the option takes', async (command, message) => {
  expect(await user.sluice(command)).toEqual({ code: 2, stdout: '', stderr: `sluice: ${message}\n` });
});

describe('sluice completion', () => {
  const complete = async (...words: string[]) => {
    const { code, stdout } = await user.sluice(['__complete', '--', ...words]);
    expect(code).toBe(0);
    return stdout.split('\n').flatMap((line) => line.split('\t')[0] || []);
  };

  it.each([
    [['ap'], ['apps']],
    [['apps', 'cr'], ['create']],
    [
      ['send', '--app', 'x', '--re'],
      ['--refused', '--restart'],
    ],
    [['send', ''], []],
    [
      ['export', '--format', ''],
      ['csv', 'ndjson', 'parquet'],
    ],
    [
      ['export', '--wait', '--for'],
      ['--format', '--formulas'],
    ],
    [
      ['apps', 'set', '--key-required', 'o'],
      ['on', 'off'],
    ],
    [
      ['members', 'set', 'grace', ''],
      ['reader', 'editor'],
    ],
    [['tokens', 'create', 'x', '--scopes', 'read,w'], ['read,write']],
    [['webhooks', 'create', 'x', '--events', 'export.completed,ex'], ['export.completed,export.failed']],
    [
      ['archives', 'ru'],
      ['run', 'runs'],
    ],
    [
      ['archives', 'create', '--every', '1'],
      ['15m', '1h', '1d'],
    ],
    [['help', 'apps', 're'], ['restore']],
    [['stats', '--step', 'd'], ['day']],
    [['none', '--none', ''], []],
  ])('completes %j', async (words, found) => expect(await complete(...words)).toEqual(found));

  /** On a busy machine the server may answer too late for somebody at a keyboard. */
  const completesTo = (name: string, ...words: string[]) =>
    until(async () => (await complete(...words)).join() === name);

  it('completes languages and domains, also deleted ones, and asks the server that is named', async () => {
    await completesTo('python', 'client', 'pyt');
    await completesTo(domain, 'list', '--app', domain.slice(0, -1));
    expect(await complete('apps', 'restore', domain)).toEqual([]);
    await print('apps', 'delete', '--yes');
    await completesTo(domain, 'apps', 'restore', domain);
    expect(await complete('--url', 'http://127.0.0.1:1', 'apps', 'restore', '')).toEqual([]);
  });

  it('knows each event', async () => {
    expect(await complete('webhooks', 'create', 'x', '--events', '')).toEqual([...webhookEvents]);
  });

  it('completes commands and values in bash, also behind spaces', async () => {
    writeFileSync(user.at('completion.bash'), await print('completion', 'bash'));
    const completeInBash = async (...words: string[]) => {
      const script = `sluice() { "$NODE" "$MAIN" "$@"; }; source completion.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); _sluice; echo "\${COMPREPLY[*]}"`;
      const { stdout } = await promisify(execFile)('bash', ['-c', script, 'bash', 'sluice', ...words], {
        cwd: user.home,
        env: processEnv({ ...user.env, NODE: process.execPath, MAIN: main }),
      });
      return stdout.trim();
    };
    expect(await completeInBash('ap')).toBe('apps');
    expect(await completeInBash('apps', 'create', 'Weather station', '--ty')).toBe('--type');
    await until(async () => (await completeInBash('apps', 'show', domain.slice(0, -1))) === domain);
  });
});
