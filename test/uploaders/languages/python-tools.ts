import { createHash } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { cache, compile } from '../compiled.ts';

/** The package whose source is the template of the client. */
export const pythonPackage = join(import.meta.dirname, '../../../packages/clients/uploaders/python');

const packages = ['hatchling==1.33.0', 'mypy==2.4.1', 'ruff==0.17.6'];

/** The programs of a Python that has these packages. Installs them once. */
export async function pythonTools(): Promise<string> {
  const hash = createHash('sha256').update(packages.join()).digest('hex').slice(0, 8);
  const folder = join(cache, `python-${hash}`);
  if (!(await stat(join(folder, 'complete')).catch(() => undefined))) {
    await rm(folder, { recursive: true, force: true });
    await compile('.', 'python3', ['-m', 'venv', folder]);
    await compile('.', join(folder, 'bin/pip'), ['install', '--quiet', ...packages]);
    await compile('.', 'touch', [join(folder, 'complete')]);
  }
  return join(folder, 'bin');
}

/** Checks programs by their types, in the strictest mode. */
export async function checkTypes(cwd: string, ...files: string[]): Promise<void> {
  const config = ['--config-file', join(pythonPackage, 'pyproject.toml'), '--cache-dir', join(cwd, '.mypy')];
  await compile(cwd, join(await pythonTools(), 'mypy'), [...config, ...files]);
}

/** The head shows a program. Names and texts of a schema may be long, and have any characters. */
const ofSchemas = ['--extend-ignore', 'E501,ERA001,Q003,RUF001,RUF002'];

/** Checks clients that were made from schemas. */
export async function checkClients(cwd: string, ...files: string[]): Promise<void> {
  const config = ['--no-cache', '--config', join(pythonPackage, 'pyproject.toml')];
  await compile(cwd, join(await pythonTools(), 'ruff'), ['check', ...config, ...ofSchemas, ...files]);
  await checkTypes(cwd, ...files);
}
