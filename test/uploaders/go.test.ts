import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeClient } from '@sluice/clients/client.ts';
import { expect, it } from 'vitest';
import { clientFor } from './client-for.ts';
import { compile, copyProgram } from './compiled.ts';
import { built, checkFormat, go, lint, programIn } from './languages/go.ts';
import { tryUploader } from './oracle.ts';
import { startProgram } from './program.ts';

const source = join(import.meta.dirname, '../../packages/clients/uploaders/go');
/** Go takes no folders in an archive. */
const zipFiles = `
import pathlib, sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as archive:
    for path in pathlib.Path("example.com").rglob("*"):
        if path.is_file():
            archive.write(path)`;
const systems = ['linux', 'darwin', 'windows'];

tryUploader(go, (scene) => {
  async function run(command: string[], args: string[]) {
    const program = startProgram(command, args);
    expect(await program.ended, program.output.err).toBe(0);
    return program.output.out.trim().split('\n');
  }

  it('is a module that passes its own tests, with the licence of this repository', async () => {
    await compile(source, 'go', ['test', '-race', './...']);
    await checkFormat(source, '.');
    for (const GOOS of systems) await lint(source, './...', { GOOS });
    const licence = (folder: string) => readFile(join(folder, 'LICENSE'), 'utf8');
    expect(await licence(source)).toBe(await licence(join(import.meta.dirname, '../..')));
  });

  it('is a module that programs get from a proxy of modules, and that sends plain objects', async () => {
    const folder = join(scene().folder, 'keyless');
    const at = join(folder, 'proxy/example.com/sluice/uploader/@v');
    await mkdir(at, { recursive: true });
    await cp(source, join(folder, 'example.com/sluice/uploader@v0.1.0'), { recursive: true });
    await compile(folder, 'python3', ['-c', zipFiles, join(at, 'v0.1.0.zip')]);
    await cp(join(source, 'go.mod'), join(at, 'v0.1.0.mod'));
    await writeFile(join(at, 'v0.1.0.info'), '{"Version":"v0.1.0"}');
    await copyProgram('keyless.go', folder, 'program/main.go');
    const env = {
      GOPROXY: `file://${join(folder, 'proxy')}`,
      GONOSUMDB: '*',
      GOMODCACHE: join(folder, 'cache'),
      GOFLAGS: '-modcacherw',
    };
    const program = join(folder, 'program');
    await compile(program, 'go', ['mod', 'init', 'program'], env);
    await compile(program, 'go', ['get', 'example.com/sluice/uploader@v0.1.0'], env);
    await compile(program, 'go', ['build', '-o', 'keyless', '.'], env);

    const from = 21_000_001;
    const { api, domain } = scene();
    expect(await run([join(program, 'keyless')], [api.url, domain, String(from)])).toEqual([
      '{Stored:0 Refused:0 Waiting:4}',
      'SchemaValidationError',
      '{Stored:3 Refused:1 Waiting:0}',
    ]);
    const stored = await scene().stored();
    expect([0, 1, 2].map((at) => stored.get(from + at))).toEqual([1, 1, 1]);
  });

  it('has one file for Windows and one for other systems, which compile side by side', async () => {
    const folder = join(scene().folder, 'systems');
    await mkdir(join(folder, 'uploader'), { recursive: true });
    await writeFile(join(folder, 'go.mod'), 'module app\n\ngo 1.24\n');
    const rawSchema = JSON.stringify({ type: 'object', properties: { celsius: { type: 'number' } } });
    const wanted = { language: 'go', domain: 'weather-k3v9q2', rawSchema, version: 1 } as const;
    const file = (name: string) => join(folder, 'uploader', name);
    await writeFile(file('uploader.go'), makeClient(wanted));
    await writeFile(file('uploader_windows.go'), makeClient({ ...wanted, os: 'windows' }));
    await checkFormat(folder, 'uploader');
    for (const GOOS of systems) await lint(folder, './...', { GOOS });
  });

  it('shows a program in its head that sends an entry as it stands', async () => {
    const folder = join(scene().folder, 'head');
    const text = await readFile(join(scene().folder, 'uploader', 'uploader.go'), 'utf8');
    await mkdir(join(folder, 'uploader'), { recursive: true });
    await writeFile(join(folder, 'uploader/uploader.go'), text);
    await writeFile(
      join(folder, 'main.go'),
      programIn(text).replace('http://127.0.0.1:4000', scene().api.url),
    );
    await compile(folder, 'go', ['mod', 'init', 'app']);
    const before = [...(await scene().stored()).values()].reduce((sum, times) => sum + times, 0);
    await compile(folder, 'go', ['run', '.']);
    const after = [...(await scene().stored()).values()].reduce((sum, times) => sum + times, 0);
    expect(after).toBe(before + 1);
  });

  it('reads and writes times to the letter, and members that the schema does not declare', async () => {
    const folder = join(scene().folder, 'reading');
    const place = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    const at = { type: 'string', format: 'date-time' };
    const client = clientFor('go', scene().domain, {
      type: 'object',
      properties: { at, count: { type: 'integer' }, place },
    });
    await mkdir(join(folder, 'uploader'), { recursive: true });
    await writeFile(join(folder, 'uploader', client.file), client.text);
    const reading = await built(folder, 'reading');
    const entry =
      '{"at":"2026-01-02T03:04:05.6780+02:00","place":{"city":"Oslo","City":"x","big":9007199254740993123,"zip":null},"y":[1.50]}';
    expect(await run(reading, [entry])).toEqual([
      `${entry} <nil>`,
      '2026-01-02 03:04:05.678 +0200 +0200 <nil>',
      '{"at":"2026-01-02T03:04:05.000006Z","count":9007199254740993,"place":{"city":"Oslo"},"more":1} <nil>',
    ]);
    expect(await run(reading, ['{"place":{"city":1}}'])).toEqual([
      'place: city: json: cannot unmarshal number into Go value of type string',
    ]);
  });
});
