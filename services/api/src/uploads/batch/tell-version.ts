import type { IncomingHttpHeaders } from 'node:http';
import type { Store } from '@sluice/jobs/connect.ts';
import type { Compiler } from '@sluice/schemas/compile/compiler.ts';
import { ApiError } from '@sluice/shared/errors.ts';
import type { FastifyReply } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { CachedApplication } from '../../known/applications.ts';

type Change = 'stricter' | 'looser';

/** An entry is some hundred bytes. */
const pairsKept = 10_000;

export const versionPattern = '^[1-9][0-9]{0,6}$';
const form = new RegExp(versionPattern);

/** The version of the schema that the sender was made from, if it says so. Throws ApiError if it is none. */
export function versionOf({ 'sluice-schema-version': given }: IncomingHttpHeaders): number | undefined {
  if (given === undefined) return undefined;
  if (form.test(String(given))) return Number(given);
  const message = 'must be the version of a schema, such as 3';
  throw new ApiError('InvalidRequestError', `the header Sluice-Schema-Version ${message}`, {
    details: [{ in: 'headers', path: '/sluice-schema-version', keyword: 'pattern', message }],
  });
}

interface Dependencies {
  store: Pick<Store, 'applications' | 'schemas'>;
  compiler: Pick<Compiler, 'compile'>;
}

/** Tells a sender by headers that it was made from another version of the schema, and what that means for its entries. */
export function createTellVersion({ store, compiler }: Dependencies) {
  const known = new LRUCache<string, Promise<Change | undefined>>({ max: pairsKept });

  /** Undefined if the versions cannot be compared. */
  async function compare({ domain, owner, version }: CachedApplication, sent: number) {
    const record = await store.applications.byDomain(domain);
    const before = record?.version === version && (await store.schemas.of(record, sent));
    if (!before) return undefined;
    const inForce = before.rawSchema;
    const compiled = await compiler.compile(record.rawSchema, { client: owner, inForce });
    if (!compiled.ok) return undefined;
    const isLooser = compiled.changes.every(({ kind }) => kind === 'looser' || kind === 'added');
    return isLooser ? 'looser' : 'stricter';
  }

  return async (reply: FastifyReply, application: CachedApplication, sent: number): Promise<void> => {
    const { id, version } = application;
    if (sent === version) return;
    const pair = `${id} ${sent} ${version}`;
    const change = known.get(pair) ?? compare(application, sent).catch(() => undefined);
    known.set(pair, change);
    const found = await change;
    // The next batch may find more.
    if (found) reply.headers({ 'sluice-schema-version': version, 'sluice-schema-change': found });
    else known.delete(pair);
  };
}
