import { within } from '@sluice/shared/deadline.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import {
  type AuditEvent,
  type AuditRecord,
  type AuditStore,
  auditRecord,
} from '@sluice/store/accounts/audit.ts';
import type { UserRecord } from '@sluice/store/accounts/users.ts';
import type { FastifyRequest } from 'fastify';
import { changeOf } from './change-of.ts';

/** The longest time that a request waits for its record. */
const waitMs = 1_000;

type Event = AuditEvent & {
  /** Default: the user of the request's token. */
  user?: UserRecord;
};

export type Audit = ReturnType<typeof createAudit>;

/** The log of who did what, kept for `retentionMs`. Call after the action. Never rejects. */
export function createAudit(records: AuditStore, retentionMs: number, log: Logger) {
  async function write(
    store: (record: Omit<AuditRecord, 'id'>) => Promise<void>,
    request: FastifyRequest,
    { user = request.owner, ...event }: Event,
  ): Promise<void> {
    const { via, grant } = request;
    const origin = { address: request.ip, requestId: request.id };
    const record = auditRecord(user, { via, token: grant?.name, ...changeOf(event) }, origin, retentionMs);
    try {
      await within(waitMs, 'the record was not confirmed in time', store(record));
    } catch (error) {
      const { action } = event;
      log.warn({ event: 'audit.missed', id: request.id, action, reason: (error as Error).message });
    }
  }

  return {
    /** Resolves once the record is stored, or after a second. */
    note: (request: FastifyRequest, event: Event) => write(records.add, request, event),

    /** For events that anyone can cause often: one record per minute counts them. */
    count: (request: FastifyRequest, event: Event) => write(records.count, request, event),
  };
}
