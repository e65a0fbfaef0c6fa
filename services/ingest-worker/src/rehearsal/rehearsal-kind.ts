import { setImmediate as breathe } from 'node:timers/promises';
import { createEntryReader, idOf, senderIn, timeOf } from '@sluice/bson/entry.ts';
import { createKeyCounts } from '@sluice/intake/key-counts.ts';
import type { Refusal, RefusedLine } from '@sluice/intake/line.ts';
import { otherReason } from '@sluice/intake/refused/counts.ts';
import { nameOf, reasonOf } from '@sluice/intake/refused/refused-upload.ts';
import { createJudge, type Judge, judgePayload, validatePayload } from '@sluice/intake/validate-payload.ts';
import type { Store } from '@sluice/jobs/connect.ts';
import { JobFailed, type JobKind } from '@sluice/jobs/kind.ts';
import type { ClaimedRange, ReasonGroup } from '@sluice/jobs/record/chunk-records.ts';
import type { RehearsalJob } from '@sluice/jobs/record/job-records.ts';
import type { Compiler } from '@sluice/schemas/compile/compiler.ts';
import type { Explainer } from '@sluice/schemas/explain/explainer.ts';
import { readAhead } from '@sluice/store/entries/read-ahead.ts';
import { readPayloadOf } from '@sluice/store/entries/read-document.ts';
import type { RefusedRecord } from '@sluice/store/refused/refused-records.ts';
import { type ChunkTask, type Done, inChunks, type Steps } from '../chunks/in-chunks.ts';
import { createReport, shown } from '../report.ts';

interface Dependencies {
  store: Pick<Store, 'applications' | 'chunks' | 'jobs' | 'parts' | 'rawEntries' | 'refused' | 'senders'>;
  compiler: Compiler;
  explainer: Explainer;
  leaseMs: number;
}

/** Validates stored entries and refused uploads with a proposed schema. */
export function rehearsalKind({ store, compiler, explainer, leaseMs }: Dependencies): JobKind<RehearsalJob> {
  const { chunks } = store;
  const checkChunk = createCheckChunk(store);

  const task: ChunkTask<RehearsalJob, ClaimedRange, Judge> = {
    kind: 'rehearsal',
    claim: chunks.claimRange,

    async load({ owner, options }) {
      const compiled = await compiler.compile(options.rawSchema, { client: owner });
      // The proposed schema compiled before, so the cause is time or memory.
      if (!compiled.ok) throw new JobFailed(`the schema cannot be compiled now: ${compiled.problem}`);
      return createJudge(explainer, { domain, client: owner, schema: compiled.schema });
    },

    process: (chunk, { job, loaded }, steps) => checkChunk({ chunk, job, judge: loaded }, steps),

    async result({ id }) {
      const { accepted, rejected } = await chunks.totals(id);
      const groups = createGroups();
      for await (const group of chunks.groups(id)) groups.add(group);
      const keys = createKeyCounts();
      for await (const key of chunks.keys(id)) keys.add(key);
      const checked = accepted + rejected;
      const result = { checked, conforming: accepted, groups: groups.list(), by_key: keys.tell() };
      return { accepted, rejected, done: checked, total: checked, result };
    },
  };
  return inChunks(store, leaseMs, task);
}

const pageEntries = 2_000;
/** Other work of the process runs after this time. */
const stepMs = 5;
const exampleBytes = 1_024;

interface Task {
  chunk: ClaimedRange;
  job: RehearsalJob;
  judge: Judge;
}

interface EntryCheck {
  /** Id of the ingest key with which it was sent; null: without one. */
  key: string | null;
  check(): Nonconforming | undefined;
}

