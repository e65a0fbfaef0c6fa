import { faultOfScalarMember } from '@sluice/schemas/fields/scalar-member.ts';
import { parseSchema } from '@sluice/schemas/schema.ts';
import { ApiError } from '@sluice/shared/errors.ts';
import type { Unique } from '@sluice/store/applications/applications.ts';
import type { Dependencies } from '../dependencies.ts';

/** Tells other processes of a change at once. Without the queues they find it in MongoDB. */
export async function announce(
  { cache, queues, log }: Pick<Dependencies, 'cache' | 'queues' | 'log'>,
  applicationId: string,
  to: ('invalidations' | 'purges')[],
): Promise<void> {
  cache.forget(applicationId);
  const adding = to.map((name) => queues[name].add({ applicationId }));
  for (const result of await Promise.allSettled(adding))
    if (result.status === 'rejected')
      log.warn({ event: 'queue.missed', application: applicationId, reason: result.reason.message });
}

/** Why the member cannot be unique under a schema; undefined if it can. */
export const faultOfUnique = (unique: Unique | null | undefined, rawSchema: string): string | undefined =>
  unique ? faultOfScalarMember(parseSchema(rawSchema), unique.path) : undefined;

/** Throws ApiError. */
export function checkUnique(unique: Unique | null | undefined, rawSchema: string): void {
  const message = faultOfUnique(unique, rawSchema);
  if (!message) return;
  const details = [{ in: 'body' as const, path: '/unique/path', keyword: 'unique', message }];
  throw new ApiError('InvalidRequestError', message, { details });
}
