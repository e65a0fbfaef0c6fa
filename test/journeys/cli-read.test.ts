import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type SharedSluice, sharedSluice, until } from '../support/sluice.ts';
import { commandLine } from '../support/sluice-command.ts';

let sluice: SharedSluice;
let owner: { username: string; token: string };
let domain: string;
let user: ReturnType<typeof commandLine>;

beforeAll(async () => {
  sluice = await sharedSluice();
  owner = await sluice.owner();
});
beforeEach(async () => {
  domain = await sluice.application(owner.token);
  user = commandLine({ url: sluice.url, token: owner.token, app: domain });
});

const upload = (payload: string) => sluice.request('POST', `/applications/${domain}/data`, { body: payload });

describe('sluice login', () => {
  it('keeps address, token and application in a profile that only its user may read', async () => {
    const newcomer = commandLine({ url: sluice.url });
    const login = ['login', '--token', owner.token, '--app', domain, '--profile', 'work'];
    const { code, stderr } = await newcomer.sluice(login);
    expect([code, stderr]).toEqual([0, expect.stringContaining(`as ${owner.username}`)]);
    const file = newcomer.at('.config/sluice/profiles.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await upload('{"n":1}');
    delete newcomer.env.SLUICE_URL;
    expect(await newcomer.sluice(['list', '--profile', 'work'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\S+Z {2}\{"n":1\}\n$/),
    });
    expect((await newcomer.sluice(['logout', '--profile', 'work'])).code).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe('{}');
  });

  it.runIf(process.platform !== 'win32')('warns of a profile that others may read', async () => {
    const newcomer = commandLine({ url: sluice.url });
    await newcomer.sluice(['login', '--token', owner.token]);
    expect((await newcomer.sluice(['apps', 'list'])).stderr).toBe('');
    const file = newcomer.at('.config/sluice/profiles.json');
    chmodSync(file, 0o640);
    expect(await newcomer.sluice(['apps', 'list'])).toMatchObject({
      code: 0,
      stderr: `warning: others may read your tokens: chmod 600 ${file}\n`,
    });
  });

  it('takes the token from the standard input, and refuses one that is not valid', async () => {
    const newcomer = commandLine({ url: sluice.url });
    expect((await newcomer.sluice(['login'], { input: `${owner.token}\n` })).code).toBe(0);
    const { code, stderr } = await newcomer.sluice(['login', '--token', 'slp_0']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('does not know this token')]);
  });

  it('gives the token of a profile to no other server', async () => {
    const newcomer = commandLine({ url: sluice.url });
    await newcomer.sluice(['login', '--token', owner.token]);
    const other = sluice.url.replace('127.0.0.1', 'localhost');
    const { code, stderr } = await newcomer.sluice(['apps', 'list', '--url', other]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('no token')]);
  });
});

describe('sluice without a login', () => {
  it.each([[['apps', 'list']], [['list']], [['send', 'entries.ndjson', '--app', 'x-aaaaaa']]])(
    'says how to log in, before it looks for a server: %j',
    async (command) => {
      const newcomer = commandLine({ url: sluice.url });
      delete newcomer.env.SLUICE_URL;
      writeFileSync(newcomer.at('entries.ndjson'), '{"n":1}\n');
      const { code, stderr } = await newcomer.sluice(
        command.map((word) => (word.endsWith('.ndjson') ? newcomer.at(word) : word)),
      );
      expect([code, stderr]).toEqual([
        2,
        expect.stringMatching(/^sluice: you are not logged in: `sluice login --url \S+`/),
      ]);
    },
  );

  it('prints what needs no server', async () => {
    const newcomer = commandLine({ url: sluice.url });
    delete newcomer.env.SLUICE_URL;
    expect((await newcomer.sluice(['completion', 'bash'])).code).toBe(0);
  });
});

