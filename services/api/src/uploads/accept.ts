import { ApiError, applicationNotFound } from '@sluice/shared/errors.ts';
import { readPayload } from '@sluice/shared/payloads/read-payload.ts';
import type { EntryStore } from '@sluice/shared/store/entries.ts';
import { type LeafStore, maxLeafLength, maxLeaves } from '@sluice/shared/store/leaves.ts';
import type { ApplicationCache, CachedApplication } from './application-cache.ts';

interface Dependencies {
  cache: ApplicationCache;
  entries: EntryStore;
  leaves: LeafStore;
}

export interface Accepted {
  domain: string;
  payload: unknown;
}

/** Reads, validates and stores one upload. Throws ApiError; resolves once the entry is durable. */
export function createAccept({ cache, entries, leaves }: Dependencies) {
  /** A leaf is on record before the first entry that has it, so an export knows its columns beforehand. */
  async function recordLeaves(
    application: CachedApplication,
    payload: Record<string, unknown>,
  ): Promise<void> {
    const isFull = application.leafOverflow && application.leaves.size() >= maxLeaves;
    if (isFull) return;
    const unknown = application.leaves.unknown(payload);
    const fresh = application.leafOverflow
      ? unknown.filter(({ length }) => length <= maxLeafLength)
      : unknown;
    if (fresh.length === 0) return;
    const { overflow } = await leaves.add(application.id, fresh);
    application.leaves.add(fresh.filter(({ length }) => length <= maxLeafLength));
    application.leafOverflow = overflow;
  }

  return async function accept(domain: string, body: Buffer): Promise<Accepted> {
    const application = await cache.get(domain);
    if (!application) throw applicationNotFound(domain);
    const reading = readPayload(body);
    if (!reading.ok && reading.kind === 'malformed')
      throw new ApiError('MalformedBodyError', reading.message);
    if (!reading.ok) {
      throw new ApiError('SchemaValidationError', 'the payload cannot be stored exactly as it is', {
        details: reading.issues,
      });
    }
    const issues = application.validator.validate(reading.payload);
    if (issues) {
      const details = await application.validator.explain(reading.payload, issues);
      throw new ApiError('SchemaValidationError', `the payload does not conform to the schema of ${domain}`, {
        details,
      });
    }
    const payload = reading.payload as Record<string, unknown>;
    await recordLeaves(application, payload);
    await entries.insert(application.id, payload);
    return { domain, payload };
  };
}
