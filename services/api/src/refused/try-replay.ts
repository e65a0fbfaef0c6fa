import type { Intake } from '@sluice/intake/intake.ts';
import { amendRefused } from '@sluice/intake/refused/amend.ts';
import type { Amendments } from '@sluice/intake/refused/amendments.ts';
import type { ReplayOptions } from '@sluice/jobs/record/job-records.ts';
import { applicationNotFound } from '@sluice/shared/errors.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import type { RefusedRecord } from '@sluice/store/refused/refused-records.ts';
import type { Dependencies } from '../dependencies.ts';
import { createSlices } from '../http/slices.ts';
import { createDryValidator, type Proposed, toIntake } from '../known/proposed-intake.ts';

export const mostTried = 1_000;
const mostPairs = 10;
/** After this time, the counts are of the uploads that were validated so far. */
const mostMs = 2_000;

type Outcome = { json: string } & ({ ok: true } | { ok: false; explain(): Promise<object> });

/** Shows what a replay would do with the oldest uploads. Answers are JSON text, as payloads keep their digits. */
export function createTryReplay({
  store: { replays },
  cache,
  capacity: { dryRuns, largeUploads },
  explainer,
}: Pick<Dependencies, 'store' | 'cache' | 'capacity' | 'explainer'>) {
  const validator = createDryValidator({ largeUploads });

  async function outcomeOf(upload: RefusedRecord, intake: Intake, amendments: Amendments): Promise<Outcome> {
    const { payload, truncated } = upload;
    const amended = amendRefused(upload, amendments);
    if (!amended.ok) {
      const { message } = amended;
      return {
        json: truncated ? JSON.stringify(payload) : payload,
        ok: false,
        explain: async () => ({ message }),
      };
    }
    const { json } = amended;
    const fate = await validator.validate(intake, Buffer.from(json));
    if (fate.kind === 'accepted') return { json, ok: true };
    return {
      json,
      ok: false,
      explain: () => fate.explain().then(({ name, message, details }) => ({ name, message, details })),
    };
  }

  async function pairOf({ payload, truncated }: RefusedRecord, outcome: Outcome): Promise<string> {
    const { json, ok } = outcome;
    const rest = ok ? { ok } : { ok, error: await outcome.explain() };
    const before = truncated ? JSON.stringify(payload) : payload;
    return `${JSON.stringify(rest).slice(0, -1)},"before":${before},"after":${json}}`;
  }

  async function tryAll(
    intake: Intake,
    id: string,
    options: ReplayOptions,
    amendments: Amendments,
    signal: AbortSignal,
  ) {
    const counts = { checked: 0, conforming: 0 };
    const pairs: Promise<string>[] = [];
    const slices = createSlices();
    const end = performance.now() + mostMs;
    const result = async () =>
      `${JSON.stringify(counts).slice(0, -1)},"pairs":[${(await Promise.all(pairs)).join(',')}]}`;
    for (let after: string | undefined; ; ) {
      const uploads = await replays.next(id, { ...options, after }, mostTried - counts.checked);
      if (uploads.length === 0) return result();
      for (const upload of uploads) {
        await slices.rest();
        if (performance.now() > end || signal.aborted) return result();
        const outcome = await outcomeOf(upload, intake, amendments);
        counts.checked += 1;
        if (outcome.ok) counts.conforming += 1;
        if (pairs.length < mostPairs) pairs.push(pairOf(upload, outcome));
        after = upload.id;
      }
      if (counts.checked === mostTried) return result();
    }
  }

  return {
    /** With the schema in force, or one that is proposed. `client` waits for its turn. Throws ApiError after a long wait. */
    async outcome(
      { id, domain }: Pick<ApplicationRecord, 'id' | 'domain'>,
      client: string,
      {
        options,
        amendments,
        proposed,
      }: { options: ReplayOptions; amendments: Amendments; proposed?: Proposed | undefined },
      signal: AbortSignal,
    ): Promise<string> {
      const intake = proposed ? toIntake(explainer, domain, client, proposed) : await cache.get(domain);
      if (!intake) throw applicationNotFound(domain);
      return dryRuns.runInFairOrder(client, () => tryAll(intake, id, options, amendments, signal));
    },

    close: validator.close,
  };
}