/** Validates entries, or refused uploads; changes nothing. */
function createCheckChunk({
  rawEntries,
  refused,
  senders,
}: Pick<Store, 'rawEntries' | 'refused' | 'senders'>) {
  const read = createEntryReader();

  /** One call for all entries of a page. */
  async function checksOfPage({ job, judge }: Task, documents: Buffer[]): Promise<EntryCheck[]> {
    const numbers = documents.map((document) => senderIn(read(document)));
    const known = await senders.byNumber(job.application, numbers);
    return documents.map((document, at) => ({
      key: known.get(numbers[at] as number)?.key ?? null,
      check: () => checkEntry(judge, document),
    }));
  }

  /** Yields checks in pages: an await per check would cost as much as the check. */
  async function* checksOf(task: Task): AsyncGenerator<EntryCheck[]> {
    const { chunk, job, judge } = task;
    const { application, options } = job;
    if (chunk.range) {
      const { from, to } = options;
      const which = { from, to, after: chunk.range.after, until: chunk.range.until };
      for await (const { documents } of readAhead(rawEntries, application, which, () => pageEntries))
        yield await checksOfPage(task, documents);
    } else
      for await (const record of refused.all(application, { ...options, reason: 'schema' }))
        if (!record.truncated) yield [{ key: keyOf(record), check: () => checkRefused(judge, record) }];
  }

  return async (task: Task, { onStep }: Steps): Promise<Done> => {
    const report = createReport();
    const groups = createGroups();
    const keys = createKeyCounts();
    let lines = 0;
    let noted = Promise.resolve();
    let began = performance.now();

    function note(refusal: Refusal, line: number, key: string | null, found: Nonconforming): void {
      const { json, head } = found;
      const source = { bytes: json, as: 'json' } as const;
      report.add(line, refusal, source, head);
      const told = reasonOf(refusal);
      keys.refuse(key, told?.path);
      const { message: _, ...reason } = told ?? otherReason;
      groups.add({ ...reason, count: 1, example: shown(source, exampleBytes) });
    }

    for await (const checks of checksOf(task))
      for (const { key, check } of checks) {
        const found = check();
        keys.check(key);
        if (found) {
          // The explainer answers many at once.
          const explaining = found.refused.explain();
          const line = lines;
          noted = noted.then(async () => note(await explaining, line, key, found));
        }
        lines += 1;
        if (performance.now() - began < stepMs) continue;
        onStep(lines);
        await Promise.all([breathe(), noted]);
        began = performance.now();
      }
    await noted;
    const rejected = report.rows();
    return {
      lines,
      accepted: lines - rejected,
      rejected,
      groups: groups.list(),
      keys: keys.list(),
      report: await report.finish(),
    };
  };
}

/** Name of the schema's owner in messages. */
const domain = 'the rehearsal';

interface Nonconforming {
  refused: Pick<RefusedLine, 'explain'>;
  json: Buffer;
  /** The other fields of the row in the report. */
  head: object;
}

/** Undefined if the entry conforms. */
function checkEntry(judge: Judge, document: Buffer): Nonconforming | undefined {
  const payload = readPayloadOf(document);
  const refused = judgePayload(judge, payload);
  if (!refused) return undefined;
  return {
    refused,
    json: refused.payload,
    head: { id: idOf(document), createdAt: new Date(timeOf(document)).toISOString() },
  };
}

/** A personal token is no key. */
const keyOf = ({ key, user }: RefusedRecord): string | null => (user ? null : (key ?? null));

/** Undefined if the upload conforms. */
function checkRefused(judge: Judge, { id, at, payload }: RefusedRecord): Nonconforming | undefined {
  const json = Buffer.from(payload);
  const fate = validatePayload(judge, json);
  if (fate.kind === 'accepted') return undefined;
  return { refused: fate, json, head: { id, createdAt: at.toISOString(), refused: true } };
}

const mostGroups = 1_000;

/** Counts nonconforming payloads by reason, with the first example of each reason. */
function createGroups() {
  const groups = new Map<string, ReasonGroup>();
  let rest: ReasonGroup | undefined;

  return {
    add(group: ReasonGroup): void {
      const { keyword, count, example } = group;
      const name = nameOf(group);
      const known = groups.get(name);
      if (known) known.count += count;
      else if (groups.size < mostGroups && keyword !== otherReason.keyword) groups.set(name, { ...group });
      else if (rest) rest.count += count;
      else rest = { path: otherReason.path, keyword: otherReason.keyword, count, example };
    },

    /** Most frequent first. */
    list: (): ReasonGroup[] =>
      [...groups.values(), ...(rest ? [rest] : [])].sort((a, b) => b.count - a.count),
  };
}
