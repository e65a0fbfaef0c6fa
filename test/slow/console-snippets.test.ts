import { execFile, execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { languages, makeClient } from '@sluice/clients/client.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { headProgram } from '../../services/console/src/pages/send/head-program.ts';
import { snippets } from '../../services/console/src/pages/send/snippets.ts';
import { tempDir } from '../support/local/temp-dir.ts';
import { type Sluice, startSluice } from '../support/sluice.ts';

const run = promisify(execFile);

let sluice: Sluice;
beforeAll(async () => {
  sluice = await startSluice({ workers: false });
});
afterAll(() => sluice.stop());

/** How each is run from a file. */
const runners: Record<string, { file: string; command: string[] }> = {
  curl: { file: 'upload.sh', command: ['bash'] },
  JavaScript: { file: 'upload.mjs', command: [process.execPath] },
  Python: { file: 'upload.py', command: ['python3'] },
  Go: { file: 'main.go', command: ['go', 'run'] },
};

/** Not every machine has it; the others are needed anyway. */
function hasGo(): boolean {
  try {
    execFileSync('go', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const exact = '{"id":9007199254740993,"celsius":1.0,"key":"it\'s \\"here\\""}';
const payload = {
  quotes: `'single' "double" \`back\``,
  escapes: 'a\\b\nc\td é 日本 😀 $HOME %s',
  words: 'true false null',
  yes: true,
  no: false,
  nothing: null,
  numbers: [1, -2.5, 1e21],
  "it's a key": {},
};

const labels = Object.keys(runners);

it('there is a program for each of these', () => {
  expect(
    snippets({ url: 'http://127.0.0.1', payload: JSON.stringify(payload) }).map(({ label }) => label),
  ).toEqual(labels);
});

it.each(hasGo() ? labels : labels.filter((label) => label !== 'Go'))(
  'the program for %s uploads exactly the payload, with the key',
  async (label) => {
    const { file, command } = runners[label] as (typeof runners)[string];
    const [program, ...args] = command as [string, ...string[]];
    const { token } = await sluice.owner();
    const domain = await sluice.application(token);
    await sluice.request('PATCH', `/applications/${domain}`, { token, json: { key_required: true } });
    const { body } = await sluice.request('POST', `/applications/${domain}/keys`, {
      token,
      json: { name: 'k' },
    });
    const upload = {
      url: `${sluice.url}/api/applications/${domain}/data`,
      payload: JSON.stringify(payload),
      key: body.data.key,
    };
    const outputOf = async (given: typeof upload) => {
      const code = snippets(given).find((each) => each.label === label)?.code as string;
      const dir = tempDir();
      writeFileSync(join(dir, file), code);
      return (await run(program, [...args, join(dir, file)])).stdout;
    };
    expect(await outputOf({ ...upload, key: 'slk_wrong' })).toContain('ForbiddenRequestError');
    expect(await outputOf(upload)).toContain('201');
    expect(await outputOf({ ...upload, payload: exact })).toContain('9007199254740993');
    const { body: list, text } = await sluice.request('GET', `/applications/${domain}/data`, { token });
    expect(text).toContain('"id":9007199254740993');
    const payloads = list.data.result.map((entry: { payload: object }) => entry.payload);
    expect(payloads).toEqual([JSON.parse(exact), payload]);
  },
);

const schema = { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] };
const clientIn = (language: (typeof languages)[number], domain: string) =>
  makeClient({ language, domain, rawSchema: JSON.stringify(schema), version: 1 });

it.each(languages)(
  'the program for the client in %s has the origin and the key once, and no marks',
  (language) => {
    const program = headProgram(language, clientIn(language, 'weather-k3v9q2'), {
      origin: 'http://x',
      key: 'slk_y',
    });
    const lines = program?.split('\n') ?? [];
    expect(program?.match(/"http:\/\/x"|"slk_y"/g)).toEqual(['"http://x"', '"slk_y"']);
    expect(lines.filter((line) => /^(\/\/|#)/.test(line))).toEqual([lines[0], lines.at(-1)]);
  },
);

it.each([
  ['typescript', 'uploader.ts', 'send.ts', process.execPath],
  ['python', 'uploader.py', 'send.py', 'python3'],
] as const)(
  'the program for the client in %s sends an entry with the key',
  async (language, file, name, command) => {
    const { token } = await sluice.owner();
    const domain = await sluice.application(token, schema);
    await sluice.request('PATCH', `/applications/${domain}`, { token, json: { key_required: true } });
    const { body } = await sluice.request('POST', `/applications/${domain}/keys`, {
      token,
      json: { name: 'k' },
    });
    const cwd = tempDir();
    const client = clientIn(language, domain);
    const program = headProgram(language, client, { origin: sluice.url, key: body.data.key });
    writeFileSync(join(cwd, file), client);
    writeFileSync(join(cwd, name), program as string);
    writeFileSync(join(cwd, 'package.json'), '{"type":"module"}');
    await run(command, [name], { cwd });
    const { body: list } = await sluice.request('GET', `/applications/${domain}/data`, { token });
    expect(list.data.result).toMatchObject([{ payload: { place: expect.any(String) } }]);
  },
);
