import { getHeapStatistics } from 'node:v8';
import { createLoadIntake, type Intake } from '@sluice/intake/intake.ts';
import type { Compiler } from '@sluice/schemas/compile/compiler.ts';
import type { Explainer } from '@sluice/schemas/explain/explainer.ts';
import type { Metrics } from '@sluice/shared/metrics/metrics.ts';
import type { UserStore } from '@sluice/store/accounts/users.ts';
import type { Access, ApplicationStore } from '@sluice/store/applications/applications.ts';
import type { FieldStore } from '@sluice/store/applications/fields.ts';
import type { Feed } from './feed.ts';
import { createKnown } from './known.ts';

/** The rest of the heap is for uploads, batches and lists. */
const shareOfHeap = 0.4;

/** What an upload needs to know about its application. */
export interface CachedApplication extends Intake, Access {
  /** Id of the owner. */
  owner: string;
  ownerIsDisabled: boolean;
  /** Ids of the users who may upload with a personal token. */
  editors: string[];
}

export type ApplicationCache = ReturnType<typeof createApplicationCache>;

interface Dependencies {
  applications: Pick<ApplicationStore, 'byDomain'>;
  users: Pick<UserStore, 'byId'>;
  fields: FieldStore;
  compiler: Compiler;
  explainer: Explainer;
  feed: Feed;
  metrics?: Pick<Metrics, 'count'>;
  /** Bytes of memory for all applications. */
  memory?: number;
}

/** Applications with their schemas, ready to validate, by domain. */
export function createApplicationCache({
  applications,
  users,
  fields,
  compiler,
  explainer,
  feed,
  metrics,
  memory = getHeapStatistics().heap_size_limit * shareOfHeap,
}: Dependencies) {
  const count = (result: string) => metrics?.count('sluice_schema_cache_lookups_total', { result });
  const lookups = { hit: count('hit'), stale: count('stale'), miss: count('miss') };
  const loadIntake = createLoadIntake({ fields, compiler, explainer });

  const known = createKnown<CachedApplication>(feed, memory, async (domain) => {
    const record = await applications.byDomain(domain);
    if (!record) return undefined;
    const { id, revision, owner, members, keyRequired, allowedOrigins, refused } = record;
    const [intake, user] = await Promise.all([loadIntake(record), users.byId(owner.id)]);
    const editors = members.filter(({ role }) => role === 'editor');
    return {
      value: {
        ...intake,
        keyRequired,
        allowedOrigins,
        refused,
        ownerIsDisabled: !user || user.disabledAt !== undefined,
        editors: [owner.id, ...editors.map((member) => member.id)],
      },
      basis: [[id, revision], ...(user ? [[owner.id, user.revision] as const] : [])],
      size: intake.size,
    };
  });

  return {
    /** The application if it is known; otherwise undefined. */
    peek(domain: string): CachedApplication | undefined {
      const found = known.peek(domain);
      if (found) lookups.hit?.();
      return found;
    },

    /** The application as it was read last; it may have changed since. */
    last: known.last,

    /** Undefined if there is no such application. Rejects while MongoDB is away. */
    get(domain: string): Promise<CachedApplication | undefined> {
      lookups[known.look(domain)]?.();
      return known.get(domain);
    },

    /** Call when an application has changed. */
    forget: known.forget,
  };
}
