import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { readDescription } from '../clients/description.ts';
import { startSluice } from '../support/sluice.ts';
import { python } from './python.ts';

/** The generator formats what it made with a program beside it. */
const env = { ...process.env, PATH: `${dirname(python())}:${process.env.PATH}` };
const run = (...args: string[]) => promisify(execFile)(python(), args, { env });

const toSnakeCase = (name: string) => name.replace(/(?<!^)[A-Z]/g, '_$&').toLowerCase();

async function modules(folder: string): Promise<string[]> {
  const files = await readdir(folder, { recursive: true });
  return files.filter((file) => file.endsWith('.py') && !file.endsWith('__init__.py'));
}

it('openapi-python-client makes a client with the names of the description, which takes data in and out', async () => {
  const sluice = await startSluice();
  onTestFinished(() => sluice.stop());
  const { text, operations, schemas } = await readDescription(sluice);
  const dir = await mkdtemp(join(tmpdir(), 'sluice-client-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  await writeFile(join(dir, 'openapi.json'), text);
  const client = join(dir, 'sluice_client');
  await run(
    ...['-m', 'openapi_python_client', 'generate', '--meta', 'none'],
    ...['--path', join(dir, 'openapi.json'), '--output-path', client],
  );

  // Of the bytes of a file it knows no type.
  const made = operations.filter(({ operationId }) => operationId !== 'continueImportFile');
  const functions = made.map(
    ({ tags, operationId }) =>
      `${tags?.[0]?.toLowerCase().replaceAll(' ', '_')}/${toSnakeCase(operationId)}.py`,
  );
  expect((await modules(join(client, 'api'))).sort()).toEqual(functions.sort());
  expect((await modules(join(client, 'models'))).sort()).toEqual(
    schemas.map((name) => `${toSnakeCase(name)}.py`).sort(),
  );

  const { stdout } = await run(join(import.meta.dirname, 'client.py'), sluice.url, dir);
  expect(stdout).toBe('celsius\r\n21.5\r\n22\r\n22.5\r\n\n');
});
