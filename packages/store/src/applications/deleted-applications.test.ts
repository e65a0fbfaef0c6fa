import { ObjectId } from 'mongodb';
import { expect, it } from 'vitest';
import { openStore, ownDatabase } from '../../../../test/support/own-database.ts';

const owner = { id: new ObjectId().toHexString(), username: 'ada' };

it('is either restored or purged, whoever comes first', async () => {
  const { db, url } = await ownDatabase();
  const { applications } = openStore(url);
  const fields = { owner, name: 'a', type: 'other', connectors: [], rawSchema: '{"type":"object"}' };
  const winners = new Set<string>();
  const race = async (domain: string) => {
    const created = await applications.create({ ...fields, domain });
    const removed = await applications.remove(domain, owner.id, 60_000);
    if (!created || !removed) throw new Error('none');
    const { id } = removed;
    await db.collection('applications').updateOne({ domain }, { $set: { purgeAt: new Date(0) } });
    const [isRestored] = await Promise.all([
      applications.restore(domain, owner.id),
      applications.beginPurge(id),
    ]);
    winners.add(isRestored ? 'restore' : 'purge');
    const restored = await applications.byDomain(domain);
    const tombstone = await applications.tombstone(id);
    if (isRestored) expect(restored?.revision).toBeGreaterThan(created.revision);
    expect(restored).toEqual(isRestored ? { ...created, revision: restored?.revision } : undefined);
    expect(tombstone === undefined).toBe(isRestored);
  };
  for (let n = 0; n < 3; n++) await Promise.all(Array.from({ length: 20 }, (_, at) => race(`a-${n}-${at}`)));
  expect(winners.size).toBeGreaterThan(0);
});

it('of a tombstone only the domain and its times are left', async () => {
  const { db, url } = await ownDatabase();
  const { applications } = openStore(url);
  const fields = { owner, name: 'a', type: 'other', connectors: [], rawSchema: '{}' };
  await applications.create({ ...fields, domain: 'at-once' });
  await applications.create({ ...fields, domain: 'later' });
  await applications.remove('at-once', owner.id, 0);
  const later = await applications.remove('later', owner.id, 60_000);
  await db.collection('applications').updateOne({ domain: 'later' }, { $set: { purgeAt: new Date(0) } });
  expect((await applications.unpurged(10)).length).toBe(2);
  await applications.beginPurge(later?.id as string);
  for (const tombstone of await db.collection('applications').find().toArray())
    expect(Object.keys(tombstone).sort()).toEqual(
      ['_id', 'changedAt', 'createdAt', 'deletedAt', 'domain', 'lastModifiedAt', 'owner'].sort(),
    );
  expect((await applications.unpurged(10)).length).toBe(2);
});
