import { getHeapStatistics } from 'node:v8';
import { createLoadIntake, type Intake } from '@sluice/intake/intake.ts';
import type { Compiler } from '@sluice/schemas/compile/compiler.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import type { Metrics } from '@sluice/shared/metrics/metrics.ts';
import type { UserStore } from '@sluice/store/accounts/users.ts';
import type { Access, ApplicationStore } from '@sluice/store/applications/applications.ts';
import type { FieldStore } from '@sluice/store/applications/fields.ts';
import { LRUCache } from 'lru-cache';

/** The oldest knowledge with which an upload is validated. It is mostly stored within the rest of a second. */
const maxAgeMs = 800;
const recheckEveryMs = 300;
/** The rest of the heap is for uploads, batches and lists. */
const shareOfHeap = 0.3;

/** What an upload needs to know about its application. */
export interface CachedApplication extends Intake, Access {
  /** Id of the owner. */
  owner: string;
  ownerIsDisabled: boolean;
}

/** Whether uploads must be admitted by the keyring. */
export const isRestricted = ({ keyRequired, ownerIsDisabled }: CachedApplication): boolean =>
  keyRequired || ownerIsDisabled;

interface Cached extends CachedApplication {
  /** When MongoDB last confirmed the application, its schema and its access. */
  checkedAt: number;
}

export type ApplicationCache = ReturnType<typeof createApplicationCache>;

interface Dependencies {
  applications: ApplicationStore;
  users: Pick<UserStore, 'disabledAmong'>;
  fields: FieldStore;
  compiler: Compiler;
  metrics?: Pick<Metrics, 'count'>;
  log: Logger;
  /** Bytes of memory for all applications. */
  memory?: number;
}

/**
 * Applications with their schemas, ready to validate. A pair of queries checks all that are in use against MongoDB, several times a second.
 *
 * So a change is in force within a second, even if its message does not arrive.
 */
export function createApplicationCache({
  applications,
  users,
  fields,
  compiler,
  metrics,
  log,
  memory = getHeapStatistics().heap_size_limit * shareOfHeap,
}: Dependencies) {
  const count = (result: string) => metrics?.count('sluice_schema_cache_lookups_total', { result });
  const lookups = { hit: count('hit'), stale: count('stale'), miss: count('miss') };
  const loadIntake = createLoadIntake({ fields, compiler, isLazy: true });
  const domains = new Map<string, string>();
  const cached = new LRUCache<string, Cached>({
    maxSize: Math.ceil(memory),
    sizeCalculation: ({ size }) => size,
    dispose: ({ id }) => domains.delete(id),
  });
  const loading = new Map<string, Promise<Cached | undefined>>();
  const used = new Set<Cached>();
  let checking: Promise<void> | undefined;
  let drops = 0;

  function drop(applicationId: string): void {
    drops += 1;
    const domain = domains.get(applicationId);
    if (domain) cached.delete(domain);
  }

  async function load(domain: string): Promise<Cached | undefined> {
    const before = drops;
    const checkedAt = performance.now();
    const record = await applications.byDomain(domain);
    if (!record) return undefined;
    const { keyRequired, allowedOrigins, refused } = record;
    const owner = record.owner.id;
    const [intake, disabled] = await Promise.all([loadIntake(record), users.disabledAmong([owner])]);
    // A drop meanwhile may mean this application: then it is checked before its first use.
    const found: Cached = {
      ...intake,
      owner,
      ownerIsDisabled: disabled.has(owner),
      keyRequired,
      allowedOrigins,
      refused,
      checkedAt: drops === before ? checkedAt : Number.NEGATIVE_INFINITY,
    };
    cached.set(domain, found);
    domains.set(found.id, domain);
    return found;
  }

  function loadOnce(domain: string): Promise<Cached | undefined> {
    const already = loading.get(domain);
    if (already) return already;
    const promise = load(domain).finally(() => loading.delete(domain));
    loading.set(domain, promise);
    return promise;
  }

  async function check(): Promise<void> {
    const batch = [...used];
    used.clear();
    const checkedAt = performance.now();
    const existing = await applications.existing(batch.map(({ id }) => id));
    const owners = new Set(existing.values().map(({ access }) => access.owner));
    const disabled = await users.disabledAmong([...owners]);
    for (const application of batch) {
      const found = existing.get(application.id);
      // The next upload compiles the new schema.
      if (found?.version !== application.version) drop(application.id);
      else {
        const ownerIsDisabled = disabled.has(found.access.owner);
        Object.assign(application, found.access, { ownerIsDisabled, checkedAt });
      }
    }
  }

  function checkOnce(): Promise<void> {
    checking ??= check().finally(() => {
      checking = undefined;
    });
    return checking;
  }

  const timer = setInterval(() => {
    if (used.size > 0)
      checkOnce().catch((error) => log.debug({ event: 'cache.unchecked', reason: String(error) }));
  }, recheckEveryMs);
  timer.unref();

  async function get(domain: string): Promise<Cached | undefined> {
    const asked = performance.now();
    const known = cached.get(domain);
    const isFresh = known !== undefined && asked - known.checkedAt <= maxAgeMs;
    lookups[isFresh ? 'hit' : known ? 'stale' : 'miss']?.();
    const found = known ?? (await loadOnce(domain));
    if (!found) return undefined;
    used.add(found);
    if (asked - found.checkedAt <= maxAgeMs) return found;
    // A check that began earlier may have read before the deletion.
    while (cached.get(domain) === found && found.checkedAt < asked) {
      used.add(found);
      await checkOnce();
    }
    return cached.get(domain) === found ? found : get(domain);
  }

  return {
    /** The application if the cache is fresh; otherwise undefined. */
    peek(domain: string): CachedApplication | undefined {
      const found = cached.get(domain);
      if (!found || performance.now() - found.checkedAt > maxAgeMs) return undefined;
      used.add(found);
      lookups.hit?.();
      return found;
    },
    /** Undefined if there is no such application. Rejects while MongoDB is away. */
    get,
    drop,
    close: () => clearInterval(timer),
  };
}
