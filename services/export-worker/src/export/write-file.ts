import { setImmediate as breathe } from 'node:timers/promises';
import type { Store } from '@sluice/jobs/connect.ts';
import type { Turn } from '@sluice/jobs/kind.ts';
import type { ExportJob, Position } from '@sluice/jobs/record/export-record.ts';
import type { Manifest } from '@sluice/jobs/record/job.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import { selectionOf } from '@sluice/store/entries/entry-filter.ts';
import { type EntryId, timeOfId } from '@sluice/store/entries/entry-id.ts';
import { idOf } from '@sluice/store/entries/raw-document.ts';
import { UnknownField } from '../formats/format.ts';
import { createCommits } from './commits.ts';
import { createDiscover } from './discover.ts';
import type { FileHashes } from './file-hashes.ts';
import { addUnlessLate, createLeaveOut } from './leave-out.ts';
import { createFormat, knownColumns } from './open-format.ts';
import { readPages } from './read-pages.ts';
import { watchOthers } from './watch-others.ts';

/** So much of what is read is converted at a time: meanwhile nothing more comes in, and MongoDB waits. */
const stepBytes = 32 * 1024;
/** The first part is small, so that a client that waits has it soon; then four times as large each. */
const firstRows = 200;
const partBytes = 3 * 1024 ** 2;

/** The application is: whoever reads the file must not take it for whole. */
export class Deleted extends Error {}

interface Dependencies {
  store: Store;
  hashes: FileHashes;
  log: Logger;
}

/** Writes the file of an export from where it stands. Resolves with its manifest, or 'unfinished' to give way to another owner. */
export function createWriteFile({ store, hashes, log }: Dependencies) {
  const { applications, entries, jobs, parts, rawEntries } = store;
  const leaveOut = createLeaveOut({ store, log });
  const discover = createDiscover({ store, leaveOut });

  /** For the progress alone, so nothing waits for it, and its failure is not the export's. */
  async function count({ id, application, cut, options }: ExportJob, passes: number): Promise<void> {
    if (!cut) return;
    try {
      const total = await entries.count(application, selectionOf(options), cut.until);
      await jobs.setTotal(id, passes * total);
    } catch (error) {
      log.debug({ event: 'export.uncounted', job: id, reason: (error as Error).message });
    }
  }

  return async function writeFile(
    job: ExportJob,
    turn: Pick<Turn, 'checkLease' | 'signal'>,
  ): Promise<Manifest | 'unfinished'> {
    const application = await applications.byId(job.application);
    if (!application) throw new Deleted();
    const known = await knownColumns(store, application, job);
    const found = await discover(job, known, turn);
    if (found === 'unfinished') return found;
    const shape = found;
    const written = await jobs.partsOf(job.id);
    const format = await createFormat({
      ...{ job, known, shape },
      notes: () => parts.notes(written.map(({ id }) => id)),
    });
    if (job.total === 0) void count(job, format.passes);
    const hash = hashes.begin(job.id, job.fence, written.length);
    const commits = createCommits({ store, job, hash });
    const others = watchOthers(store, job.owner);

    /** Of the first entry that this worker wrote. */
    let first: Date | undefined;
    /** The last one that is in the piece under way. */
    let last: Buffer | undefined;
    /** The last one that was looked at, where none behind it is in the piece. */
    let looked: EntryId | undefined;
    let rows = 0;
    let convertedBytes = 0;
    let rowLimit = written.length === 0 ? firstRows : Number.POSITIVE_INFINITY;
    let byteLimit = written.length === 0 ? partBytes / 16 : partBytes;
    let position: Position = job.position ?? { pass: 0, entries: 0 };

    /** Ends the piece under way; after a pass the next one begins behind it. */
    async function flush(isEndOfPass = false): Promise<void> {
      const { pass, entries } = position;
      position = {
        pass: isEndOfPass ? pass + 1 : pass,
        after: isEndOfPass ? undefined : (looked ?? (last ? idOf(last) : position.after)),
        entries: pass === 0 ? entries + rows : entries,
      };
      if (format.size() > 0) {
        const extent = { rows, position, first, last: last && timeOfId(idOf(last)) };
        await commits.add(await format.take(), extent);
      } else if (looked) await commits.move(position);
      rows = 0;
      last = undefined;
      looked = undefined;
      rowLimit = Number.POSITIVE_INFINITY;
      byteLimit = Math.min(4 * byteLimit, partBytes);
    }

    /** False when it gives way. */
    async function readPass(): Promise<boolean> {
      const { cut, options } = job;
      if (!cut) return true;
      for await (const page of readPages(rawEntries, job.application, {
        ...selectionOf(options),
        cut: { ...cut, seen: shape?.seen },
        after: position.after,
      })) {
        turn.checkLease();
        first ??= page.documents[0] && timeOfId(idOf(page.documents[0]));
        for (const document of page.documents) {
          const unknown = addUnlessLate(format.add, document);
          if (!unknown) {
            rows += 1;
            last = document;
            looked = undefined;
          }
          // Discovery saw all that has to be in the file, so what it did not see came later.
          const isSeen =
            unknown instanceof UnknownField ? job.options.arrays !== 'json' : shape !== undefined;
          if (unknown && !isSeen) await leaveOut(job, unknown);
          if (rows > 0 && (rows >= rowLimit || format.size() >= byteLimit)) await flush();
          convertedBytes += document.length;
          if (convertedBytes < stepBytes) continue;
          convertedBytes = 0;
          await breathe();
        }
        looked = page.last;
        if (others.haveWaited() || turn.signal.aborted) return false;
      }
      return true;
    }

    async function writeAll(): Promise<boolean> {
      for (let { pass } = position; pass < format.passes; pass = position.pass) {
        // Where some of its entries are written, another worker has opened it.
        if (position.after === undefined) format.open(pass);
        if (!(await readPass())) return false;
        format.close(pass);
        await flush(true);
      }
      return true;
    }

    try {
      const isWhole = await writeAll();
      // What is before the first entry of a pass is written again.
      if (!isWhole && (last || looked)) await flush();
      await commits.drain();
      if (!isWhole) return 'unfinished';
      // A purge begins after the tombstone: without one now, no entry was missing from what was read.
      if (!(await applications.byId(job.application))) throw new Deleted();
      return {
        rows: position.entries,
        ...commits.totals(),
        sha256: await hash.digest(turn.checkLease),
        columns: format.columns,
        ...(known.schemas.length > 1 && { versions: known.schemas.map((_, before) => before + 1) }),
      };
    } finally {
      others.stop();
      await commits.drain().catch(() => undefined);
    }
  };
}