describe('sluice apps', () => {
  it('creates an application from a sample, shows it, lists it and deletes it', async () => {
    writeFileSync(user.at('sample.csv'), 'place,celsius\nOslo,-3.5\nRome,21\n');
    const options = ['--from', user.at('sample.csv'), '--unique', '/place'];
    const created = await user.sluice(['apps', 'create', 'Weather station', ...options]);
    const made = created.stdout.trim();
    expect([created.code, made]).toEqual([0, expect.stringMatching(/^weather-station-\w{6}$/)]);
    const table = /^types of 2 rows.*\nfield +type +format +required\n(.*)\n(.*)\n/;
    expect(
      table
        .exec(created.stderr)
        ?.slice(1)
        .map((row) => row.split(/ +/)),
    ).toEqual([
      ['/place', 'string', 'required'],
      ['/celsius', 'number', 'required'],
    ]);
    const { body } = await sluice.request('GET', `/applications/${made}`, { token: owner.token });
    expect(body.data.template.schema.properties).toMatchObject({ celsius: { type: 'number' } });
    expect(body.data.unique).toEqual({ path: '/place' });
    expect((await user.sluice(['apps', 'list'])).stdout).toMatch(
      new RegExp(`^${made} +Weather station +0`, 'm'),
    );
    expect(JSON.parse((await user.sluice(['apps', 'show', made, '--json'])).stdout).domain).toBe(made);
    expect(await user.sluice(['apps', 'delete', made])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--yes'),
    });
    expect((await user.sluice(['apps', 'delete', made, '--yes'])).code).toBe(0);
  });

  it('creates none from a sample that an import would refuse', async () => {
    writeFileSync(user.at('sample.csv'), Buffer.from('id,\xe9\n1,2\n', 'latin1'));
    const { code, stderr } = await user.sluice(['apps', 'create', 'None', '--from', user.at('sample.csv')]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('sample: The file is not valid UTF-8 at byte 4; it looks like Windows-1252'),
    ]);
  });

  it('says which domain was probably meant', async () => {
    const near = `${domain.slice(0, -1)}0`;
    const { code, stderr } = await user.sluice(['apps', 'show', near]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`did you mean ${domain}?`)]);
  });

  it('says which command was probably meant', async () => {
    expect(await user.sluice(['ap'])).toMatchObject({ code: 2, stderr: expect.stringContaining('apps') });
  });
});

describe('sluice list', () => {
  it.each(['0', '1001', '-1', '2.5', 'ten', ''])(
    'takes no --limit of %j, and says once which it takes',
    async (limit) => {
      const stderr = 'sluice: --limit takes a whole number from 1 to 1000\n';
      for (const list of [['list'], ['refused', 'list']])
        expect(await user.sluice([...list, `--limit=${limit}`])).toMatchObject({ code: 2, stderr });
    },
  );

  it('prints each entry with its digits as a line of JSON', async () => {
    await upload('{"n":9007199254740993}');
    await upload('{"text":"\\u001b[31m"}');
    const { stdout } = await user.sluice(['list', '--json']);
    expect(stdout.split('\n')[1]).toContain('"payload":{"n":9007199254740993}');
    expect((await user.sluice(['list'])).stdout).not.toContain('\u001b');
  });

  it('prints who sent an entry, and what came with a key', async () => {
    const issued = await user.sluice(['keys', 'create', 'Till 7', '--json']);
    const { id, key } = JSON.parse(issued.stdout);
    await upload('{"n":1}');
    const headers = { 'x-api-key': key };
    await sluice.request('POST', `/applications/${domain}/data`, { json: { n: 2 }, headers });
    const { stdout } = await user.sluice(['list', '--json', '--key', id, '--meta', 'source,key']);
    expect(JSON.parse(stdout)).toMatchObject({ payload: { n: 2 }, source: 'upload', key: id });
    for (const more of [[], ['--wait', '-o', user.at('of-key.csv')]]) {
      const options = ['--key', id, '--meta', 'source', '--columns', 'n'];
      const { code, stdout } = await user.sluice(['export', ...options, ...more]);
      const file = more.length > 0 ? readFileSync(user.at('of-key.csv'), 'utf8') : stdout;
      expect([code, file]).toEqual([0, 'source,n\r\nupload,2\r\n']);
    }
  });

  it('lists every entry page by page', async () => {
    const batch = Array.from({ length: 2_100 }, (_, n) => `{"n":${n}}`).join('\n');
    const headers = { 'content-type': 'application/x-ndjson' };
    await sluice.request('POST', `/applications/${domain}/data/batch`, { body: batch, headers });
    const { stdout } = await user.sluice(['list', '--all', '--json']);
    expect(new Set(stdout.trim().split('\n')).size).toBe(2_100);
  });
});

it('sluice entries shows an entry and deletes it', async () => {
  await upload('{"n":9007199254740993}');
  const { id } = JSON.parse((await user.sluice(['list', '--json'])).stdout);
  const shown = await user.sluice(['entries', 'get', id]);
  expect(shown.stdout).toMatch(/^\S+Z {2}\{"n":9007199254740993\}\n$/);
  const withSource = await user.sluice(['entries', 'get', id, '--meta', 'source', '--json']);
  expect(withSource.stdout).toMatch(/"payload":\{"n":9007199254740993\}.*"source":"upload"/);
  expect(await user.sluice(['entries', 'delete', id])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--yes'),
  });
  expect(await user.sluice(['entries', 'delete', id, '--yes'])).toMatchObject({
    code: 0,
    stderr: `entry ${id} was deleted\n`,
  });
  expect(await user.sluice(['entries', 'get', id])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('not found'),
  });
});

