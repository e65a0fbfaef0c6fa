import { randomUUID } from 'node:crypto';
import type { Store } from '@sluice/jobs/connect.ts';
import type { AdminConfig } from '@sluice/shared/config/load.ts';
import { type AuditEvent, auditRecord } from '@sluice/store/accounts/audit.ts';

/** Records an operator's action in the audit log of the account. The address field names the operator. */
export const createNote =
  ({ audit }: Pick<Store, 'audit'>, { auditRetentionMs }: Pick<AdminConfig, 'auditRetentionMs'>) =>
  (user: { id: string; username: string }, event: AuditEvent): Promise<void> =>
    audit.add(
      auditRecord(
        user,
        { via: 'operator', ...event },
        { address: 'sluice-admin', requestId: randomUUID() },
        auditRetentionMs,
      ),
    );
