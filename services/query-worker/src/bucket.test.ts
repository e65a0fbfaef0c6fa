import { createCleanAsked } from '@sluice/export-worker/archive/asked-folders.ts';
import { openArchiveFolder } from '@sluice/objects/open-store.ts';
import { whole } from '@sluice/objects/pieces.ts';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { archiveRuns, ownFolder } from '../../../test/support/archive-runs.ts';
import { askedIds } from '../../../test/support/asked-ids.ts';
import { startVersitygw } from '../../../test/support/versitygw.ts';
import { createCopies } from './copies.ts';
import { createSegments } from './segments.ts';

const never = new AbortController().signal;
const gateway = await startVersitygw();
afterAll(gateway.stop);

/** An application whose files for questions are in a bucket. */
async function start() {
  const prefix = `p${process.hrtime.bigint()}`;
  const bucket = { ...gateway.target, prefix };
  const objects = openArchiveFolder(bucket);
  onTestFinished(objects.close);
  const runs = await archiveRuns();
  const { application, domain, store, run } = runs;
  const startRun = async () =>
    void (await run(await store.askedArchives.ask(application), { objects: openArchiveFolder(bucket) }));

  /** A query worker that has no copies yet. */
  function worker() {
    const copies = createCopies({ objects, folder: ownFolder(), mostBytes: 1024 ** 2 });
    const { segmentsOf } = createSegments({ store, startRun, folder: copies, freshMs: 0 });
    return async () => askedIds(await segmentsOf(application, domain, never));
  }

  const names = async () => (await Array.fromAsync(objects.list('_questions/'))).map(({ name }) => name);
  return { ...runs, bucket, objects, worker, names };
}

it('has every entry once, whichever worker is asked', async () => {
  const { insert, store, application, storedIds, worker } = await start();
  const [one, other] = [worker(), worker()];
  for (let round = 0; round < 10; round++) {
    await insert(3);
    if (round % 3 === 2) await store.deletions.removeOne(application, (await storedIds())[round] as string);
    expect(await (round % 2 ? one : other)()).toEqual(await storedIds());
  }
  expect([await one(), await other()]).toEqual([await storedIds(), await storedIds()]);
});

it('begins anew where a file of the bucket is gone, or not as it was', async () => {
  const { insert, objects, storedIds, worker, names } = await start();
  await insert(3);
  const damages = [objects.remove, (name: string) => objects.replace(name, whole(Buffer.from('other')))];
  for (const damage of damages) {
    expect(await worker()()).toEqual(await storedIds());
    for (const name of await names()) if (/entries.*parquet$/.test(name)) await damage(name);
    const next = worker();
    await expect(next()).rejects.toThrow('are being prepared anew');
    expect(await next()).toEqual(await storedIds());
  }
});

it('does not tell who asks about the bucket', async () => {
  const { insert, bucket, store, application, domain, worker } = await start();
  await insert(1);
  await worker()();
  const objects = openArchiveFolder({ ...bucket, secretAccessKey: 'another' });
  onTestFinished(objects.close);
  const copies = createCopies({ objects, folder: ownFolder(), mostBytes: 1024 ** 2 });
  const { segmentsOf } = createSegments({ store, startRun: async () => {}, folder: copies });
  const asked = segmentsOf(application, domain, never);
  await expect(asked).rejects.toMatchObject({
    message: 'the files of the entries cannot be read now: ask again',
    cause: { message: expect.stringContaining('the access key id in ARCHIVE_ACCESS_KEY_ID') },
  });
});

it('has no files of an archive that is gone', async () => {
  const { insert, bucket, store, application, worker, names } = await start();
  await insert(1);
  await worker()();
  await createCleanAsked(store, bucket)();
  expect(await names()).not.toEqual([]);
  await store.askedArchives.forget(application);
  await createCleanAsked(store, bucket)();
  expect(await names()).toEqual([]);
});
