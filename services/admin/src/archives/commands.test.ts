import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ArchiveRecord } from '@sluice/store/archives/archive-records.ts';
import { expect, it } from 'vitest';
import { admin } from '../../../../test/support/admin-command.ts';
import { archiveRuns } from '../../../../test/support/archive-runs.ts';
import { manifestsIn } from '../../../../test/support/lake.ts';

it('compacts and verifies archives', async () => {
  const { db, store, application, domain, folder, root, url, ...runs } = await archiveRuns();
  const archive = await runs.create();
  await runs.insert(1_500);
  await runs.run(archive);
  const [id] = await runs.storedIds();
  await store.deletions.removeOne(application, id as string);
  await runs.run(archive);
  const tell = (...args: string[]) =>
    admin({ MONGODB_URL: url, ARCHIVE_FOLDER: root }, ['archives', ...args]);
  expect(await tell('verify', domain)).toEqual({
    code: 0,
    stdout: `${domain}, archive ${archive.id}: 1,499 entries, equal\n`,
    stderr: '',
  });
  expect((await tell('compact')).stdout).toMatch(
    /^a-abc234, archive [0-9a-f]{24}: 1 deleted entries taken out, 1 files rewritten, 0 removed, [\d,]+ bytes freed\n$/,
  );
  const equal = `${domain}, archive ${archive.id}: 1,499 entries, equal\n`;
  expect((await tell('verify')).stdout).toBe(equal);
  const bucket = { kind: 's3', bucket: 'lake', accessKeyId: 'key', secret: 'sealed' } as const;
  const { id: unread } = (await store.archives.create(
    application,
    { to: bucket, format: 'csv', every: '1h', from: 'beginning', covers: { announced: 0 }, createdBy: 'b' },
    3,
  )) as ArchiveRecord;
  const other = await tell('verify');
  const named = `${domain}, archive ${unread}: the key of the bucket lake cannot be decrypted`;
  expect([other.code, other.stdout, other.stderr]).toEqual([
    1,
    equal,
    expect.stringMatching(`^${named}.*\nsluice-admin: archives differ`),
  ]);
  const compaction = await tell('compact');
  expect([compaction.code, compaction.stdout, compaction.stderr]).toEqual([
    1,
    expect.stringContaining(`${domain}, archive ${archive.id}: 0 deleted entries taken out`),
    expect.stringMatching(`^${named}.*\nsluice-admin: some archives could not be compacted\n$`),
  ]);
  await store.archives.remove(application, unread);
  const { name = '' } = manifestsIn(folder)[0]?.files[0] ?? {};
  rmSync(join(folder, name));
  const { code, stdout, stderr } = await tell('verify');
  expect([code, stderr]).toEqual([1, 'sluice-admin: archives differ from MongoDB, or cannot be read\n']);
  expect(stdout).toContain(`${domain}/${name} is missing`);
  expect((await tell('verify', 'none')).stderr).toContain('application none was not found');
});
