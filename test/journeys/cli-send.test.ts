import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openRun } from '@sluice/cli/send/run-state.ts';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type SharedSluice, sharedSluice, startSluice, until } from '../support/sluice.ts';
import { commandLine } from '../support/sluice-command.ts';

let sluice: SharedSluice;
let token: string;
let domain: string;
let user: ReturnType<typeof commandLine>;

const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };

beforeAll(async () => {
  sluice = await sharedSluice();
  ({ token } = await sluice.owner());
});
beforeEach(async () => {
  domain = await sluice.application(token, schema);
  user = commandLine({ url: sluice.url, token, app: domain });
});

/** The numbers that are stored, in order. */
async function stored(): Promise<number[]> {
  const { body } = await sluice.request('GET', `/applications/${domain}/data?limit=1000`, { token });
  return body.data.result.map(({ payload }: { payload: { n: number } }) => payload.n).reverse();
}

const lines = (count: number) => Array.from({ length: count }, (_, n) => `{"n":${n}}\n`).join('');

describe('sluice send', () => {
  it('stores the lines of a file in their order', async () => {
    writeFileSync(user.at('a.ndjson'), lines(500));
    expect(await user.sluice(['send', user.at('a.ndjson'), '--json'])).toEqual({
      code: 0,
      stdout: '{"stored":500,"refused":0}\n',
      stderr: '',
    });
    expect(await stored()).toEqual(Array.from({ length: 500 }, (_, n) => n));
  });

  it('stores the good lines beside bad ones, and writes the bad ones with their reasons', async () => {
    writeFileSync(user.at('a.ndjson'), '{"n":1}\nnot JSON\n\n{"n":"x"}\n{"n":2}');
    const { code, stderr } = await user.sluice([
      'send',
      user.at('a.ndjson'),
      '--refused',
      user.at('refused.ndjson'),
    ]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('2 stored, 2 refused')]);
    expect(await stored()).toEqual([1, 2]);
    const refused = readFileSync(user.at('refused.ndjson'), 'utf8').trim().split('\n');
    expect(refused.map((line) => JSON.parse(line))).toMatchObject([
      { line: 2, payload: 'not JSON' },
      {
        line: 4,
        name: 'SchemaValidationError',
        details: [{ path: '/n', keyword: 'type' }],
        payload: { n: 'x' },
      },
    ]);
  });

  it.each([
    ['one object over several lines', '{\n  "n": 7\n}\n', [7], []],
    ['objects on lines', '{"n":1}\n{"n":2}\n', [1, 2], []],
    ['a line without its end', '{"n":1}', [1], []],
    ['a byte order mark', '\ufeff{"n":1}\n', [1], []],
    ['an array', '[{"n":1},\n{"n":2}]', [1, 2], ['--format', 'json']],
    ['CSV', 'n,t\n3,a\n4,\n', [3, 4], ['--format', 'csv']],
    ['CSV of one column', 'n\n3\n4\n', [3, 4], ['--format', 'csv']],
  ])('takes %s from the standard input', async (_what, input, expected, format) => {
    expect(await user.sluice(['send', '-', '--json', ...format], { input })).toMatchObject({
      code: 0,
      stdout: `{"stored":${expected.length},"refused":0}\n`,
    });
    expect(await stored()).toEqual(expected);
  });

  it.each([
    ['a word', 'hello\n', 'hello'],
    ['CSV', 'n,t\n1,a\n2,b\n', 'n,t'],
  ])('takes the standard input for NDJSON, and shows %s as bad lines', async (_what, text, first) => {
    const input = `${text}{"n":7}\n`;
    const { code, stderr } = await user.sluice(['send', '-'], { input });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      `line 1: the line is not JSON: unexpected text at column 1\n  ${first}\nthe standard input is read as NDJSON; --format csv or json says otherwise\n`,
    );
    expect(await stored()).toEqual([7]);
  });

  it.each([
    ['CSV with semicolons', 'n;t\r\n1;a,b\r\n2;c\r\n', 'read as CSV with the delimiter ";"', 2],
    ['CSV with tabs', 'n\tt\n1\t"a\nb"\n2\tc', 'read as CSV with tabs', 2],
    [
      'CSV that names its delimiter',
      'sep=|\nn|t|a;b;c\n1|a|\n2||\n',
      'read as CSV with the delimiter "|"',
      2,
    ],
  ])('says what it takes a file for: %s', async (_what, text, said, rows) => {
    writeFileSync(user.at('data'), text);
    const { code, stdout, stderr } = await user.sluice(['send', user.at('data'), '--json']);
    expect([code, stdout, stderr]).toEqual([
      0,
      `{"stored":${rows},"refused":0}\n`,
      expect.stringContaining(`${said}; --format says otherwise\n`),
    ]);
  });

  it.each([
    ['a word', 'hello\n'],
    ['two words on two lines', 'hello\nworld\n'],
    ['CSV of one column', 'n\n3\n4\n'],
    ['CSV with one row', 'n,t\n1,a\n'],
    ['rows of different numbers of cells', 'n,t\n1,a\n2,b,c\n'],
    ['a sentence with a comma', 'hello, world\nand so on\n'],
    ['one line with a comma', 'hello, world\n'],
    ['numbers', '1,1\n2,2\n3,3\n'],
  ])('does not guess what is in a file: %s', async (_what, text) => {
    writeFileSync(user.at('data'), text);
    expect(await user.sluice(['send', user.at('data')])).toEqual({
      code: 2,
      stdout: '',
      stderr: `sluice: ${user.at('data')} is not JSON, and not CSV with a header and two rows of as many cells: say --format csv, json or ndjson\n`,
    });
    expect(await stored()).toEqual([]);
  });

  it.each([
    ['UTF-16', '{\0"\0n\0"\0', 'is not text in UTF-8: it looks like UTF-16LE', 'bytes 7b 00 22 00'],
    ['UTF-16 with its mark', '\xff\xfe{\0', 'it is UTF-16: convert it', 'bytes ff fe 7b 00'],
    ['gzip', '\x1f\x8b\x08\0', 'is compressed: say --format ndjson, json or csv', ''],
    ['zstd', '\x28\xb5\x2f\xfd', 'is compressed: say --format ndjson, json or csv', ''],
    ['a spreadsheet', 'PK\x03\x04', 'such as a spreadsheet: save it as CSV', 'bytes 50 4b 03 04'],
    ['CSV of Excel', 'sep=;\nn;t\n', 'is CSV, as line 1 is "sep=;": say --format csv', ''],
    ['an array', '[\n{"n":1}\n,{"n":2}\n]', 'say --format json', ''],
  ])('sends nothing of a whole file that is something else: %s', async (_what, text, message, bytes) => {
    const input = Buffer.from(text, 'latin1');
    writeFileSync(user.at('a.ndjson'), input);
    for (const file of text.startsWith('\x1f') || text.startsWith('\x28')
      ? ['-']
      : ['-', user.at('a.ndjson')]) {
      const { code, stderr } = await user.sluice(['send', file], { input });
      expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
      expect(stderr).toContain(bytes);
    }
    expect(await stored()).toEqual([]);
  });

  const latin1 = 'convert it, such as with iconv -f WINDOWS-1252 -t UTF-8';

  it.each([
    [
      'a.ndjson',
      '{"n":1}\n{"n":2,"t":"\xf6"}\nno JSON\n{"n":3}\n',
      [
        `line 2: the line is not valid UTF-8 at byte 13; it looks like Windows-1252, which is a guess: ${latin1}`,
        '  {"n":2,"t":"\\xf6"}',
        'line 3: the line is not JSON: unexpected text at column 1',
        '  no JSON',
        '2 stored, 2 refused',
      ],
    ],
    [
      'a.csv',
      'n,t\n1,a\n2,\xf6\n3\n3,b\n',
      [
        `line 3: the record is not valid UTF-8 at byte 3; it looks like Windows-1252, which is a guess: ${latin1}`,
        '  2,\ufffd',
        'line 4: the record has 1 cells, there are 2 columns',
        '  3',
        '2 stored, 2 refused',
      ],
    ],
  ])('shows the bad lines of %s, and sends the others', async (name, text, expected) => {
    writeFileSync(user.at(name), Buffer.from(text, 'latin1'));
    const { code, stderr } = await user.sluice(['send', user.at(name)]);
    expect([code, stderr]).toEqual([1, `${expected.join('\n')}\n`]);
    expect(await stored()).toEqual([1, 3]);
  });

  it.each(['a.ndjson', 'a.csv'])('shows the first bad lines of %s, and counts the others', async (name) => {
    writeFileSync(user.at(name), `${name === 'a.csv' ? 'n,t\n' : ''}${'x\n'.repeat(8)}`);
    const { code, stderr } = await user.sluice(['send', user.at(name)]);
    expect([code, stderr.match(/^line \d: /gm)?.length, stderr]).toEqual([
      1,
      5,
      expect.stringMatching(
        /\n… --refused FILE writes all refused lines with their reasons\n0 stored, 8 refused; `sluice refused list --app \S+` shows those that are JSON\n$/,
      ),
    ]);
  });

  it('imports a CSV file, and fetches the report of its refused rows', async () => {
    writeFileSync(user.at('a.csv'), 'n\n1\nx\n3\n');
    const { code, stdout } = await user.sluice([
      'send',
      user.at('a.csv'),
      '--json',
      '--refused',
      user.at('refused'),
    ]);
    expect([code, stdout]).toEqual([1, '{"stored":2,"refused":1}\n']);
    expect(JSON.parse(readFileSync(user.at('refused'), 'utf8'))).toMatchObject({
      line: 3,
      payload: { n: 'x' },
    });
  });

  it.each([
    ['send'],
    ['verify'],
    ['apps', 'create', 'None', '--schema'],
    ['apps', 'create', 'None', '--from'],
    ['schema', 'diff'],
    ['client', 'update'],
  ])('says which file is not there: %s %s', async (...command) => {
    for (const [file, fault] of [
      [user.at('nofile'), 'no such file or folder'],
      [user.home, 'is a folder: name a file'],
    ] as const) {
      const { code, stderr } = await user.sluice([...command, file]);
      expect([code, stderr]).toEqual([2, `sluice: ${file}: ${fault}\n`]);
    }
  });

  it.each([
    ['an application that does not exist', ['--app', 'nothing-aaaaaa'], 2, /was not found/],
    ['a file that does not exist', [], 2, /no such file/],
    ['a format that is none', ['--format', 'xml'], 2, /Allowed choices/],
    [
      'a server that is away',
      ['--url', 'http://127.0.0.1:1023'],
      4,
      /no answer from http:\/\/127\.0\.0\.1:1023 \(ECONNREFUSED\)/,
    ],
  ])('refuses %s', async (what, args, expected, message) => {
    if (!what.startsWith('a file')) writeFileSync(user.at('a.ndjson'), lines(1));
    const { code, stdout, stderr } = await user.sluice(['send', user.at('a.ndjson'), ...args]);
    expect({ code, stdout }).toEqual({ code: expected, stdout: '' });
    expect(stderr).toMatch(message);
  });
});