it('sluice imports lists imports', async () => {
  writeFileSync(user.at('rows.csv'), 'n\n1\ntwo\n');
  await user.sluice(['send', user.at('rows.csv')]);
  const { stdout } = await user.sluice(['imports', 'list']);
  expect(stdout).toMatch(/^[0-9a-f]{24} +completed +rows.csv \S+ +csv +2 +0 +\S+Z/m);
  expect(JSON.parse((await user.sluice(['imports', 'list', '--json'])).stdout)).toHaveLength(1);
});

describe('sluice stats', () => {
  it('counts what was stored, refused and lost', async () => {
    await upload('{"n":1}');
    await upload('none');
    await upload('[]');
    await until(async () => /Z +1 +\d +1 +1 not_json$/m.test((await user.sluice(['stats'])).stdout));
    const rows = JSON.parse((await user.sluice(['stats', '--step', 'day', '--json'])).stdout);
    expect(rows).toHaveLength(60);
    expect(rows.at(-1)).toMatchObject({ accepted: 1, lost: { not_json: 1 } });
    expect((await user.sluice(['stats', '--to', '2020-01-01'])).stdout).toBe('none\n');
  });

  it('counts by key, and names it', async () => {
    const { key } = JSON.parse((await user.sluice(['keys', 'create', 'Till 7', '--json'])).stdout);
    await upload('{"n":1}');
    const headers = { 'x-api-key': key };
    await sluice.request('POST', `/applications/${domain}/data`, { json: { n: 2 }, headers });
    const { stdout } = await user.sluice(['stats', '--by', 'key']);
    expect(stdout).toMatch(/Z {2}Till 7 +1 +0 +0$/m);
    expect(stdout).toMatch(/Z {2}without a key +1 +0 +0$/m);
  });
});

describe('sluice export', () => {
  beforeEach(() => upload('{"place":"Oslo","celsius":-3.5}'));

  it('prints the file while it is written', async () => {
    const { code, stdout } = await user.sluice(['export']);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^createdAt,place,celsius\r\n\S+Z,Oslo,-3.5\r\n$/),
    ]);
  });

  it('waits for a job, downloads its file and checks it', async () => {
    const file = user.at('entries.ndjson');
    const args = ['export', '--format', 'ndjson', '--meta', 'id', '--wait', '-o', file, '--json'];
    const { code, stdout } = await user.sluice(args);
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ file, rows: 1 })]);
    expect(JSON.parse(readFileSync(file, 'utf8')).payload).toEqual({ place: 'Oslo', celsius: -3.5 });
    expect(readdirSync(user.home)).toEqual(expect.not.arrayContaining([expect.stringContaining('partial')]));
  });

  it('refuses a file that was changed on its way', async () => {
    const made = await sluice.request('POST', `/applications/${domain}/exports`, {
      token: owner.token,
      json: { format: 'csv' },
    });
    const { id } = made.body.data;
    const file = user.at('entries.csv');
    writeFileSync(`${file}.${id}.partial`, 'changed');
    const options = { format: 'csv' };
    const what = JSON.stringify([sluice.url, domain, options, file]);
    const name = `${createHash('sha256').update(what).digest('hex').slice(0, 32)}.json`;
    mkdirSync(user.at('.local/state/sluice'), { recursive: true });
    writeFileSync(user.at(`.local/state/sluice/${name}`), JSON.stringify({ job: id }));
    const { code, stderr } = await user.sluice(['export', '--wait', '-o', file]);
    expect([code, stderr]).toEqual([4, expect.stringContaining("does not match the server's SHA-256")]);
    expect(existsSync(file)).toBe(false);
    expect((await user.sluice(['export', '--wait', '-o', file])).code).toBe(0);
  });
});

it('sluice tail shows what comes, until it is stopped', async () => {
  const stop = new AbortController();
  const { code, stdout } = user.start(['tail', '--refused'], { signal: stop.signal });
  let shown = '';
  stdout.on('data', (chunk) => {
    shown += chunk;
  });
  let sent = 0;
  await until(async () => {
    sent += (await upload('{"n":1}')).status === 201 ? 1 : 0;
    return shown.includes('{"n":1}');
  });
  await sluice.request('POST', `/applications/${domain}/data`, { body: '[]' });
  await until(async () => shown.includes('refused: '));
  expect(shown).toMatch(/^\S+Z {2}\{"n":1\}$/m);
  expect(sent).toBeGreaterThan(0);
  stop.abort();
  expect(await code).toBe(130);
  if (!stdout.readableEnded) await once(stdout, 'end');
});
