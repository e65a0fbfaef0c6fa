import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseTimestamp } from '@sluice/shared/timestamp.ts';
import { type AuditRecord, type AuditSelection, actorOf } from '@sluice/store/accounts/audit.ts';
import { actionsOf } from '@sluice/store/accounts/audit-actions.ts';
import { type Command, InvalidArgumentError } from 'commander';
import type { AdminTerminal } from './terminal.ts';
import { actOn } from './with-store.ts';

/** `sluice-admin audit`. */
export function addAudit(program: Command, terminal: AdminTerminal): void {
  program
    .command('audit')
    .description('Print the audit log, oldest first, one JSON object a line.')
    .option('--application <domain>', 'what was done with one application')
    .option('--actor <username>', 'what one user did, or `sluice-admin`')
    .option('--action <action>', 'one action, such as key.revoked, or a kind, such as key', toAction)
    .option('--from <time>', 'at this time or later', toTime)
    .option('--to <time>', 'before this time', toTime)
    .addHelpText('after', '\nExample: sluice-admin audit --action key --from 2026-11-01')
    .action(
      actOn(terminal)(async ([store], selection: Omit<AuditSelection, 'user'>) => {
        async function* lines(): AsyncGenerator<string> {
          for await (const record of store.audit.all(selection)) yield `${toLine(record)}\n`;
        }
        await pipeline(Readable.from(lines()), terminal.stdout, { end: false });
      }),
    );
}

function toLine(record: AuditRecord): string {
  const { id, at, via, token, action, username, application, job, key, address, requestId } = record;
  const { details, before, after } = record;
  const who = { actor: actorOf(record), via, token };
  const about = { username, application, job, key, details, before, after };
  return JSON.stringify({ id, at, ...who, action, ...about, address, request_id: requestId });
}

function toAction(given: string): string {
  if (actionsOf(given).length === 0)
    throw new InvalidArgumentError('It must be an action such as key.revoked, or a kind such as key.');
  return given;
}

function toTime(given: string): Date {
  const at = parseTimestamp(given);
  if (Number.isNaN(at))
    throw new InvalidArgumentError('It must be a time such as 2026-11-21 or 2026-11-21T04:00:00Z.');
  return new Date(at);
}
