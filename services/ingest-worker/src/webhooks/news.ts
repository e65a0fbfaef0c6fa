import type { Store } from '@sluice/jobs/connect.ts';
import { toJob } from '@sluice/jobs/record/to-job.ts';
import { changesBetween } from '@sluice/schemas/changes/changes-between.ts';
import { parseSchema } from '@sluice/schemas/schema.ts';
import { isOfJob, type WebhookEvent } from '@sluice/shared/webhook-events.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import { timeOfId } from '@sluice/store/entries/entry-id.ts';
import { PageTooLarge } from '@sluice/store/entries/read-page.ts';
import { sumOf } from '@sluice/store/refused/losses.ts';
import { minuteOf } from '@sluice/store/refused/refusal-counts.ts';
import type { NewDelivery } from '@sluice/store/webhooks/new-delivery.ts';
import type { Progress, TakenWebhook } from '@sluice/store/webhooks/webhook-records.ts';
import { most } from './content.ts';

/** A worker may record the end of a job so much later than it says. */
const lateJobMs = 60_000;
const minuteMs = 60_000;

export interface WebhookNews {
  progress: Partial<Progress>;
  made: NewDelivery[];
  /** There may be entries that cannot be told yet. */
  isOpen?: boolean;
}

/** Whom news are for. */
type Reader = Pick<TakenWebhook, 'events' | 'since' | 'refusals' | 'silence' | 'progress'>;

type Stores = Pick<Store, 'entries' | 'jobs' | 'schemas' | 'refusalCounts' | 'serving' | 'sources'>;

/** What there is to tell since the progress of a webhook, one kind of event after the other. */
export function createReadNews({ entries, jobs, schemas, refusalCounts, serving, sources }: Stores) {
  async function stored({ id }: ApplicationRecord, { progress }: Reader): Promise<WebhookNews> {
    const after = progress.entries;
    const sizes: number[] = [];
    const read = (limit: number) => {
      sizes.length = 0;
      return entries.forward(id, { start: 0, limit, after, onRead: (bytes) => void sizes.push(bytes) });
    };
    const page = await read(most.count).catch((error) => {
      if (error instanceof PageTooLarge) return read(error.fitting);
      throw error;
    });
    let bytes = 0;
    const fitting = page.entries.filter((_, at) => {
      bytes += sizes[at] ?? 0;
      return at === 0 || bytes <= most.bytes;
    });
    const last = fitting.at(-1);
    if (!last) return { progress: {}, made: [], isOpen: await entries.willHave(id, page.final) };
    const content = { entries: fitting.map(({ id }) => id) };
    return { progress: { entries: last.id }, made: [{ type: 'entries.stored', content }] };
  }

  async function ended({ id }: ApplicationRecord, { since: told, progress }: Reader): Promise<WebhookNews> {
    const since = new Date(progress.jobsSince.getTime() - lateJobMs);
    const known = new Set(progress.jobsTold);
    const found = (await jobs.endedSince(id, since)).map((job) => ({
      job,
      key: `${job.id} ${job.finishedAt?.getTime()}`,
      type: `${job.kind}.${job.state}` as WebhookEvent,
    }));
    const fresh = found.filter(({ key }) => !known.has(key)).slice(0, most.count);
    const latest = fresh.at(-1)?.job.finishedAt;
    if (!latest) return { progress: {}, made: [] };
    for (const { key } of fresh) known.add(key);
    const wanted = fresh.filter(({ job, type }) =>
      told.some(({ event, at }) => event === type && job.finishedAt && job.finishedAt >= at),
    );
    return {
      progress: {
        jobsSince: new Date(Math.max(latest.getTime(), progress.jobsSince.getTime())),
        jobsTold: found.map(({ key }) => key).filter((key) => known.has(key)),
      },
      made: wanted.map(({ job, type }) => {
        // A filter may have values of payloads.
        const { asked: _, ...told } = toJob(job);
        return { type, content: { data: { job: told } } };
      }),
    };
  }

  async function published(application: ApplicationRecord, { progress }: Reader): Promise<WebhookNews> {
    for (let version = progress.version + 1; version <= application.version; version++) {
      const [before, after] = [
        await schemas.of(application, version - 1),
        await schemas.of(application, version),
      ];
      if (!before || !after) continue;
      const changes = changesBetween(parseSchema(before.rawSchema), parseSchema(after.rawSchema));
      return {
        progress: { version },
        made: [{ type: 'schema.published', content: { data: { version, changes } } }],
      };
    }
    return { progress: {}, made: [] };
  }

  async function refused({ id }: ApplicationRecord, { refusals, progress }: Reader): Promise<WebhookNews> {
    if (!refusals) return { progress: {}, made: [] };
    const { count, minutes } = refusals;
    const from = new Date(minuteOf(Date.now() - (minutes - 1) * minuteMs));
    const missed = (await refusalCounts.since([id], from)).get(id);
    const found = missed?.refused ?? 0;
    const lost = sumOf(missed?.lost ?? {});
    const isOver = found + lost >= count;
    if (isOver === (progress.isOver ?? false)) return { progress: {}, made: [] };
    const content = { data: { refused: found, ...(lost > 0 && { lost }), minutes } };
    return { progress: { isOver }, made: isOver ? [{ type: 'refusals.threshold', content }] : [] };
  }

  async function silent({ id }: ApplicationRecord, { silence, progress }: Reader): Promise<WebhookNews> {
    const [source, served] = await Promise.all([sources.of(id), serving.read()]);
    if (!silence || !source || !served || served.servedMs < served.settledMs)
      return { progress: {}, made: [] };
    const { newest, sinceMs } = source;
    if (served.servedMs - sinceMs < silence * minuteMs || progress.toldSilence === sinceMs)
      return { progress: {}, made: [] };
    const data = { minutes: silence, ...(newest && { last_entry_at: timeOfId(newest).toISOString() }) };
    return { progress: { toldSilence: sinceMs }, made: [{ type: 'entries.silent', content: { data } }] };
  }

  const readers: [isOf: (event: WebhookEvent) => boolean, read: typeof stored][] = [
    [(event) => event === 'schema.published', published],
    [(event) => event === 'entries.stored', stored],
    [isOfJob, ended],
    [(event) => event === 'refusals.threshold', refused],
    [(event) => event === 'entries.silent', silent],
  ];

  return async function readNews(application: ApplicationRecord, reader: Reader): Promise<WebhookNews> {
    const all = { progress: {}, made: [] as NewDelivery[], isOpen: false };
    for (const [isOf, read] of readers) {
      if (!reader.events.some(isOf)) continue;
      const { progress, made, isOpen } = await read(application, reader);
      Object.assign(all.progress, progress);
      all.made.push(...made);
      all.isOpen ||= isOpen ?? false;
    }
    return all;
  };
}
