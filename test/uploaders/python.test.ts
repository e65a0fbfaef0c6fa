import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { root } from '../support/docs-steps.ts';
import { failure, startBadProxy } from './bad-proxy.ts';
import { clientFor } from './client-for.ts';
import { compile } from './compiled.ts';
import { copied, python } from './languages/python.ts';
import { checkClients, checkTypes, pythonPackage, pythonTools } from './languages/python-tools.ts';
import { startProxy, startTls } from './network.ts';
import { tryUploader } from './oracle.ts';
import { startProgram } from './program.ts';
import { schema } from './schema.ts';

/** The program in the head of a client. */
function programOf(client: string): string {
  const [, lines = ''] = /^# Use, as send\.py:\n([\s\S]*?)^# Run: python3 send\.py$/m.exec(client) ?? [];
  return lines.replaceAll(/^#(?: {5})?/gm, '');
}

tryUploader(python, (scene) => {
  async function run(name: string, args: string[], env: Record<string, string> = {}) {
    const [command = '', , , program = ''] = await copied(name, scene().folder);
    const settings = Object.entries(env).map((pair) => pair.join('='));
    const running = startProgram(['env', ...settings, command, program], args);
    expect(await running.ended, running.output.err).toBe(0);
    return running.output.out;
  }

  it('is a package that is built, installed and sends plain objects, and refuses others at once', async () => {
    const folder = join(scene().folder, 'package');
    await cp(pythonPackage, folder, { recursive: true });
    const tools = await pythonTools();
    await compile(folder, join(tools, 'ruff'), ['check', '--no-cache']);
    await compile(folder, join(tools, 'ruff'), ['format', '--no-cache', '--check']);
    await checkTypes(folder, 'sluice_uploader');
    await compile(folder, join(tools, 'pip'), [
      'wheel',
      '--no-build-isolation',
      '--no-deps',
      '-w',
      'dist',
      '.',
    ]);
    const [wheel = ''] = await readdir(join(folder, 'dist'));
    expect(wheel).toBe('sluice_uploader-0.1.0-py3-none-any.whl');

    const clean = join(scene().folder, 'clean');
    await compile(folder, 'python3', ['-m', 'venv', clean]);
    await compile(folder, join(clean, 'bin/pip'), ['install', '--quiet', '--no-index', join('dist', wheel)]);
    const show =
      'import importlib.metadata as m; print(*sorted(map(str, m.files("sluice-uploader"))), sep="\\n")';
    const files = (await compile(clean, join(clean, 'bin/python'), ['-c', show])).trim().split('\n');
    expect(files).toEqual(
      expect.arrayContaining([
        'sluice_uploader/__init__.py',
        'sluice_uploader/py.typed',
        'sluice_uploader-0.1.0.dist-info/licenses/LICENSE',
      ]),
    );
    expect(readFileSync(join(folder, 'LICENSE'))).toEqual(readFileSync(join(root, 'LICENSE')));

    const from = 21_000_001;
    const program = await copied('keyless.py', clean);
    await checkTypes(clean, '--python-executable', join(clean, 'bin/python'), 'keyless.py');
    const args = [scene().api.url, scene().domain, String(from), scene().spool()];
    const running = startProgram([join(clean, 'bin/python'), ...program.slice(1)], args);
    expect(await running.ended, running.output.err).toBe(0);
    const object = 'TypeError an entry is a JSON object, not';
    expect(running.output.out.trim().split('\n')).toEqual([
      ...['null', 'an array', 'an array', 'a string', 'a number', 'a boolean', 'a set'].map(
        (kind) => `${object} ${kind}`,
      ),
      ...Array(2).fill('ValueError an entry cannot hold NaN or Infinity'),
      'ValueError an entry that JSON cannot write: set is not JSON',
      'ValueError an entry that JSON cannot write: datetime.datetime(2026, 1, 2, 0, 0) has no time zone',
      'Counts(stored=0, refused=0, waiting=3)',
      "-1 ['2026-01-02T00:00:00+00:00', '2026-01-02', '00000000-0000-0000-0000-000000000007']",
      'Counts(stored=2, refused=1, waiting=0)',
      '-2 None',
      'Counts(stored=2, refused=2, waiting=0)',
      'base URL: "localhost:4340" does not begin with http:// or https://',
      'base URL: "ftp://127.0.0.1" does not begin with http:// or https://',
      'domain: an application is needed, such as weather-station-k3v9q2',
    ]);
    const stored = await scene().stored();
    expect([0, 1].map((at) => stored.get(from + at))).toEqual([1, 1]);
  });

  it('has types that ruff and mypy find nothing in, nor in programs with optional objects', async () => {
    const folder = join(scene().folder, 'reading');
    const at = { type: 'string', format: 'date-time' };
    const owner = { type: 'object', properties: { name: { type: 'string' } } };
    const properties = {
      at,
      day: { type: 'string', format: 'date' },
      times: { type: 'array', items: { ...at, type: ['string', 'null'] } },
      station: { type: 'object', properties: { owner } },
    };
    const client = clientFor('python', scene().domain, { type: 'object', properties });
    await mkdir(folder);
    await writeFile(join(folder, client.file), client.text);
    const [command = '', ...program] = await copied('reading.py', folder);
    await writeFile(join(folder, 'send.py'), programOf(client.text));
    await checkClients(folder, client.file);
    await checkTypes(folder, 'reading.py', 'send.py');
    await compile(folder, join(await pythonTools(), 'ruff'), [
      'format',
      '--check',
      '--line-length',
      '120',
      client.file,
    ]);

    const read = `{"at":"2026-01-02t03:04:60.123456789+02:00","day":"2026-01-02","times":[null,"2026-01-02T03:04:05z"],"station":{"owner":{"name":"Ada","x":null},"zip":"0150"},"y":[1]}`;
    const running = startProgram([command, ...program], [read]);
    expect([await running.ended, running.output.err]).toEqual([0, '']);
    expect(running.output.out.trim().split('\n')).toEqual([
      'True',
      '2026-01-02T01:04:59.123456+00:00 True',
      '2026',
      "Ada {'zip': '0150'}",
      '{"at": "2026-01-02T03:04:05+00:00", "day": "2026-01-02", "times": [null, "2026-01-02T03:04:05+00:00"], "station": {"owner": {"name": "Ada"}}}',
      'True',
      'datetime.datetime(2026, 1, 2, 0, 0) has no time zone',
    ]);
  });

  it('has a head whose program runs as it stands', async () => {
    const { api, domain, folder, stored } = scene();
    const head = join(folder, 'head');
    const client = clientFor('python', domain, schema);
    await mkdir(head);
    await writeFile(join(head, client.file), client.text);
    await writeFile(join(head, 'send.py'), programOf(client.text).replace('http://127.0.0.1:4000', api.url));
    const n = Number(/n=(\d+)/.exec(client.text)?.[1]);
    const before = (await stored()).get(n) ?? 0;
    await compile(head, 'python3', ['send.py']);
    expect((await stored()).get(n)).toBe(before + 1);
    expect(await readdir(join(head, 'spool'))).toEqual(['lock']);
  });

  it('goes through the proxy of the environment, and trusts a certificate authority of a file', async () => {
    const { api, domain, stored } = scene();
    const tls = await startTls(api.url);
    const { url: proxy, asked } = await startProxy();
    const from = 22_000_001;
    const send = (url: string, at: number, ca: string, env: Record<string, string>) =>
      run('away.py', [url, String(from + at), ca, domain], env);

    expect(await send(api.url, 0, '-', { HTTP_PROXY: proxy })).toBe('');
    expect(await send(tls.url, 1, tls.ca, { https_proxy: proxy })).toBe('');
    expect(asked).toEqual([
      `POST ${api.url}/api/applications/${domain}/data/batch`,
      `CONNECT ${new URL(tls.url).host}`,
    ]);
    expect(await send(tls.url, 2, tls.ca, { HTTPS_PROXY: proxy, NO_PROXY: 'example.com,127.0.0.1' })).toBe(
      '',
    );
    expect(await send(tls.url, 3, '-', {})).toMatch(/^1 entries are not stored: .*certificate/);
    expect(asked.length).toBe(2);
    const found = await stored();
    expect([0, 1, 2, 3].map((at) => found.get(from + at))).toEqual([1, 1, 1, undefined]);
  });

  it('sends to another application without the version of its own schema', async () => {
    const heads: (string | undefined)[][] = [];
    const server = createServer(({ url, headers }, response) => {
      heads.push([url, headers['sluice-schema-version'] as string | undefined, headers['content-encoding']]);
      response.writeHead(201).end('{"success":true,"data":{}}');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const { domain } = scene();
    for (const one of [domain, 'staging-k3v9q2'])
      await run('away.py', [`http://127.0.0.1:${port}`, '10000001', '-', one]);
    const path = (one: string) => `/api/applications/${one}/data/batch`;
    expect(heads).toEqual([
      [path(domain), '1', 'gzip'],
      [path('staging-k3v9q2'), undefined, 'gzip'],
    ]);
  });

  it('may be shared by threads, and by the processes of a fork', async () => {
    const { api, stored } = scene();
    const begin = 7_000_000;
    await run('share.py', [api.url, String(begin)]);
    const counts = await stored();
    const sent = Array.from({ length: 600 }, (_, at) => begin + at);
    expect(sent.filter((n) => counts.get(n) !== 1)).toEqual([]);
  });

  it('has told all when it is flushed and closed, survives callbacks, and says what it could not store', async () => {
    const { url } = await startBadProxy(failure(401, 'UnauthorizedRequestError'));
    const out = await run('failures.py', [scene().api.url, url]);
    const told = ['told -1', 'flushed', 'told -2', 'closed', 'ended by nothing'];
    const notStored = Array(4).fill('1 401 UnauthorizedRequestError');
    expect(out.trim().split('\n')).toEqual([...told, ...notStored]);
    expect((await scene().stored()).get(20_000_001)).toBe(1);
  });
});
