import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { clientFor } from './client-for.ts';
import { cache, compile, copyProgram } from './compiled.ts';
import { build, copyManifest, rust } from './languages/rust.ts';
import { startProxy, startTls } from './network.ts';
import { tryUploader } from './oracle.ts';
import { startProgram } from './program.ts';

const source = join(import.meta.dirname, '../../packages/clients/uploaders/rust');
const place = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const schema = {
  type: 'object',
  description: 'See <a> [link] of MyStation, http://example.com',
  properties: {
    at: { type: 'string', format: 'date-time' },
    celsius: { type: 'number' },
    sky: { enum: ['clear', 'cloudy'] },
    place,
    note: { type: ['string', 'integer'] },
    tags: { type: 'array', items: { type: ['string', 'null'] } },
  },
  required: ['at', 'sky', 'place', 'note', 'tags'],
};

tryUploader(rust, (scene) => {
  const clientIn = async (folder: string, domain: string) => {
    const client = clientFor('rust', domain, schema);
    await mkdir(folder);
    await copyManifest(folder);
    await writeFile(join(folder, client.file), client.text);
    return client.text;
  };

  it('runs the program of the head as it stands', async () => {
    const { api, folder } = scene();
    const domain = await api.application(schema);
    const text = await clientIn(join(folder, 'head'), domain);
    const lines = text.split('\n').filter((line) => line.startsWith('//     '));
    const program = lines.map((line) => line.slice(7)).join('\n');
    expect(program).toContain('http://127.0.0.1:4000');
    await writeFile(join(folder, 'head/send.rs'), program.replace('http://127.0.0.1:4000', api.url));
    const [command = ''] = await build(join(folder, 'head'), 'send', '--locked');
    const run = startProgram(['env', `--chdir=${folder}`, command], []);
    expect([await run.ended, run.output]).toEqual([0, { out: '', err: '' }]);
    expect((await scene().stored()).get(Number.NaN)).toBe(1);
  });

  it('writes what it read: times to the letter, and members that the schema does not declare', async () => {
    const folder = join(scene().folder, 'reading');
    await clientIn(folder, scene().domain);
    await copyProgram('reading.rs', folder, 'send.rs');
    const [command = ''] = await build(folder, 'send', '--locked');
    const entry =
      '{"at":"2026-01-02t03:04:05.6780+02:00","sky":"cloudy","place":{"city":"Oslo","x":null,"zip":"0150"},"note":7,"tags":["a",null],"y":[1]}';
    const run = startProgram([command], [entry]);
    expect([await run.ended, run.output.err]).toEqual([0, '']);
    expect(run.output.out.trim().split('\n')).toEqual([
      entry,
      '{"at":"2026-01-02T03:04:05Z","sky":"clear","place":{"city":""},"note":null,"tags":[]}',
    ]);
  });

  describe('as a crate', () => {
    const crate = 'sluice-uploader-0.1.0';
    let folder: string;
    // As the tests of random schemas set them, so that both compile what they need once.
    const usual = { RUSTFLAGS: '-Dwarnings', CARGO_TARGET_DIR: join(cache, 'rust-random') };
    const cargo = (args: string[], env = {}) => compile(folder, 'cargo', args, { ...usual, ...env });

    beforeAll(async () => {
      folder = join(scene().folder, 'crate');
      await copyProgram('packaged.rs', folder);
      await copyManifest(folder);
      const options = ['--no-verify', '--allow-dirty', '--exclude-lockfile', '--target-dir', folder];
      const manifest = ['--manifest-path', join(source, 'Cargo.toml')];
      await cargo(['package', '--quiet', ...options, ...manifest]);
      await compile(folder, 'tar', ['-xzf', join('package', `${crate}.crate`)]);
      // Besides the usual dependencies, so that they are compiled once.
      const program = [
        ...['', '[[bin]]', 'name = "packaged"', 'path = "packaged.rs"'],
        ...['[workspace]', `members = ["${crate}"]`],
        ...['[dependencies.sluice-uploader]', `path = "${crate}"`, ''],
      ];
      await appendFile(join(folder, 'Cargo.toml'), program.join('\n'));
    });

    it('has its licence, and is clean to the strictest checks', async () => {
      expect((await compile(join(folder, crate), 'ls', ['-1'])).split('\n')).toContain('LICENSE');
      await compile(join(folder, crate), 'cargo', ['fmt', '--check']);
      await cargo(['clippy', '--quiet', '-p', 'sluice-uploader', '--', '-Wclippy::pedantic', '-Dwarnings']);
      await cargo(['doc', '--quiet', '--no-deps', '-p', 'sluice-uploader'], { RUSTDOCFLAGS: '-Dwarnings' });
      expect(await cargo(['test', '-p', 'sluice-uploader'])).toMatch(/test result: ok. 2 passed/);
    });

    it('sends plain objects, and refuses wrong options in the words of all languages', async () => {
      const { api, domain, stored } = scene();
      const from = 21_000_001;
      expect(await send(api.url, domain, '-', from)).toEqual({
        code: 0,
        err: '',
        out: [
          'Counts { stored: 0, refused: 0, waiting: 10 }',
          'Counts { stored: 10, refused: 0, waiting: 0 }',
        ],
      });
      const found = await stored();
      expect(Array.from({ length: 10 }, (_, at) => found.get(from + at))).toEqual(Array(10).fill(1));
      expect(await send(api.url, domain, '-', -5)).toMatchObject({
        code: 0,
        out: [expect.anything(), 'Counts { stored: 5, refused: 5, waiting: 0 }'],
      });
      expect((await send('localhost:4340', domain, '-', from)).err).toBe(
        'base URL: "localhost:4340" does not begin with http:// or https://\n',
      );
      expect((await send(api.url, '-', '-', from)).err).toBe(
        'domain: an application is needed, such as weather-station-k3v9q2\n',
      );
      expect((await send(api.url, domain, 'Cargo.lock', from)).err).toMatch(/^ca: .*Cargo.lock/);
    });

    it('goes through the proxy of the environment, and trusts a certificate authority of a file', async () => {
      const { api, domain, stored } = scene();
      const tls = await startTls(api.url);
      const { url: proxy, asked } = await startProxy();
      const from = 22_000_001;
      const sent = async (...[url, ca, at, env]: [string, string, number, object]) =>
        (await send(url, domain, ca, from + at * 10, env)).code;
      expect(await sent(api.url, '-', 0, { HTTP_PROXY: proxy, HTTPS_PROXY: 'http://127.0.0.1:9' })).toBe(0);
      expect(await sent(tls.url, tls.ca, 1, { https_proxy: proxy })).toBe(0);
      expect(asked).toEqual([api.url, tls.url].map((url) => `CONNECT ${new URL(url).host}`));
      const around = { HTTPS_PROXY: proxy, NO_PROXY: 'example.com, 127.0.0.1' };
      expect(await sent(tls.url, tls.ca, 2, around)).toBe(0);
      expect(asked.length).toBe(2);
      const { code, err } = await send(tls.url, domain, '-', from + 30);
      expect([code, err]).toEqual([1, expect.stringMatching(/^10 entries are not stored: .*UnknownIssuer/)]);
      const found = await stored();
      expect([0, 10, 29, 30].map((at) => found.get(from + at))).toEqual([1, 1, 1, undefined]);
    });

    async function send(url: string, domain: string, ca: string, from: number, env: object = {}) {
      const [command = ''] = await program();
      const given = Object.entries(env).map((pair) => pair.join('='));
      const run = startProgram(['env', `--chdir=${folder}`, ...given, command], [url, domain, ca, `${from}`]);
      const code = await run.ended;
      return { code, out: run.output.out.trim().split('\n'), err: run.output.err };
    }

    let built: Promise<string[]> | undefined;
    const program = () => {
      built ??= build(folder, 'packaged');
      return built;
    };
  });
});
