import { existsSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const disk = '/dev/shm';
/** The stores of a whole run take less; a container often has 64 MB. */
const enoughBytes = 4 * 1024 ** 3;

/** Where stores that outlive no run keep their files: in memory where there is room for them, since most tests wait for their journals. */
export function ramDisk(): string {
  if (!existsSync(disk)) return tmpdir();
  const { bavail, bsize } = statfsSync(disk);
  return bavail * bsize > enoughBytes ? disk : tmpdir();
}