describe('sluice send after an interruption', () => {
  const file = () => user.at('a.ndjson');
  const args = () => ['send', file(), '--json'];
  const state = () => user.at('.local/state/sluice');
  const sentLines = () => {
    const [name] = existsSync(state()) ? readdirSync(state()).filter((each) => each.endsWith('.json')) : [];
    return name ? (JSON.parse(readFileSync(join(state(), name), 'utf8')).line as number) : 0;
  };
  const count = async () =>
    (await sluice.request('GET', `/applications/${domain}/data?limit=1`, { token })).body.data.pagination
      .total;

  /** Sends a part of 40,000 lines. */
  async function interrupt(): Promise<void> {
    writeFileSync(file(), lines(40_000));
    const stop = new AbortController();
    const { code, stdout, stderr } = user.start(args(), { signal: stop.signal });
    stdout.resume();
    stderr.resume();
    await until(async () => sentLines() >= 5_000);
    stop.abort();
    expect(await code).toBe(130);
  }

  it('goes on where it was, and stores each line once', async () => {
    await interrupt();
    expect(await user.sluice(args())).toMatchObject({
      code: 0,
      stdout: '{"stored":40000,"refused":0}\n',
      stderr: expect.stringContaining('continuing after line'),
    });
    expect(await count()).toBe(40_000);
  });

  it('refuses a file that was changed, unless it is to begin anew', async () => {
    await interrupt();
    appendFileSync(file(), lines(1));
    expect(await user.sluice(args())).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--restart'),
    });
    expect(await user.sluice([...args(), '--restart'])).toMatchObject({
      code: 0,
      stdout: '{"stored":40001,"refused":0}\n',
    });
  });

  it.each(['again.ndjson', 'again.csv'])('asks before it sends %s again', async (name) => {
    const text = name.endsWith('csv') ? 'n\n1\n2\n' : lines(2);
    const send = (...more: string[]) => user.sluice(['send', user.at(name), ...more]);
    writeFileSync(user.at(name), text);
    expect((await send()).code).toBe(0);
    expect(await send()).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^sluice: \S+ was sent to \S+ on \S+Z \(2 stored\)\. Send it again\? Confirm with --again\n$/,
      ),
    });
    expect(await count()).toBe(2);
    expect((await send('--again')).code).toBe(0);
    expect([(await send()).code, await count()]).toEqual([1, 4]);
    const other = await sluice.application(token, schema);
    expect((await send('--app', other)).code).toBe(0);
    writeFileSync(user.at(name), `${text}${name.endsWith('csv') ? '3\n' : lines(1)}`);
    expect([(await send()).code, await count()]).toEqual([0, 7]);
  });

  it('does not ask where nothing was stored', async () => {
    writeFileSync(file(), 'none\n');
    for (const _ of [1, 2]) expect((await user.sluice(args())).stdout).toBe('{"stored":0,"refused":1}\n');
  });

  it('finds the import whose answer was lost, and does not import the file again', async () => {
    writeFileSync(user.at('a.csv'), 'n\n1\n2\n');
    const context = { env: user.env, url: sluice.url, domain: () => domain };
    const run = await openRun(context, user.at('a.csv'));
    await run.save(run.progress);
    const name = encodeURIComponent(`a.csv (${run.id.slice(0, 8)})`);
    const headers = { 'content-type': 'text/csv' };
    const path = `/applications/${domain}/imports?name=${name}`;
    expect((await sluice.request('POST', path, { token, body: 'n\n1\n2\n', headers })).status).toBe(202);
    const { code, stdout } = await user.sluice(['send', user.at('a.csv'), '--json']);
    expect([code, stdout]).toEqual([0, '{"stored":2,"refused":0}\n']);
    expect(await stored()).toEqual([1, 2]);
  });
});

