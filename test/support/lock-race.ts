import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { tempDir } from './local/temp-dir.ts';

const threads = 6;
const nobody = '4194304 1';

/** Meets the other threads, takes the lock at the same time as they, and counts who has it. */
const racer = `
const { workerData } = require('node:worker_threads');
const { taker, folders, meeting, held } = workerData;
function meet() {
  const turn = Atomics.load(meeting, 1);
  if (Atomics.add(meeting, 0, 1) < ${threads - 1}) return void Atomics.wait(meeting, 1, turn);
  Atomics.store(meeting, 0, 0);
  Atomics.add(meeting, 1, 1);
  Atomics.notify(meeting, 1);
}
(async () => {
  const take = await eval(taker)();
  for (const [round, folder] of folders.entries()) {
    meet();
    const release = await take(folder).catch(() => undefined);
    if (release) Atomics.add(held, round, 1);
    meet();
    await release?.();
  }
})();
`;

/**
 * Threads take the lock of a dead process at the same moment, in one folder after the other. Returns how many have had it.
 *
 * `taker` is the source of a function. It resolves with another, which takes the lock of a folder and resolves with what
 * releases it.
 */
export async function raceForLock(taker: string, rounds: number): Promise<number[]> {
  const dir = tempDir();
  const folders = Array.from({ length: rounds }, (_, round) => join(dir, String(round)));
  for (const [round, folder] of folders.entries()) {
    mkdirSync(folder);
    writeFileSync(join(folder, 'lock'), nobody);
    // That process has died while it took the lock.
    if (round % 2 === 1) writeFileSync(join(folder, 'lock~'), nobody);
  }
  const meeting = new Int32Array(new SharedArrayBuffer(8));
  const held = new Int32Array(new SharedArrayBuffer(4 * rounds));
  const workerData = { taker, folders, meeting, held };
  const racing = Array.from({ length: threads }, async () => {
    const worker = new Worker(racer, { eval: true, workerData });
    await new Promise((resolve, reject) => worker.once('exit', resolve).once('error', reject));
  });
  await Promise.all(racing);
  return [...held];
}
