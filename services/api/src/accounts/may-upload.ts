import type { Store } from '@sluice/jobs/connect.ts';
import { roleOf } from '@sluice/store/applications/application-document.ts';
import { LRUCache } from 'lru-cache';
import { createReadGrant } from './personal-tokens.ts';

/** A revoked token, or one of a former member, uploads no longer than this. */
const maxAgeMs = 500;

export type MayUpload = ReturnType<typeof createMayUpload>;

/** Resolves with the id of a personal token that allows uploads to an application; else undefined. */
export function createMayUpload(store: Pick<Store, 'users' | 'personalTokens' | 'applications'>) {
  const readGrant = createReadGrant(store);

  async function look(token: string, domain: string): Promise<string | undefined> {
    const grant = await readGrant(token);
    if (!grant?.scopes.includes('upload')) return undefined;
    if (grant.applications && !grant.applications.includes(domain)) return undefined;
    const application = await store.applications.byDomain(domain);
    const role = application && roleOf(application, grant.user.id);
    return role === 'owner' || role === 'editor' ? grant.id : undefined;
  }

  const cached = new LRUCache<string, string, { token: string; domain: string }>({
    max: 5_000,
    ttl: maxAgeMs,
    async fetchMethod(_key, _old, { options, context: { token, domain } }) {
      const began = performance.now();
      const id = await look(token, domain);
      // The age counts from the begin of the reads.
      options.ttl = Math.max(1, maxAgeMs - (performance.now() - began));
      return id;
    },
  });

  return (token: string, domain: string): Promise<string | undefined> =>
    cached.fetch(`${domain} ${token}`, { context: { token, domain } });
}
