import { setImmediate as breathe } from 'node:timers/promises';
import { createLoadIntake, createRecordFields, type Intake } from '@sluice/intake/intake.ts';
import type { AcceptedLine, FailedLine, Fate, Refusal } from '@sluice/intake/line.ts';
import { fateOf } from '@sluice/intake/line-errors.ts';
import { amendRefused } from '@sluice/intake/refused/amend.ts';
import { type Amendments, readAmendments } from '@sluice/intake/refused/amendments.ts';
import { reasonOf, sizeOf } from '@sluice/intake/refused/refused-upload.ts';
import { onceBy } from '@sluice/intake/unique.ts';
import { validatePayload } from '@sluice/intake/validate-payload.ts';
import type { Store } from '@sluice/jobs/connect.ts';
import {
  ApplicationDeleted,
  claimInSession,
  type JobEnd,
  type JobKind,
  type SessionTurn,
} from '@sluice/jobs/kind.ts';
import type { ReplayJob } from '@sluice/jobs/record/job-records.ts';
import type { Compiler } from '@sluice/schemas/compile/compiler.ts';
import type { Explainer } from '@sluice/schemas/explain/explainer.ts';
import { unexplained } from '@sluice/schemas/explain/issue.ts';
import { type Before, type NewEntry, sentHash } from '@sluice/store/entries/entries.ts';
import type { RefusedRecord } from '@sluice/store/refused/refused-records.ts';
import {
  type NewReason,
  type ReplayedBatch,
  type ReplayResult,
  UploadsGone,
} from '@sluice/store/refused/replays.ts';

/** Other work of the process runs after this time. */
const stepMs = 5;
/** Limit of one transaction; the last upload may exceed it. */
const mostBytes = 1024 ** 2;

interface Dependencies {
  store: Pick<Store, 'applications' | 'batches' | 'entries' | 'fields' | 'jobs' | 'replays' | 'senders'>;
  compiler: Compiler;
  explainer: Explainer;
  leaseMs: number;
}

