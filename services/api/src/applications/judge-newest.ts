import { createEntryReader, idOf, senderIn } from '@sluice/bson/entry.ts';
import type { Intake } from '@sluice/intake/intake.ts';
import { createKeyCounts } from '@sluice/intake/key-counts.ts';
import type { Judged } from '@sluice/intake/line.ts';
import { reasonOf } from '@sluice/intake/refused/refused-upload.ts';
import type { KeyRefusals } from '@sluice/jobs/record/chunk-records.ts';
import { unexplained } from '@sluice/schemas/explain/issue.ts';
import { isBusy } from '@sluice/shared/errors.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import type { EntryId } from '@sluice/store/entries/entry-id.ts';
import { readDocument } from '@sluice/store/entries/read-document.ts';
import type { Dependencies } from '../dependencies.ts';
import { createSlices } from '../http/slices.ts';
import { createDryValidator, type Proposed, toIntake } from '../known/proposed-intake.ts';

export const mostEntries = 10_000;
const pageEntries = 500;
/** Then the counts are of what was validated. */
const mostMs = 5_000;
/** Of each key: more explanations hardly change which pointers are most frequent. */
const explainedPerKey = 20;

interface NewestJudged {
  checked: number;
  refused: number;
  by_key: KeyRefusals[];
}

/** Validates the newest entries with a proposed schema, one application at a time, in slices. */
export function createJudgeNewest({
  store: { rawEntries, senders },
  capacity: { dryRuns, largeUploads },
  explainer,
}: Pick<Dependencies, 'store' | 'capacity' | 'explainer'>) {
  const read = createEntryReader();
  const validator = createDryValidator({ largeUploads });

  /** Undefined if too much waits for the validator. */
  async function validate(intake: Intake, document: Buffer): Promise<Judged | undefined> {
    try {
      return await validator.validate(intake, Buffer.from(JSON.stringify(readDocument(document).payload)));
    } catch (error) {
      if (isBusy(error)) return undefined;
      throw error;
    }
  }

  async function judge(application: string, intake: Intake, signal: AbortSignal): Promise<NewestJudged> {
    const keys = createKeyCounts();
    const explained = new Map<string | null, number>();
    const counts = { checked: 0, refused: 0 };
    const end = performance.now() + mostMs;
    const slices = createSlices();
    const result = () => ({ ...counts, by_key: keys.tell() });

    async function explain(key: string | null, fate: Extract<Judged, { kind: 'refused' }>): Promise<void> {
      const done = explained.get(key) ?? 0;
      explained.set(key, done + 1);
      const reason = done < explainedPerKey ? reasonOf(await fate.explain()) : undefined;
      keys.refuse(key, reason?.keyword === unexplained.keyword ? undefined : reason?.path);
    }

    let before: EntryId | undefined;
    while (counts.checked < mostEntries) {
      const documents = await rawEntries.newest(application, { before, limit: pageEntries });
      const last = documents.at(-1);
      if (!last) return result();
      before = idOf(last);
      const numbers = documents.map((document) => senderIn(read(document)));
      const known = await senders.byNumber(application, numbers);
      const explaining: Promise<void>[] = [];
      let isCut = false;
      slices.restart();
      for (const [at, document] of documents.entries()) {
        await slices.rest();
        const isLate = performance.now() > end || signal.aborted;
        const fate = isLate ? undefined : await validate(intake, document);
        isCut = !fate;
        if (!fate) break;
        const key = known.get(numbers[at] as number)?.key ?? null;
        keys.check(key);
        counts.checked += 1;
        if (fate.kind === 'accepted') continue;
        counts.refused += 1;
        explaining.push(explain(key, fate));
      }
      await Promise.all(explaining);
      if (isCut) break;
    }
    return result();
  }

  return {
    /** `client` waits for its turn. Throws ApiError after a long wait. */
    judge: (application: ApplicationRecord, client: string, proposed: Proposed, signal: AbortSignal) =>
      dryRuns.runInFairOrder(client, () =>
        judge(application.id, toIntake(explainer, application.domain, client, proposed), signal),
      ),
    close: validator.close,
  };
}
