type Service = 'API' | 'ingest worker' | 'export worker' | 'query worker';

export interface MetricDefinition {
  type: 'counter' | 'gauge' | 'histogram' | 'summary';
  labels: readonly string[];
  /** Upper bounds of a histogram. */
  buckets?: readonly number[];
  of: readonly Service[];
  help: string;
}

const all: readonly Service[] = ['API', 'ingest worker', 'export worker', 'query worker'];
const api: readonly Service[] = ['API'];
const workers: readonly Service[] = ['ingest worker', 'export worker'];
const compilers: readonly Service[] = ['API', 'ingest worker'];

/**
 * Every metric of Sluice. `npm run docs:config` writes them into docs/reference.md.
 *
 * Few buckets keep a process below 400 series.
 */
export const metricTable = {
  sluice_build_info: {
    type: 'gauge',
    labels: ['version'],
    of: all,
    help: 'Always 1; the label is the version.',
  },
  sluice_uploads_total: {
    type: 'counter',
    labels: ['mode', 'result'],
    of: api,
    help: 'Entries of uploads (`single`) and batches (`batch`): `stored`, `repeated` (a retry that was stored before), `refused` (4xx) or `failed` (5xx). A request that is refused as a whole counts once.',
  },
  sluice_upload_refusals_total: {
    type: 'counter',
    labels: ['reason'],
    of: api,
    help: 'Uploads and lines that were `refused` or `failed`, by the name of the error.',
  },
  sluice_uploads_lost_total: {
    type: 'counter',
    labels: ['kind'],
    of: api,
    help: 'Uploads and lines that were lost before they were validated: `not_json`, `too_large`, `media_type`, `no_key`, `wrong_key`, `rate` or `cut`.',
  },
  sluice_upload_duration_seconds: {
    type: 'histogram',
    labels: ['mode'],
    of: api,
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 1],
    help: 'Time from the head of an upload or a batch to the end of its answer.',
  },
  http_request_duration_seconds: {
    type: 'summary',
    labels: ['method', 'route', 'status'],
    of: api,
    help: 'The same of every request, as sum and count. `status` is `2xx`, `4xx` and so on. `route` is a pattern; `other` is what does not exist, and what comes after 90 pairs of route and status.',
  },
  sluice_commit_batch_documents: {
    type: 'histogram',
    labels: [],
    of: api,
    buckets: [1, 5, 20, 100, 500],
    help: 'Entries in one insert.',
  },
  sluice_commit_duration_seconds: {
    type: 'histogram',
    labels: ['result'],
    of: api,
    buckets: [0.005, 0.02, 0.05, 0.1, 0.5, 2],
    help: 'Time of one insert: `ok` or `failed`.',
  },
  sluice_commit_pending_bytes: {
    type: 'gauge',
    labels: [],
    of: api,
    help: 'Bytes of entries that are waiting or being inserted.',
  },
  sluice_commit_oldest_seconds: {
    type: 'gauge',
    labels: [],
    of: api,
    help: 'Age of the oldest upload that waits or is being inserted; 0 if there is none.',
  },
  sluice_schema_cache_lookups_total: {
    type: 'counter',
    labels: ['result'],
    of: api,
    help: 'Look-ups of an application: `hit`, `stale` (MongoDB was asked first what changed) or `miss`.',
  },
  sluice_schema_compile_duration_seconds: {
    type: 'histogram',
    labels: ['result'],
    of: compilers,
    buckets: [0.05, 1],
    help: 'Time of one schema, waiting included: `ok`, `refused` or `failed`.',
  },
  sluice_judge_disagreements_total: {
    type: 'counter',
    labels: ['way'],
    of: compilers,
    help: 'Payloads that only one of two validators refuses: `refused_by_judge` or `refused_by_ajv`. The first is what counts; any is a defect of Sluice or Ajv.',
  },
  sluice_limited_total: {
    type: 'counter',
    labels: ['limit', 'answer'],
    of: api,
    help: 'Requests refused by a [limit](#limits), such as `rate_uploads`, `quota_jobs`, `capacity_answers`; `answer` is 429 or 503.',
  },
  sluice_webhook_deliveries_total: {
    type: 'counter',
    labels: ['result'],
    of: ['ingest worker'],
    help: 'Requests to webhooks: `delivered` or `failed`, each try counted.',
  },
  sluice_mails_total: {
    type: 'counter',
    labels: ['result'],
    of: ['ingest worker'],
    help: 'Mails that were given to the SMTP server: `sent`, `refused` (for ever) or `failed`, each try counted.',
  },
  sluice_silent_applications: {
    type: 'gauge',
    labels: [],
    of: ['ingest worker'],
    help: 'Applications that had no entry for as long as an alert or a webhook of theirs says. All workers count the same.',
  },
  sluice_followers: {
    type: 'gauge',
    labels: [],
    of: api,
    help: 'Clients that follow an application with `…/data/live`.',
  },
  sluice_queue_jobs: {
    type: 'gauge',
    labels: ['queue', 'state'],
    of: workers,
    help: 'Jobs in Redis: `waiting`, `active`, `delayed`.',
  },
  sluice_queue_oldest_waiting_seconds: {
    type: 'gauge',
    labels: ['queue'],
    of: workers,
    help: 'How long the oldest of the next 100 jobs has waited; 0 if none waits.',
  },
  sluice_jobs_total: {
    type: 'counter',
    labels: ['kind', 'result'],
    of: workers,
    help: 'Jobs that this worker ended: `completed`, `failed` or `cancelled`.',
  },
  sluice_job_duration_seconds: {
    type: 'histogram',
    labels: ['kind'],
    of: workers,
    buckets: [0.1, 1, 10, 60, 600, 3_600],
    help: 'Time from the first start of a completed job to its end.',
  },
  sluice_jobs_requeued_total: {
    type: 'counter',
    labels: ['kind', 'cause'],
    of: workers,
    help: 'Jobs put back: `postponed` (more to do, or others first), `lease_lost`, `mongodb_away`, `error`, `stalled` (its worker died).',
  },
  sluice_worker_last_progress_timestamp_seconds: {
    type: 'gauge',
    labels: ['queue'],
    of: workers,
    help: 'When the worker last began or ended a job, or stored a part of one.',
  },
  sluice_mongo_pool_connections: {
    type: 'gauge',
    labels: ['state'],
    of: all,
    help: 'Connections to MongoDB: `idle`, `in_use`; `waiting` counts commands that wait for one.',
  },
  sluice_mongo_command_duration_seconds: {
    type: 'histogram',
    labels: ['command'],
    of: all,
    buckets: [0.01, 0.1],
    help: 'Time of one command, by its name; `other` for rare ones.',
  },
  sluice_mongo_primary_up: {
    type: 'gauge',
    labels: [],
    of: all,
    help: '1 if a primary answered within a second.',
  },
  sluice_redis_up: {
    type: 'gauge',
    labels: [],
    of: all,
    help: '1 if Redis answered within a second.',
  },
  sluice_redis_memory_ratio: {
    type: 'gauge',
    labels: [],
    of: all,
    help: 'Memory that Redis uses, as a part of its `maxmemory`; absent if it has none.',
  },
  sluice_backup_last_success_timestamp_seconds: {
    type: 'gauge',
    labels: [],
    of: ['ingest worker'],
    help: 'End of the last backup; absent if there was none.',
  },
  sluice_archive_lag_seconds: {
    type: 'gauge',
    labels: ['state'],
    of: ['export worker'],
    help: 'How late the latest archive is, of those that are `active` or `failing`: its run should be over by `every` after the one before, its first at once. 0 if none is late.',
  },
  sluice_archive_bytes_total: {
    type: 'counter',
    labels: [],
    of: ['export worker'],
    help: 'Bytes of the files that runs of archives stored.',
  },
  sluice_questions_total: {
    type: 'counter',
    labels: ['result'],
    of: ['query worker'],
    help: 'Questions: `answered`, `refused` (the SQL is wrong), `too_long`, `too_large` (it took too much memory), `busy` (too many waited), `cancelled` (its client went) or `failed`.',
  },
  sluice_question_seconds: {
    type: 'histogram',
    labels: [],
    of: ['query worker'],
    buckets: [0.1, 0.3, 1, 3, 10],
    help: 'Time of an answered question, waiting included.',
  },
  sluice_questions_waiting: {
    type: 'gauge',
    labels: [],
    of: ['query worker'],
    help: 'Questions that wait for their turn.',
  },
} as const satisfies Record<string, MetricDefinition>;

export type MetricName = keyof typeof metricTable;
type NamesOf<Type extends MetricDefinition['type']> = {
  [Name in MetricName]: (typeof metricTable)[Name]['type'] extends Type ? Name : never;
}[MetricName];
export type CounterName = NamesOf<'counter'>;
export type GaugeName = NamesOf<'gauge'>;
export type DurationName = NamesOf<'histogram' | 'summary'>;
export type LabelsOf<Name extends MetricName> = Record<(typeof metricTable)[Name]['labels'][number], string>;
