import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folderStore } from '@sluice/objects/folder-store.ts';
import { LakeFault } from '@sluice/objects/lake/manifest.ts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ownFolder } from '../../../test/support/archive-runs.ts';
import { runs } from '../../../test/support/runs.ts';
import { until } from '../../../test/support/sluice.ts';
import { createCopies } from './copies.ts';
import type { FileOfArchive } from './segments.ts';

const never = new AbortController().signal;

/** A bucket with files of these sizes, and copies of it. */
function start(sizes: number[], options: Partial<Parameters<typeof createCopies>[0]> = {}) {
  const [bucket, folder] = [ownFolder(), ownFolder()];
  const whole = folderStore(bucket);
  let reads = 0;
  const objects = {
    ...whole,
    read(name: string) {
      reads += 1;
      return whole.read(name);
    },
  };
  const files = sizes.map((bytes, at): FileOfArchive => {
    const content = randomBytes(bytes);
    writeFileSync(join(bucket, `${at}`), content);
    return { name: `${at}`, bytes, entries: 1, sha256: createHash('sha256').update(content).digest('hex') };
  });
  const copies = createCopies({ objects, folder, mostBytes: 1_000, readMs: 0, idleMs: 0, ...options });
  return {
    ...copies,
    bucket,
    files: files as [FileOfArchive, ...FileOfArchive[]],
    reads: () => reads,
    contentOf: ({ name }: FileOfArchive) => readFileSync(join(bucket, name)),
    bytes: () => readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0),
  };
}

it('copies each file once, also for questions that come at once', async () => {
  const { files, pathsOf, contentOf, reads } = start([100, 200, 300]);
  const [paths, same] = await Promise.all([pathsOf(files, never), pathsOf(files.toReversed(), never)]);
  expect(same).toEqual(paths.toReversed());
  for (const [at, file] of files.entries())
    expect(readFileSync(paths[at] as string).equals(contentOf(file))).toBe(true);
  await pathsOf(files, never);
  expect(reads()).toBe(3);
});

it('keeps within its room, and has the files of each question, whatever is asked', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 8 }),
      fc.array(fc.array(fc.nat(7), { maxLength: 4 }), { maxLength: 12 }),
      async (sizes, questions) => {
        const { files, pathsOf, contentOf, bytes } = start(sizes);
        for (const asked of questions) {
          const wanted = asked.flatMap((at) => files[at] ?? []);
          const room = [...new Set(wanted)].reduce((sum, file) => sum + file.bytes, 0);
          const found = pathsOf(wanted, never);
          if (room > 1_000) {
            await expect(found).rejects.toThrow('more room than QUERY_COPIES gives');
            continue;
          }
          const paths = await found;
          for (const [at, file] of wanted.entries())
            expect(readFileSync(paths[at] as string).equals(contentOf(file))).toBe(true);
          await until(async () => bytes() <= 1_000);
        }
      },
    ),
    runs(60),
  );
});

it('lets a question read its copies, however much others ask', async () => {
  const { files, pathsOf, contentOf } = start([600, 600], { readMs: 600_000 });
  const [one, two] = files as [FileOfArchive, FileOfArchive];
  const [path] = await pathsOf([one], never);
  await expect(pathsOf([two], never)).rejects.toThrow('others take the room');
  expect(readFileSync(path as string).equals(contentOf(one))).toBe(true);
});

it('removes what nobody asks for, such as files that were erased', async () => {
  const { files, pathsOf, removeIdle, bytes } = start([100, 200]);
  const [path] = await pathsOf(files, never);
  const {
    removeIdle: removeNone,
    pathsOf: paths,
    bytes: all,
    files: others,
  } = start([100], { idleMs: 600_000 });
  await paths(others, never);
  removeNone();
  removeIdle();
  await until(async () => bytes() === 0);
  expect([existsSync(path as string), all()]).toEqual([false, 100]);
});

it('takes no file that is not as its manifest says, and leaves nothing of it', async () => {
  const { files, pathsOf, bucket, bytes } = start([100]);
  const [file] = files;
  const missing = { ...file, name: 'missing' };
  await expect(pathsOf([missing], never)).rejects.toThrow(LakeFault);
  writeFileSync(join(bucket, file.name), randomBytes(100));
  await expect(pathsOf([file], never)).rejects.toThrow(LakeFault);
  await until(async () => bytes() === 0);
});

it('goes on with a copy after its question has ended', async () => {
  const { files, pathsOf, reads } = start([100]);
  const gone = new AbortController();
  const asked = pathsOf(files, gone.signal);
  gone.abort();
  await expect(asked).rejects.toThrow('are being prepared');
  await pathsOf(files, never);
  expect(reads()).toBe(1);
});
