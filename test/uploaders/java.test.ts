import { cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import { basename, delimiter, join } from 'node:path';
import { expect, it } from 'vitest';
import { clientFor } from './client-for.ts';
import { compile, copyProgram } from './compiled.ts';
import { classPath, java, lint, programOf } from './languages/java.ts';
import { startProxy, startTls } from './network.ts';
import { tryUploader } from './oracle.ts';
import { startProgram } from './program.ts';
import { schema } from './schema.ts';

const source = join(import.meta.dirname, '../../packages/clients/uploaders/java');

tryUploader(java, (scene) => {
  /** Compiles a program beside other classes, and returns what runs it. */
  async function prepare(name: string, folder: string, ...classes: string[]) {
    await copyProgram(`${name}.java`, folder);
    const path = [folder, ...classes, await classPath()].join(delimiter);
    await compile(folder, 'javac', [...lint, '-cp', path, `${name}.java`]);
    return async (args: string[], env: Record<string, string> = {}) => {
      const program = startProgram(
        ['env', ...Object.entries(env).map((pair) => pair.join('=')), 'java'],
        [...['-cp', path, name], ...args],
      );
      expect(await program.ended, program.output.err).toBe(0);
      return program.output.out.trim().split('\n');
    };
  }

  it('is a package of Maven whose jar sends plain objects, and refuses others at once', async () => {
    const folder = join(scene().folder, 'package');
    await cp(source, folder, { recursive: true, dereference: true });
    await compile(folder, 'mvn', ['-q', '-B', 'package']);
    const jars = (await readdir(join(folder, 'target'))).filter((name) => name.endsWith('.jar'));
    expect(jars).toEqual(['sluice-uploader-0.1.0.jar']);
    const jar = join(folder, 'target', jars[0] as string);
    expect(await compile(folder, 'jar', ['-tf', jar])).toContain('META-INF/LICENSE\n');
    const doc = ['-quiet', '-Xdoclint', '-Werror', '-d', join(folder, 'doc'), '-cp', await classPath()];
    await compile(folder, 'javadoc', [...doc, 'src/main/java/sluice/uploader/Uploader.java']);

    const run = await prepare('Keyless', folder, jar);
    const [from, object] = [21_000_001, 'an entry is a JSON object, not'];
    expect(await run([scene().api.url, scene().domain, String(from)])).toEqual([
      ...['null', 'an array', 'a string', 'a string', 'a number', 'a boolean'].map(
        (kind) => `${object} ${kind}`,
      ),
      ...Array(2).fill('an entry cannot hold NaN or Infinity'),
      'an entry is one JSON object, not several',
      `${object} nothing`,
      ...Array(2).fill(expect.stringMatching(/^an entry that JSON cannot write/)),
      'Counts[stored=0, refused=0, waiting=4]',
      'Counts[stored=3, refused=1, waiting=0]',
      'base URL: "localhost:4340" does not begin with http:// or https://',
      'base URL: "ftp://127.0.0.1" does not begin with http:// or https://',
      'domain: an application is needed, such as weather-station-k3v9q2',
    ]);
    const stored = await scene().stored();
    expect([0, 1, 2].map((at) => stored.get(from + at))).toEqual([1, 1, 1]);
  });

  it('stores the next batch although a handler of logs fails', async () => {
    const run = await prepare('Logs', scene().folder);
    const n = 23_000_001;
    expect(await run([scene().api.url, String(n)])).toEqual(['Counts[stored=1, refused=1, waiting=0]']);
    expect((await scene().stored()).get(n)).toBe(1);
  });

  it('shows a program in its head that runs as it stands', async () => {
    const folder = join(scene().folder, 'head');
    const { text, file } = clientFor('java', scene().domain, schema);
    const program = programOf(text).replace('http://127.0.0.1:4000', scene().api.url);
    await mkdir(join(folder, 'lib'), { recursive: true });
    for (const jar of (await classPath()).split(delimiter)) await cp(jar, join(folder, 'lib', basename(jar)));
    await writeFile(join(folder, file), text);
    await writeFile(join(folder, 'Send.java'), program);
    const before = (await scene().stored()).get(1) ?? 0;
    const [, run] = /^\/\/ Run: (.*) \(/m.exec(text) as unknown as [string, string];
    expect(await compile(folder, 'sh', ['-c', run])).toBe('');
    expect((await scene().stored()).get(1)).toBe(before + 1);
  });

  it('reads and writes times to the letter, and members that the schema does not declare', async () => {
    const folder = join(scene().folder, 'reading');
    const place = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    const at = { type: 'string', format: 'date-time' };
    const properties = { at, day: { type: 'string', format: 'date' }, place };
    const client = clientFor('java', scene().domain, { type: 'object', properties });
    await mkdir(folder);
    await writeFile(join(folder, client.file), client.text);
    const run = await prepare('Reading', folder);
    const entry =
      '{"at":"2026-01-02t03:04:05.6780+02:00","day":"2026-01-02","place":{"city":"Oslo","zip":"0150","x":null},"y":[1]}';
    expect(await run([entry])).toEqual([
      entry,
      '2026-01-02T01:04:05.678Z FRIDAY',
      '{"at":"2026-01-02T03:04:05Z","day":"2026-01-02","place":{"city":"Oslo"},"more":1}',
      'true Entry[DateTime[text=2026-01-02T03:04:05Z], Date[text=2026-01-02], Place[Oslo, {}], {more=1}]',
      'city is required',
    ]);
  });

  it('goes through the proxy of the environment, and trusts a certificate authority of a file', async () => {
    const { folder, api, stored } = scene();
    const run = await prepare('Away', folder);
    const tls = await startTls(api.url);
    const { url: proxy, asked } = await startProxy();
    const from = 22_000_001;
    const send = (url: string, at: number, ca: string, env: Record<string, string>, seconds = 60) =>
      run([url, String(from + at), String(seconds), ca], env);

    expect(await send(api.url, 0, '-', { HTTP_PROXY: proxy })).toEqual(['']);
    expect(await send(tls.url, 1, tls.ca, { https_proxy: proxy })).toEqual(['']);
    expect(asked).toEqual([
      `POST ${api.url}/api/applications/${scene().domain}/data/batch`,
      `CONNECT ${new URL(tls.url).host}`,
    ]);
    expect(await send(tls.url, 2, tls.ca, { HTTPS_PROXY: proxy, NO_PROXY: 'example.com,127.0.0.1' })).toEqual(
      [''],
    );
    const [told] = await send(tls.url, 3, '-', {}, 5);
    expect(told).toMatch(/^1 entries are not stored/);
    expect(asked.length).toBe(2);
    const found = await stored();
    expect([0, 1, 2, 3].map((at) => found.get(from + at))).toEqual([1, 1, 1, undefined]);
  });
});
