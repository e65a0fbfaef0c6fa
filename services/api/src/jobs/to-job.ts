import type { Job } from '@sluice/shared/contracts/jobs.ts';
import type { JobRecord, Manifest } from '@sluice/store/jobs/job-records.ts';

const iso = (time: Date) => time.toISOString();

/** The record of a job as the owner sees it. */
export function toJob(record: JobRecord): Job {
  const { id, kind, state, done, total, createdAt, startedAt, finishedAt, error, manifest } = record;
  return {
    id,
    kind,
    state,
    progress: { done, total, ...speed(record) },
    ...(record.kind === 'import' && { accepted: record.accepted, rejected: record.rejected }),
    createdAt: iso(createdAt),
    ...(startedAt && { startedAt: iso(startedAt) }),
    ...(finishedAt && { finishedAt: iso(finishedAt) }),
    ...(error && { error }),
    ...('result' in record && record.result && { result: record.result }),
    ...(manifest && {
      file: { url: `/api/applications/${record.domain}/${kind}s/${id}/file`, ...toFile(manifest) },
    }),
  };
}

function speed({ state, done, total, rate }: JobRecord) {
  if (state !== 'active' || rate === undefined) return {};
  return { rate, ...(rate > 0 && total > 0 && { secondsLeft: Math.ceil(Math.max(total - done, 0) / rate) }) };
}

function toFile({ rows, bytes, sha256, firstCreatedAt, lastCreatedAt }: Manifest) {
  return {
    bytes,
    rows,
    sha256,
    ...(firstCreatedAt && { firstCreatedAt: iso(firstCreatedAt) }),
    ...(lastCreatedAt && { lastCreatedAt: iso(lastCreatedAt) }),
  };
}
