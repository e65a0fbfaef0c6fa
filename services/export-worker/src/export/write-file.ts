import { setImmediate as breathe } from 'node:timers/promises';
import { idOf } from '@sluice/bson/entry.ts';
import type { Store } from '@sluice/jobs/connect.ts';
import { ApplicationDeleted, countTotal, type Turn } from '@sluice/jobs/kind.ts';
import { Postpone } from '@sluice/jobs/queue/consumer.ts';
import type { ExportJob, Position } from '@sluice/jobs/record/export-record.ts';
import type { Manifest } from '@sluice/jobs/record/job.ts';
import { untilPassed } from '@sluice/jobs/until-passed.ts';
import type { ObjectStore } from '@sluice/objects/object-store.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import { selectionOf } from '@sluice/store/entries/entry-filter.ts';
import { type EntryId, timeOfId } from '@sluice/store/entries/entry-id.ts';
import { LeaseLost } from '@sluice/store/under-lease.ts';
import { UnknownField } from '../formats/format.ts';
import { createCommits, type FileHashes } from './commits.ts';
import { addUnlessLate, createDiscover, createLeaveOut } from './discover.ts';
import { createFormat, knownColumns } from './open-format.ts';
import { createReadEntries, type ReadEntriesOptions } from './read-entries.ts';
import { createSenderNames } from './sender-names.ts';
import { createUpload } from './upload.ts';

/** Bytes converted between pauses: without a pause, nothing is received from MongoDB. */
const stepBytes = 32 * 1024;
/** The first part is small, so that a waiting client gets it soon. Each next part is four times as large. */
const firstRows = 200;
const partBytes = 3 * 1024 ** 2;

interface Dependencies extends ReadEntriesOptions {
  store: Store;
  hashes: FileHashes;
  log: Logger;
}

/** Writes the file of an export, after its last committed part. Throws Postpone when the export gives way. */
export function createWriteFile({ store, hashes, log, ...archived }: Dependencies) {
  const { applications, entries, horizon, jobs, parts, senders } = store;
  const leaveOut = createLeaveOut(store, log);
  const readEntries = createReadEntries({ store, ...archived });
  const discover = createDiscover(store, { readEntries, leaveOut });

  /** Decides whether the export follows entries into an archive, before it reads any. */
  async function followArchive(job: ExportJob, { retentionArchive }: ApplicationRecord): Promise<ExportJob> {
    if (!retentionArchive || job.followsArchive) return job;
    if (!(await jobs.exports.setFollowsArchive(job.id, job.fence))) throw new LeaseLost();
    return { ...job, followsArchive: true };
  }

  return async function writeFile(
    claimed: ExportJob,
    turn: Pick<Turn, 'check' | 'checkLease' | 'giveWay'>,
    objects?: ObjectStore,
  ): Promise<Manifest> {
    const application = await applications.byId(claimed.application);
    if (!application) throw new ApplicationDeleted();
    const job = await followArchive(claimed, application);
    const known = await knownColumns(store, application, job);
    const { cut, options, announced = 0 } = job;
    // Tables are read one after the other: nothing may come between.
    if (cut && options.arrays === 'rows')
      await untilPassed(
        horizon,
        { application: job.application, time: timeOfId(cut).getTime(), announced },
        turn,
      );
    const shape = await discover(job, known, turn);
    const written = await jobs.partsOf(job.id);
    const { textOf, learn } = createSenderNames(senders, job.application, options.meta);
    const format = await createFormat({
      job,
      known,
      shape,
      senderText: textOf,
      notes: () => parts.notes(written.map(({ id }) => id)),
    });
    const count = async (until: EntryId) =>
      format.passes * (await entries.count(job.application, selectionOf(options), until));
    // What is in an archive alone is counted only when it is read.
    if (cut && job.total === 0 && !application.archivedUntil)
      void countTotal(jobs, job, () => count(cut), log);
    const hash = hashes.begin(job.id, job.fence, job.bytes);
    const sink = objects
      ? await createUpload({ store, objects, job, written, hash, checkLease: turn.checkLease })
      : createCommits({ store, job, hash });

    /** Time of the first entry that this worker wrote. */
    let first: Date | undefined;
    /** The last entry in the current piece. */
    let last: Buffer | undefined;
    /** The last entry that was read, if no later entry is in the piece. */
    let looked: EntryId | undefined;
    let rows = 0;
    let convertedBytes = 0;
    let rowLimit = written.length === 0 ? firstRows : Number.POSITIVE_INFINITY;
    let byteLimit = written.length === 0 ? partBytes / 16 : partBytes;
    let position: Position = job.position ?? { pass: 0, entries: 0 };

    /** Ends the current piece. At the end of a pass, the next pass begins. */
    async function flush(isEndOfPass = false): Promise<void> {
      const { pass, entries } = position;
      position = {
        pass: isEndOfPass ? pass + 1 : pass,
        after: isEndOfPass ? undefined : (looked ?? (last ? idOf(last) : position.after)),
        entries: pass === 0 ? entries + rows : entries,
      };
      if (format.size() > 0) {
        const extent = { rows, position, first, last: last && timeOfId(idOf(last)) };
        await sink.add(await format.take(), extent);
      } else if (looked) sink.move(position);
      rows = 0;
      last = undefined;
      looked = undefined;
      rowLimit = Number.POSITIVE_INFINITY;
      byteLimit = Math.min(4 * byteLimit, partBytes);
    }

    async function readPass(): Promise<void> {
      if (!cut) return;
      for await (const page of readEntries(job, {
        ...selectionOf(options),
        until: cut,
        announced: job.announced,
        after: position.after,
      })) {
        await learn(page.documents);
        first ??= page.documents[0] && timeOfId(idOf(page.documents[0]));
        for (const document of page.documents) {
          const unknown = addUnlessLate(format.add, document);
          if (!unknown) {
            rows += 1;
            last = document;
            looked = undefined;
          }
          // Discovery saw all entries of the file, so an unknown field belongs to a later entry.
          const isSeen =
            unknown instanceof UnknownField ? job.options.arrays !== 'json' : shape !== undefined;
          if (unknown && !isSeen) await leaveOut(job, unknown);
          if (rows > 0 && (rows >= rowLimit || format.size() >= byteLimit)) await flush();
          convertedBytes += document.length;
          if (convertedBytes < stepBytes) continue;
          convertedBytes = 0;
          await breathe();
        }
        // The next page takes the memory of this one.
        last &&= Buffer.from(last);
        looked = page.last;
        turn.check();
        await turn.giveWay();
      }
    }

    async function writePasses(): Promise<void> {
      for (let { pass } = position; pass < format.passes; pass = position.pass) {
        // If the pass has entries already, another worker opened it.
        if (position.after === undefined) format.open(pass);
        await readPass();
        format.close(pass);
        await flush(true);
      }
    }

    try {
      await writePasses();
      await sink.drain();
    } catch (error) {
      if (!(error instanceof Postpone)) await sink.drain().catch(() => undefined);
      else {
        if (last || looked) await flush();
        await sink.save();
      }
      throw error;
    }
    // A purge begins after the deletion: if the application exists now, no entry was missing.
    if (!(await applications.byId(job.application))) throw new ApplicationDeleted();
    return {
      rows: position.entries,
      ...(await sink.end(turn.checkLease)),
      columns: format.columns,
      ...(known.schemas.length > 1 && { versions: known.schemas.map((_, before) => before + 1) }),
    };
  };
}
