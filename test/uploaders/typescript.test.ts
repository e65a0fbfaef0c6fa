import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { stepsOf } from '../support/docs-steps.ts';
import { call } from '../support/sluice.ts';
import { clientFor } from './client-for.ts';
import { compile } from './compiled.ts';
import { typescript } from './languages/typescript.ts';
import { nodeVersions } from './node-versions.ts';
import { tryUploader } from './oracle.ts';
import type { Scene } from './scene.ts';

const versions = await nodeVersions();
const uploaders = join(import.meta.dirname, '../../packages/clients/uploaders');

/** What users have before they begin: an application, and a folder with these files. */
async function begin(scene: Scene, schema: object, files: (domain: string) => Record<string, string>) {
  const domain = await scene.api.application(schema);
  const folder = await mkdtemp(join(tmpdir(), 'sluice-clean-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files(domain)))
    await writeFile(join(folder, name), text.replaceAll('http://127.0.0.1:4000', scene.api.url));
  const path = `/api/applications/${domain}/data`;
  const token = await scene.api.owner();
  const payloads = async () =>
    (await call(scene.api.url, 'GET', path, { token })).body.data.result.map(
      ({ payload }: { payload: unknown }) => payload,
    );
  /** Runs commands of a shell. Returns all that they print. */
  const run = (PATH: string, commands: string) =>
    compile(folder, 'sh', ['-ec', `exec 2>&1; ${commands}`], { PATH, npm_config_yes: 'true' });
  return { domain, payloads, run };
}

const weather = {
  type: 'object',
  properties: {
    place: { type: 'string', examples: ['Oslo'] },
    celsius: { type: 'number' },
    at: { type: 'string', format: 'date-time' },
    serial: { type: 'integer', minimum: 2 ** 53 },
  },
  required: ['place', 'celsius', 'serial'],
};
const sent = { place: 'Oslo', celsius: 21.5, serial: 2 ** 53 };

/** The program in the head of a file. */
function programIn(client: string): string {
  const [, lines = ''] = /^\/\/ Use, as send\.ts:\n((?:\/\/(?: {5}.*)?\n)+)/m.exec(client) ?? [];
  return lines.replaceAll(/^\/\/(?: {5})?/gm, '');
}

const throughTsc =
  'npx -p typescript tsc --init; npx -p typescript tsc --rewriteRelativeImportExtensions; node send.js';
const ways = versions.flatMap(({ version, PATH }) =>
  ['npx tsx send.ts', throughTsc, ...(/^v2[0-2]\./.test(version) ? [] : ['node send.ts'])].map(
    (commands) => [commands, version, PATH] as const,
  ),
);

tryUploader(typescript, (scene) => {
  it.each(ways)(
    'the program in the head runs as it stands by %s, on Node.js %s',
    async (commands, _, PATH) => {
      const user = await begin(scene(), weather, (domain) => {
        const { text } = clientFor('typescript', domain, weather);
        return { 'uploader.ts': text, 'send.ts': programIn(text), 'package.json': '{"type":"module"}' };
      });
      expect(await user.run(PATH, commands)).not.toMatch(/warn|error/i);
      expect(await user.payloads()).toEqual([sent]);
    },
  );

  it.each(versions)('the quickstart runs on Node.js $version', async ({ version, PATH }) => {
    const user = await begin(scene(), weather, (domain) => ({
      'uploader.ts': clientFor('typescript', domain, { type: 'object' }).text,
    }));
    const steps = stepsOf('docs/quickstarts.md', /send\.ts|package\.json/).map(({ commands }) =>
      commands.replace(/^curl .*\n/gm, '').replaceAll('http://127.0.0.1:4000', scene().api.url),
    );
    const [setUp = '', program = '', start = ''] = steps;
    const run = Number.parseInt(version.slice(1), 10) > 22 ? start : 'npx tsx send.ts';
    const plain = program.replace('celsius: hour / 2', 'celsius: hour / 2, serial: 2 ** 53');
    expect(await user.run(PATH, `${setUp}${plain}${run}`)).not.toMatch(/warn|error/i);
    expect((await user.payloads()).length).toBe(24);
  });

  it('the packed package sends plain objects to the application that it is told', async () => {
    const readme = await readFile(join(uploaders, 'typescript/README.md'), 'utf8');
    const [, program = ''] = /```js\n([\s\S]*?)```/.exec(readme) ?? [];
    const schema = { ...weather, required: ['at'] };
    const user = await begin(scene(), schema, (domain) => ({
      'send.js': program.replace('weather-station-k3v9q2', domain),
      'check.ts': `import { type Entry, type UploaderOptions } from 'sluice-uploader';\ninterface Reading { celsius: number }\nconst reading: Reading = { celsius: 1 };\nexport const all: [Entry, Entry, UploaderOptions] = [{ big: 1n }, reading, { baseUrl: '' }];\n`,
      'package.json': '{"type":"module"}',
    }));
    for (const { PATH } of versions)
      await user.run(
        PATH,
        `npm pack --silent --pack-destination . ${join(uploaders, 'typescript')}
        npm install --silent ./sluice-uploader-*.tgz
        node ${join(uploaders, '../../../node_modules/typescript/bin/tsc')} --strict --noEmit --module nodenext --target es2022 check.ts
        node send.js`,
      );
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    const entry = { place: 'Oslo', celsius: 21.5, at: time };
    expect(await user.payloads()).toEqual(versions.map(() => entry));
  });
});
