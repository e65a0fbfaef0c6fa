import { readFileSync } from 'node:fs';
import { cpus, release, type as system, tmpdir, totalmem } from 'node:os';
import type { Bench } from './bench.ts';
import { figure } from './table.ts';

/** Describes the machine in one paragraph. */
export async function describeMachine({ mongodb, generator, options }: Bench): Promise<string> {
  const [cpu] = cpus();
  const { version } = await mongodb.db('admin').command({ buildInfo: 1 });
  const { rounds, seconds, warmUpSeconds } = options;
  return [
    `${new Date().toISOString().slice(0, 10)}; ${rounds} rounds of ${seconds} s after ${warmUpSeconds} s of warm-up`,
    `${cpu?.model.trim()}, ${cpus().length} cores, ${figure(totalmem() / 1024 ** 3)} GiB`,
    `${system()} ${release()}`,
    `Node ${process.versions.node}`,
    `MongoDB ${version}, data on ${filesystem(tmpdir())}`,
    generator.name,
  ].join('; ');
}

/** Such as `ext4`, if the system reports it. */
function filesystem(path: string): string {
  try {
    const mounts = readFileSync('/proc/self/mounts', 'utf8').trim().split('\n');
    const [, , type = 'file system unknown'] = mounts
      .map((line) => line.split(' '))
      .filter(([, at = '']) => at === '/' || path === at || path.startsWith(`${at}/`))
      .reduce((best, mount) => ((mount[1]?.length ?? 0) >= (best[1]?.length ?? 0) ? mount : best));
    return type;
  } catch {
    return 'file system unknown';
  }
}
