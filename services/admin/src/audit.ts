import { randomUUID } from 'node:crypto';
import type { Store } from '@sluice/jobs/connect.ts';
import type { AdminConfig } from '@sluice/shared/config/load.ts';
import type { AuditRecord } from '@sluice/store/accounts/audit.ts';

type Event = Pick<AuditRecord, 'action' | 'application' | 'job' | 'details'>;

/** Records an operator's action in the audit log of the account. The address field names the operator. */
export const createNote =
  ({ audit }: Pick<Store, 'audit'>, { auditRetentionMs }: Pick<AdminConfig, 'auditRetentionMs'>) =>
  (user: { id: string; username: string }, event: Event): Promise<void> => {
    const at = new Date();
    return audit.add({
      ...event,
      ...{ user: user.id, username: user.username, at },
      ...{ address: 'sluice-admin', requestId: randomUUID() },
      expiresAt: new Date(at.getTime() + auditRetentionMs),
    });
  };
