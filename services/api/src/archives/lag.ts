import type { ArchiveRecord } from '@sluice/store/archives/archive-records.ts';
import type { RawEntries } from '@sluice/store/entries/raw-entries.ts';

/** For how many seconds, at most, an acknowledged entry waits that no run has. */
export async function lagOf(
  rawEntries: Pick<RawEntries, 'oldestAfter'>,
  { application, covers, lastRun, late, createdAt }: ArchiveRecord,
): Promise<number> {
  const oldest = await rawEntries.oldestAfter(application, covers.until);
  const waiting = [oldest, late?.at].filter((at) => at !== undefined).map(Number);
  if (waiting.length === 0) return 0;
  // The last run has all that was stored before it was planned, so what waits came later, whatever its time.
  const since = Math.max(Math.min(...waiting), Number(lastRun?.plannedAt ?? createdAt));
  return Math.max(Math.floor((Date.now() - since) / 1_000), 0);
}
