import { folderStore } from '@sluice/objects/folder-store.ts';
import { readLive } from '@sluice/objects/lake/live-manifests.ts';
import { type ArchiveRecord, folderOf } from '@sluice/store/archives/archive-records.ts';
import { expect, it } from 'vitest';
import { archiveRuns } from '../../../../test/support/archive-runs.ts';
import { startQuickWorker } from '../../../../test/support/quick-start.ts';
import { ownStores, until } from '../../../../test/support/sluice.ts';

it('a worker merges behind its runs what they have stored', async () => {
  const { store, application, domain, insert, root, url } = await archiveRuns();
  const env = { ...(ownStores() as Record<string, string>), MONGODB_URL: url, ARCHIVE_FOLDER: root };
  await startQuickWorker('export-worker', env);
  const { id } = await store.askedArchives.ask(application);
  const current = async () => (await store.archives.get(application, id)) as ArchiveRecord;
  for (let run = 1; run <= 8; run++) {
    await insert(run);
    await store.archives.hurry(application, id);
    await until(async () => (await current()).run > run);
  }
  const live = async () => {
    const archive = await current();
    return (await readLive(folderStore(root), folderOf(archive, domain), archive, new Map())) ?? [];
  };
  await until(async () => (await live()).length === 1);
  const [merged] = await live();
  expect(merged?.files.reduce((sum, { entries }) => sum + entries, 0)).toBe(36);
});
