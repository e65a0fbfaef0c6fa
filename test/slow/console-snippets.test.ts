import { execFile, execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
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