/** Validates refused uploads again. Each transaction stores a batch of them. */
export function replayKind({ store, compiler, explainer, leaseMs }: Dependencies): JobKind<ReplayJob> {
  const { applications, batches, entries, fields, jobs, replays, senders } = store;
  const loadIntake = createLoadIntake({ fields, compiler, explainer });
  const recordFields = createRecordFields(fields);

  /** Loads the version of the schema that is in force now, and which member is unique. */
  async function refresh(job: ReplayJob, known: Intake | undefined): Promise<Intake> {
    const application = await applications.byId(job.application);
    if (!application) throw new ApplicationDeleted();
    if (known?.version !== application.version) return loadIntake(application);
    known.unique = application.unique;
    return known;
  }

  /** Finds used keys before the uploads are validated: their entries may be older than the schema. */
  async function usedKeys(uploads: RefusedRecord[]): Promise<Map<string, Before['outcome']>> {
    const keyed = uploads.filter(({ idempotencyHash, truncated }) => idempotencyHash && !truncated);
    const sent = keyed.map(({ idempotencyHash, payload }) => ({
      once: [idempotencyHash as Buffer],
      json: Buffer.from(payload),
    }));
    const [first] = uploads;
    const before = first && sent.length > 0 ? await entries.before(first.application, sent) : [];
    const used = new Map(keyed.flatMap(({ id }, at) => (before[at] ? [[id, before[at].outcome]] : [])));
    // Other lines of batches have no keys of their own, but the batch has a record.
    const byBatch = Map.groupBy(uploads, ({ batch }) => batch?.idempotencyHash.toString('hex'));
    for (const lines of byBatch.values()) {
      const [{ batch, application }] = lines as [RefusedRecord];
      if (!batch) continue;
      const { known, first: place } = await batches.lookUp({ ...batch, application });
      const taken =
        place && (await entries.placesTaken(place, 1 + Math.max(...lines.map(({ line = 0 }) => line))));
      for (const { id, line = 0 } of lines)
        if (batch.atomic ? known === 'again' : taken?.includes(line)) used.set(id, 'repeated');
    }
    return used;
  }

  /** What becomes of an upload now, as a part of a batch or by its key. Undefined if it cannot be amended. */
  async function judge(
    upload: RefusedRecord,
    intake: Intake,
    amendments: Amendments,
    used: Before['outcome'] | undefined,
  ): Promise<Fate | undefined> {
    if (used === 'repeated') return fateOf(used);
    const amended = amendRefused(upload, amendments);
    if (!amended.ok) return undefined;
    const judged = validatePayload(intake.judge, Buffer.from(amended.json), (payload) =>
      recordFields.find(intake, payload),
    );
    if (judged.kind === 'refused' || !used) return judged;
    // The key was used for another payload, which the amended one may equal.
    const [before] = await entries.before(upload.application, [toEntry(upload, judged, intake)]);
    return before ? fateOf(before.outcome, intake.unique) : judged;
  }

  async function judgeAll(
    uploads: RefusedRecord[],
    intake: Intake,
    amendments: Amendments,
    numberOf: (upload: RefusedRecord) => Promise<number>,
  ): Promise<ReplayedBatch> {
    const batch: ReplayedBatch = { last: '', count: 0, repeated: [], conforming: [], refused: [] };
    const { version } = intake;
    const used = await usedKeys(uploads);
    const found = new Set<string>();
    const reasons: Promise<NewReason | undefined>[] = [];
    let bytes = 0;
    let began = performance.now();
    for (const [at, upload] of uploads.entries()) {
      const { id, line } = upload;
      const fate = await judge(upload, intake, amendments, used.get(id));
      switch (fate?.kind) {
        case 'repeated':
          batch.repeated.push(id);
          break;
        case 'conflicting':
          batch.refused.push(takenReason(upload, version));
          break;
        case 'duplicate':
          batch.refused.push(duplicateReason(upload, intake));
          break;
        case 'refused':
          // The explainer answers many at once.
          reasons.push(fate.explain().then((refusal) => newReason(upload, version, refusal)));
          break;
        case 'accepted': {
          for (const field of fate.fields) found.add(field);
          const by = await numberOf(upload);
          const entry = { ...toEntry(upload, fate, intake), by };
          const taken = takenReason(upload, version);
          const duplicate = intake.unique ? duplicateReason(upload, intake) : undefined;
          batch.conforming.push({ id, entry, line, batch: upload.batch, taken, duplicate });
          bytes += entry.json.length;
        }
      }
      Object.assign(batch, { last: id, count: at + 1 });
      // An amended upload may be longer.
      if (bytes > mostBytes) break;
      if (performance.now() - began < stepMs) continue;
      await breathe();
      began = performance.now();
    }
    for (const reason of await Promise.all(reasons)) if (reason) batch.refused.push(reason);
    await recordFields.record(intake, found);
    return batch;
  }

  async function replayAll(job: ReplayJob, { session, check, giveWay }: SessionTurn): Promise<JobEnd> {
    const { application, options } = job;
    const amendments = readAmendments(options);
    let { after } = job;
    const result: ReplayResult = { stored: 0, still_refused: 0, ...job.result };
    let intake: Intake | undefined;
    for (;;) {
      check();
      const uploads = await replays.next(application, { ...options, after });
      if (uploads.length === 0) return { result: { result } };
      intake = await refresh(job, intake);
      const batch = await judgeAll(uploads, intake, amendments, ({ key, user }) =>
        senders.numberOf(application, { source: 'replay', job: job.id, ...(user ? { user } : { key }) }),
      );
      check();
      try {
        const { count: done, last } = batch;
        const { stored, still_refused, repeated } = await replays.commit(
          session,
          application,
          batch,
          (result) => jobs.advance(job, { done, after: last, result }, session),
        );
        after = last;
        result.stored += stored;
        result.still_refused += still_refused;
        if (repeated) result.repeated = (result.repeated ?? 0) + repeated;
      } catch (error) {
        if (!(error instanceof UploadsGone)) throw error;
      }
      await giveWay();
    }
  }

  return { kind: 'replay', next: (job) => claimInSession(jobs, job, leaseMs, replayAll) };
}

function toEntry(
  { application, idempotencyHash, at, payload }: RefusedRecord,
  { json, bson, value }: AcceptedLine,
  intake: Intake,
): NewEntry {
  const isAmended = json.toString() !== payload;
  const once = onceBy(intake, value, idempotencyHash);
  const sent = once.once && isAmended ? sentHash(Buffer.from(payload)) : undefined;
  return { application, json, bson, ...once, sent, version: intake.version, receivedAt: at };
}

const keyIsTaken: Refusal = {
  name: 'ResourceConflictError',
  message: 'another payload is stored with the Idempotency-Key of this upload',
  details: [{ path: '', keyword: 'idempotencyKey', message: 'was used for another payload' }],
};

/** The reason if the key was used for another payload. */
const takenReason = (upload: RefusedRecord, version: number): NewReason =>
  newReason(upload, version, keyIsTaken) as NewReason;

/** The reason if another payload is stored with the unique value. */
function duplicateReason(upload: RefusedRecord, { version, unique }: Intake): NewReason {
  const { refusal } = fateOf('duplicate', unique) as FailedLine;
  return { ...(newReason(upload, version, refusal) as NewReason), reason: 'duplicate' };
}

/** Undefined if the former reason tells more. */
function newReason(upload: RefusedRecord, version: number, refusal: Refusal): NewReason | undefined {
  const told = reasonOf(refusal);
  if (!told || told.keyword === unexplained.keyword) return undefined;
  const { name, message, details } = refusal;
  const { message: _, ...group } = told;
  return { id: upload.id, version, name, message, ...sizeOf(upload.payload, details), ...group };
}
