import type { Store } from '@sluice/jobs/connect.ts';
import { printJson, printRows } from '@sluice/shared/terminal/print.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import type { ApplicationOverview } from '@sluice/store/applications/managed-applications.ts';
import type { Command } from 'commander';
import { AdminError } from '../admin-error.ts';
import { createNote } from '../audit.ts';
import type { AdminTerminal } from '../terminal.ts';
import { findUser } from '../users/find-user.ts';
import { actOn, type Opened } from '../with-store.ts';
import { findApplication } from './find-application.ts';

/** `sluice-admin applications`. */
export function addApplications(program: Command, terminal: AdminTerminal): void {
  const { console } = terminal;
  const act = actOn(terminal);
  const applications = program
    .command('applications')
    .description('List, show, transfer and restore applications.');

  applications
    .command('list')
    .description('List all applications, newest first.')
    .option('--owner <username>', 'only those of one user')
    .option('--deleted', 'those that were deleted and can be restored')
    .option('--usage', 'with entries and bytes of payloads, the largest first')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample: sluice-admin applications list --owner ada')
    .action(
      act(async ([store], { owner, deleted, usage, json }: ListOptions) => {
        const of = owner === undefined ? undefined : (await findUser(store, owner)).id;
        const rows = await store.applications.overview(of, deleted ? 'restorable' : 'alive');
        const shown = usage ? await withUsage(store, rows) : rows;
        printRows(
          console,
          shown.map(({ id: _, domain, name, ...rest }) => ({ domain, name, ...rest })),
          json,
        );
      }),
    );

  applications
    .command('show')
    .description('Show an application, and how much it holds.')
    .argument('<domain>')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample: sluice-admin applications show weather-station-k3v9q2')
    .action(
      act(async ([store], domain: string, { json }: { json?: boolean }) => {
        const shown = await describe(store, await findApplication(store, domain));
        if (json) printJson(console, shown);
        else
          printRows(
            console,
            Object.entries(shown).map(([field, value]) => ({ field, value })),
          );
      }),
    );

  applications
    .command('transfer')
    .description('Give an application to another user. Its keys keep working.')
    .argument('<domain>')
    .argument('<username>', 'the new owner')
    .addHelpText('after', '\nExample: sluice-admin applications transfer weather-station-k3v9q2 grace')
    .action(act(transfer));

  applications
    .command('restore')
    .description('Restore a deleted application, as its owner can, unless its purge has begun.')
    .argument('<domain>')
    .addHelpText('after', '\nExample: sluice-admin applications restore weather-station-k3v9q2')
    .action(act(restore));
}

interface ListOptions {
  owner?: string;
  deleted?: boolean;
  usage?: boolean;
  json?: boolean;
}

async function withUsage(store: Store, rows: ApplicationOverview[]) {
  const used: (ApplicationOverview & { entries: number; bytes: number })[] = [];
  for (const row of rows) used.push({ ...row, ...(await store.milestones.usage(row.id)) });
  return used.sort((a, b) => b.bytes - a.bytes);
}

async function describe(store: Store, { id, domain, name, type, owner, ...rest }: ApplicationRecord) {
  const { entries, bytes } = await store.milestones.usage(id);
  return {
    domain,
    name,
    type,
    owner: owner.username,
    entries,
    bytes,
    keys: (await store.keys.list(id)).length,
    key_required: rest.keyRequired,
    allowed_origins: rest.allowedOrigins.join(', '),
    createdAt: rest.createdAt,
    lastModifiedAt: rest.lastModifiedAt,
  };
}

async function transfer(
  [store, config, { console }]: Opened,
  domain: string,
  username: string,
): Promise<void> {
  const application = await findApplication(store, domain);
  const { owner } = application;
  const to = await findUser(store, username);
  if (to.id === owner.id) throw new AdminError(`application ${domain} is of ${username} already`);
  if (to.disabledAt)
    throw new AdminError(`user ${username} is disabled, so every upload would be refused; enable them first`);
  if (!(await store.applications.transfer(application.id, owner.id, to)))
    throw new AdminError(`application ${domain} was deleted or transferred meanwhile`);
  const owners = { before: { owner: owner.username }, after: { owner: to.username } };
  const event = { action: 'application.transferred', application: domain, ...owners } as const;
  // The new owner sees it in the activity of the application.
  await createNote(store, config)(owner, event);
  console.error(`application ${domain} was transferred from ${owner.username} to ${to.username}`);
}

async function restore([store, config, { console }]: Opened, domain: string): Promise<void> {
  const { applications } = store;
  const deleted = (await applications.overview(undefined, 'restorable')).find((one) => one.domain === domain);
  if (!deleted)
    throw new AdminError(
      `application ${domain} cannot be restored; \`sluice-admin applications list --deleted\` lists those that can`,
    );
  const owner = await findUser(store, deleted.owner);
  if (!(await applications.restore(domain, owner.id)))
    throw new AdminError(`application ${domain} was purged or restored meanwhile`);
  const restored = await applications.byDomain(domain);
  if (restored) await store.webhooks.wakeOf([restored.id]);
  await createNote(store, config)(owner, { action: 'application.restored', application: domain });
  console.error(`application ${domain} was restored`);
}
