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
/** Younger knowledge is not renewed. */
const renewedFromMs = 400;
const renewEveryMs = 100;
/** An application that is used again later is checked before its upload is validated. */
const inUseMs = 10_000;
/** A check of more would hold up uploads for milliseconds. */
const checkedAtOnce = 2_000;
/** The rest of the heap is for uploads, batches and lists. */
const shareOfHeap = 0.4;

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
  /** What MongoDB said last; undefined until the first check. */
  state: string | undefined;
  usedAt: number;
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
 * Applications with their schemas, ready to validate. Pairs of queries check all that are in use against MongoDB, twice a second.
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
    dispose(application) {
      domains.delete(application.id);
      inUse.delete(application);
    },
  });
  const loading = new Map<string, Promise<Cached | undefined>>();
  /** Those that were used lately. */
  const inUse = new Set<Cached>();
  /** Those that uploads wait for. */
  const asked = new Set<Cached>();
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
      state: undefined,
      usedAt: checkedAt,
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

  async function check(batch: Cached[]): Promise<void> {
    const checkedAt = performance.now();
    const existing = await applications.existing(batch.map(({ id }) => id));
    const changed = new Map(
      batch.flatMap((one) => {
        const found = existing.get(one.id);
        return found && found.state !== one.state ? [[one, found.read()] as const] : [];
      }),
    );
    const owners = new Set(batch.map((one) => changed.get(one)?.owner ?? one.owner));
    const disabled = await users.disabledAmong([...owners]);
    for (const application of batch) {
      // Another check that began later may have ended before.
      if (checkedAt <= application.checkedAt) continue;
      const found = existing.get(application.id);
      const { version, ...access } = changed.get(application) ?? { version: application.version };
      // The next upload compiles the new schema.
      if (!found || version !== application.version) drop(application.id);
      else {
        Object.assign(application, access, { state: found.state, checkedAt });
        application.ownerIsDisabled = disabled.has(application.owner);
      }
    }
  }

  function checkAsked(): Promise<void> {
    if (checking) return checking;
    const batch = [...asked];
    asked.clear();
    checking = check(batch).finally(() => {
      checking = undefined;
    });
    return checking;
  }

  /** Renews what is known about all that are in use. */
  async function renew(): Promise<void> {
    const now = performance.now();
    const due: Cached[] = [];
    for (const application of inUse)
      if (now - application.usedAt > inUseMs) inUse.delete(application);
      else if (now - application.checkedAt >= renewedFromMs) due.push(application);
    for (let i = 0; i < due.length; i += checkedAtOnce) await check(due.slice(i, i + checkedAtOnce));
  }

  let isRenewing = false;
  const timer = setInterval(() => {
    if (isRenewing) return;
    isRenewing = true;
    renew()
      .catch((error) => log.debug({ event: 'cache.unchecked', reason: String(error) }))
      .finally(() => {
        isRenewing = false;
      });
  }, renewEveryMs);
  timer.unref();

  function use(application: Cached, now: number): void {
    application.usedAt = now;
    inUse.add(application);
  }

  async function get(domain: string): Promise<Cached | undefined> {
    const now = performance.now();
    const known = cached.get(domain);
    const isFresh = known !== undefined && now - known.checkedAt <= maxAgeMs;
    lookups[isFresh ? 'hit' : known ? 'stale' : 'miss']?.();
    const found = known ?? (await loadOnce(domain));
    if (!found) return undefined;
    use(found, now);
    if (now - found.checkedAt <= maxAgeMs) return found;
    // A check that began earlier may have read before the deletion.
    while (cached.get(domain) === found && found.checkedAt < now) {
      asked.add(found);
      await checkAsked();
    }
    return cached.get(domain) === found ? found : get(domain);
  }

  return {
    /** The application if the cache is fresh; otherwise undefined. */
    peek(domain: string): CachedApplication | undefined {
      const found = cached.get(domain);
      const now = performance.now();
      if (!found || now - found.checkedAt > maxAgeMs) return undefined;
      use(found, now);
      lookups.hit?.();
      return found;
    },
    /** Undefined if there is no such application. Rejects while MongoDB is away. */
    get,
    drop,
    close: () => clearInterval(timer),
  };
}
