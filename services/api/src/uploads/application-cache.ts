import { schemaLeaves } from '@sluice/shared/columns/schema-leaves.ts';
import { unavailable } from '@sluice/shared/errors.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import type { Compiler } from '@sluice/shared/schemas/compiler.ts';
import type { Validator } from '@sluice/shared/schemas/validator.ts';
import type { ApplicationStore } from '@sluice/shared/store/applications.ts';
import type { LeafStore } from '@sluice/shared/store/leaves.ts';
import { LRUCache } from 'lru-cache';
import { createLeafSet, type LeafSet } from './leaf-set.ts';

/** An upload is never accepted on knowledge older than this. */
const maxAgeMs = 1_000;
const recheckEveryMs = 400;

export interface CachedApplication {
  id: string;
  domain: string;
  validator: Validator;
  leaves: LeafSet;
  /** Some leaf of an entry is in no list: there were too many. */
  leafOverflow: boolean;
}

interface Held extends CachedApplication {
  /** When MongoDB was last asked whether the application still exists. */
  checkedAt: number;
}

export interface ApplicationCache {
  /** What is held and known to be true; undefined says nothing. */
  peek(domain: string): CachedApplication | undefined;
  /** Undefined when there is no such application. Rejects when MongoDB is away. */
  get(domain: string): Promise<CachedApplication | undefined>;
  drop(applicationId: string): void;
  close(): void;
}

interface Dependencies {
  applications: ApplicationStore;
  leaves: LeafStore;
  compiler: Compiler;
  log: Logger;
  size: number;
}

/**
 * Applications with their compiled schemas. What is in use is checked against MongoDB twice a second by one
 * query for all of it, so a deletion is in force within a second even when no message of it arrives.
 */
export function createApplicationCache({
  applications,
  leaves,
  compiler,
  log,
  size,
}: Dependencies): ApplicationCache {
  const domains = new Map<string, string>();
  const held = new LRUCache<string, Held>({ max: size, dispose: ({ id }) => domains.delete(id) });
  const loading = new Map<string, Promise<Held | undefined>>();
  const used = new Set<Held>();
  let checking: Promise<void> | undefined;

  function drop(applicationId: string): void {
    const domain = domains.get(applicationId);
    if (domain) held.delete(domain);
  }

  async function load(domain: string): Promise<Held | undefined> {
    const checkedAt = Date.now();
    const record = await applications.byDomain(domain);
    if (!record) return undefined;
    const [compiled, recorded] = await Promise.all([
      compiler.compile(record.rawSchema),
      leaves.of(record.id),
    ]);
    // It compiled when it was created: what fails now is time or memory.
    if (!compiled.ok) throw unavailable(`the schema cannot be compiled now: ${compiled.refusal.message}`);
    const known = createLeafSet();
    known.add(schemaLeaves(JSON.parse(record.rawSchema)));
    known.add(recorded.pointers);
    const found: Held = {
      id: record.id,
      domain,
      validator: compiled.validator,
      leaves: known,
      leafOverflow: recorded.overflow,
      checkedAt,
    };
    held.set(domain, found);
    domains.set(found.id, domain);
    return found;
  }

  function loadOnce(domain: string): Promise<Held | undefined> {
    const already = loading.get(domain);
    if (already) return already;
    const promise = load(domain).finally(() => loading.delete(domain));
    loading.set(domain, promise);
    return promise;
  }

  async function check(): Promise<void> {
    const batch = [...used];
    used.clear();
    const checkedAt = Date.now();
    const existing = await applications.existing(batch.map(({ id }) => id));
    for (const application of batch) {
      if (existing.has(application.id)) application.checkedAt = checkedAt;
      else drop(application.id);
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

  return {
    peek(domain) {
      const found = held.get(domain);
      if (!found || Date.now() - found.checkedAt > maxAgeMs) return undefined;
      used.add(found);
      return found;
    },
    async get(domain) {
      const asked = Date.now();
      const found = held.get(domain) ?? (await loadOnce(domain));
      if (!found) return undefined;
      used.add(found);
      if (asked - found.checkedAt <= maxAgeMs) return found;
      // A check that was under way already does not count: it may have read before the deletion.
      while (held.get(domain) === found && found.checkedAt < asked) {
        used.add(found);
        await checkOnce();
      }
      return held.get(domain);
    },
    drop,
    close: () => clearInterval(timer),
  };
}
