import { printed } from '@sluice/json/numbers.ts';
import { parseExactJson } from '@sluice/json/parse-json.ts';
import type { ReasonGroup } from './chunk-records.ts';
import { fileNameOf, objectNameOf } from './file-name.ts';
import type { Manifest } from './job.ts';
import { isUncut, type JobRecord } from './job-records.ts';
import { toAsked } from './to-asked.ts';
import { toPlace } from './to-place.ts';

const iso = (time: Date) => time.toISOString();

/** A job as its owner sees it. */
export function toJob(record: JobRecord) {
  const { id, kind, state, done, total, createdAt, startedAt, finishedAt, expiresAt, error, manifest } =
    record;
  return {
    id,
    kind,
    state,
    progress: { done, total, ...speed(record) },
    ...((record.kind === 'export' || record.kind === 'import') && { format: record.options.format }),
    // An erasure removes the entries of a person; the filter may still name the person.
    ...(record.kind === 'export' && !record.metByErasure && { asked: toAsked(record.options) }),
    ...(record.kind === 'erasure' && { createdBy: record.options.by }),
    ...(record.kind === 'import' && record.options.fileName && { name: record.options.fileName }),
    ...(record.kind === 'import' && {
      accepted: record.accepted,
      ...(record.repeated && { repeated: record.repeated }),
      rejected: record.rejected,
    }),
    ...(isUncut(record) && {
      arrived: {
        bytes: record.source.bytes,
        ...(record.source.size !== undefined && { size: record.source.size }),
      },
    }),
    createdAt: iso(createdAt),
    ...(startedAt && { startedAt: iso(startedAt) }),
    ...(finishedAt && { finishedAt: iso(finishedAt) }),
    ...(expiresAt && { expiresAt: iso(expiresAt) }),
    ...(error && { error }),
    ...('result' in record && record.result && { result: toResult(record) }),
    ...(record.kind === 'export' && record.target && { to: toPlace(record.target) }),
    ...(manifest && {
      file: {
        ...toFilePlace(record),
        ...toFile(manifest),
        ...(record.kind === 'export' && record.deletedMeanwhile && { deleted_meanwhile: true as const }),
      },
    }),
  };
}

/** Groups of a rehearsal are large: lists and events read the record without them. */
function toResult(record: Extract<JobRecord, { result?: unknown }>) {
  if (record.kind !== 'rehearsal' || !record.result) return record.result;
  const { groups, ...result } = record.result;
  const toGroup = ({ example, ...group }: ReasonGroup) => ({ ...group, example: readExample(example) });
  return { ...result, ...(groups && { groups: groups.map(toGroup) }) };
}

/** JSON.stringify prints no BigInt. */
const readExample = (text: string) =>
  parseExactJson(text, (_key, value) => (typeof value === 'bigint' ? printed(value) : value));

function speed({ state, done, total, rate }: JobRecord) {
  if (state !== 'active' || rate === undefined) return {};
  return { rate, ...(rate > 0 && total > 0 && { secondsLeft: Math.ceil(Math.max(total - done, 0) / rate) }) };
}

function toFilePlace(record: JobRecord) {
  const { id, kind, domain } = record;
  if (record.kind !== 'export' || !record.target)
    return { url: `/api/applications/${domain}/${kind}s/${id}/file`, name: fileNameOf(record) };
  const { prefix } = { prefix: undefined, ...record.target };
  return { name: `${prefix ? `${prefix}/` : ''}${objectNameOf(record)}` };
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
