import { text } from 'node:stream/consumers';
import type { Store } from '@sluice/jobs/connect.ts';
import { erasuresOfBackup, type KnownErasure } from '@sluice/jobs/record/erasures-of-backup.ts';
import { parseJson } from '@sluice/json/parse-json.ts';
import { AdminError } from '../admin-error.ts';
import type { AdminTerminal } from '../terminal.ts';
import { openPlace } from './place.ts';
import { openArchive } from './read-archive.ts';
import type { BackupSource } from './source.ts';

/** The erasures that a backup knows. Throws AdminError. */
export async function erasuresIn(source: BackupSource): Promise<KnownErasure[]> {
  const found = erasuresOfBackup();
  for await (const block of (await openArchive(source())).blocks) found.add(block);
  return found.all();
}

/** The erasures whose records archives have stored below a place. Throws AdminError. */
export async function erasuresAt(place: string, env: AdminTerminal['env']): Promise<KnownErasure[]> {
  const objects = openPlace(place, env);
  if (!objects) throw new AdminError(`${place} is no folder`);
  const found: KnownErasure[] = [];
  try {
    for await (const { name } of objects.list('')) {
      if (!/(^|\/)_erasures\/[0-9a-f]{24}\.json$/.test(name)) continue;
      const pieces = await objects.read(name);
      if (pieces) found.push(parse(name, await text(pieces)));
    }
  } finally {
    objects.close();
  }
  return found;
}

function parse(name: string, json: string): KnownErasure {
  try {
    const { hashes, at, ...record } = parseJson(json) as NonNullable<KnownErasure['record']> & {
      hashes: string[];
    };
    const { id, application } = record;
    const isRight = [id, application].every((one) => /^[0-9a-f]{24}$/.test(one));
    if (!isRight || !hashes.every((hash) => /^[0-9a-f]{32}$/.test(hash))) throw new TypeError();
    return {
      id,
      application,
      hashes: Buffer.from(hashes.join(''), 'hex'),
      record: { ...record, at: new Date(at) },
    };
  } catch {
    throw new AdminError(`${name} is not the record of an erasure`);
  }
}

/** Erases again what the restored backup does not know as erased, with all jobs of the application. Returns what to tell. */
export async function applyErasures(
  { applications, chunks, deliveries, erased, jobs, parts }: Store,
  known: KnownErasure[],
): Promise<string | undefined> {
  const sums = { erasures: 0, entries: 0, refused: 0, jobs: 0 };
  for (const { id, application, hashes, record } of known) {
    const found = await applications.byId(application);
    if (!found) continue;
    const own = Buffer.concat(await Array.fromAsync(erased.hashesOf({ application, id })));
    if (own.length >= hashes.length) continue;
    const removed = await erased.eraseAgain(application, hashes);
    await deliveries.forget(application);
    const removedJobs = await jobs.erasures.clear(application);
    for (const job of removedJobs) {
      await chunks.remove(job);
      await parts.sweep(job);
    }
    await erased.adopt({ application, id }, hashes);
    if (record) await jobs.erasures.adopt({ ...record, owner: found.owner.id });
    sums.erasures += 1;
    sums.entries += removed.entries;
    sums.refused += removed.refused;
    sums.jobs += removedJobs.length;
  }
  const { erasures, entries, refused } = sums;
  if (erasures === 0) return undefined;
  return `Applied ${erasures} erasures that the backup does not know: ${entries} entries, ${refused} refused uploads and ${sums.jobs} jobs removed`;
}