it('sluice send makes smaller batches where the server takes no larger ones', async () => {
  const other = await startSluice({ workers: false, env: { BATCH_LIMIT: '4KiB' } });
  onTestFinished(() => other.stop());
  const owner = await other.owner();
  const app = await other.application(owner.token, schema);
  const somebody = commandLine({ url: other.url, token: owner.token, app });
  writeFileSync(
    somebody.at('a.ndjson'),
    `${lines(1_000)}{"n":1,"text":"${'x'.repeat(5_000)}"}\n${lines(10)}`,
  );
  const { code, stdout } = await somebody.sluice(['send', somebody.at('a.ndjson'), '--json']);
  expect([code, stdout]).toEqual([1, '{"stored":1010,"refused":1}\n']);
});

describe('sluice verify', () => {
  const identified = {
    type: 'object',
    properties: { id: { type: 'integer' }, n: { type: 'integer', maximum: 1_000_000 } },
    required: ['id'],
  };
  const big = '9007199254740993';
  const all = [...Array.from({ length: 2_500 }, (_, id) => `{"id":${id},"n":${id}}`), `{"id":${big}}`];

  beforeEach(async () => {
    domain = await sluice.application(token, identified);
    user = commandLine({ url: sluice.url, token, app: domain });
    const json = { unique: { path: '/id' } };
    expect((await sluice.request('PATCH', `/applications/${domain}`, { token, json })).status).toBe(200);
    writeFileSync(user.at('all.ndjson'), `${all.join('\n')}\n`);
  });

  const sendAllBut = async (missing: (line: number) => boolean) => {
    const body = all.filter((_, at) => !missing(at + 1)).join('\n');
    const { status } = await sluice.request('POST', `/applications/${domain}/data/batch`, {
      body,
      headers: { 'content-type': 'application/x-ndjson' },
    });
    expect(status).toBe(201);
  };

  it('names the lines that are not stored, and sends them', async () => {
    await sendAllBut((line) => line % 1_000 === 0 || line === 2_501);
    const file = user.at('all.ndjson');
    expect(await user.sluice(['verify', file, '--key', '/id'])).toMatchObject({
      code: 1,
      stderr: '2,501 lines: 2,498 stored, 3 missing (line 1000, 2000, 2501)\n',
    });
    expect(await user.sluice(['verify', file, '--send', '--json'])).toMatchObject({
      code: 0,
      stdout: `${JSON.stringify({ lines: 2_501, stored: 2_501, missing: 0, without_value: 0, missing_lines: [], without_value_lines: [] })}\n`,
    });
    const { body } = await sluice.request('GET', `/applications/${domain}/data?limit=1`, { token });
    expect(body.data.pagination.total).toBe(2_501);
    expect((await user.sluice(['verify', file])).code).toBe(0);
  });

  it.each([
    ['all.json', `[${all.join(',\n')}]`],
    [
      'all.csv',
      `id,n\n${all
        .map((text) => Object.values(JSON.parse(text.replace(big, `"${big}"`))).join(','))
        .join('\n')
        .replace(/(\d{16})$/, '$1,')}`,
    ],
  ])('reads %s too', async (name, text) => {
    await sendAllBut((line) => line === 7);
    writeFileSync(user.at(name), text);
    const offset = name.endsWith('csv') ? 1 : 0;
    expect(await user.sluice(['verify', user.at(name)])).toMatchObject({
      code: 1,
      stderr: `2,501 lines: 2,500 stored, 1 missing (line ${7 + offset})\n`,
    });
  });

  it('tells of lines that are refused or have no value, and sends the others', async () => {
    writeFileSync(user.at('odd.ndjson'), '{"id":1}\n{"n":1}\n{"id":2,"n":1000001}\nno JSON\n{"id":3}\n');
    const { code, stderr } = await user.sluice(['verify', user.at('odd.ndjson'), '--send']);
    expect([code, stderr]).toEqual([
      1,
      'line 4: the line is not JSON: unexpected text at column 1\n  no JSON\nline 3: /n must be <= 1000000\n5 lines: 2 stored, 1 missing (line 3), 2 without a value at /id (line 2, 4)\n',
    ]);
  });

  it('works with an ingest key, which finds what it sent itself', async () => {
    await sendAllBut((line) => line > 10);
    const { body } = await sluice.request('POST', `/applications/${domain}/keys`, {
      token,
      json: { name: 'k' },
    });
    const sender = commandLine({ url: sluice.url, token: body.data.key, app: domain });
    writeFileSync(sender.at('some.ndjson'), all.slice(10, 15).join('\n'));
    expect(await sender.sluice(['send', sender.at('some.ndjson')])).toMatchObject({ code: 0 });
    expect(await sender.sluice(['verify', sender.at('some.ndjson'), '--key', '/id'])).toMatchObject({
      code: 0,
    });
    writeFileSync(sender.at('all.ndjson'), all.join('\n'));
    expect((await sender.sluice(['verify', sender.at('all.ndjson'), '--key', '/id'])).stderr).toMatch(
      /^2,501 lines: 5 stored, 2,496 missing/,
    );
    expect(await sender.sluice(['verify', sender.at('some.ndjson')])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('say which member is unique'),
    });
  });

  it('asks for nothing where nothing is unique, or something else is', async () => {
    expect(await user.sluice(['verify', user.at('all.ndjson'), '--key', '/n', '--send'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`the unique member of ${domain} is /id, not /n`),
    });
    await sluice.request('PATCH', `/applications/${domain}`, { token, json: { unique: null } });
    expect(await user.sluice(['verify', user.at('all.ndjson'), '--key', '/id', '--send'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('has no unique member'),
    });
    const { body } = await sluice.request('POST', `/applications/${domain}/keys`, {
      token,
      json: { name: 'k' },
    });
    const sender = commandLine({ url: sluice.url, token: body.data.key, app: domain });
    writeFileSync(sender.at('all.ndjson'), all.join('\n'));
    expect(await sender.sluice(['verify', sender.at('all.ndjson'), '--key', '/id', '--send'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('has no `unique` member'),
    });
    expect(await stored()).toEqual([]);
  });
});
