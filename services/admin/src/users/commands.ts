import { printRows } from '@sluice/shared/terminal/print.ts';
import type { Command } from 'commander';
import type { AdminTerminal } from '../terminal.ts';
import { withStore } from '../with-store.ts';
import { createUser, inviteUser, type LinkOptions, resetPassword } from './give-access.ts';
import { deleteUser, disableUser, enableUser } from './take-access.ts';

/** `sluice-admin users`. */
export function addUsers(program: Command, terminal: AdminTerminal): void {
  const { console } = terminal;
  const users = program.command('users').description('List, create, invite, disable and delete users.');

  users
    .command('list')
    .description('List all users, by name.')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample: sluice-admin users list')
    .action(({ json }: { json?: boolean }) =>
      withStore(terminal, async (store) => {
        const rows = await store.users.overview();
        printRows(
          console,
          rows.map(({ username, state, applications, createdAt }) => ({
            username,
            state,
            applications,
            createdAt,
          })),
          json,
        );
      }),
    );

  users
    .command('create')
    .description('Create a user. The password is asked for, or read from the standard input.')
    .argument('<username>')
    .addHelpText('after', '\nExample: sluice-admin users create ada')
    .action((username: string) => withStore(terminal, (...opened) => createUser(opened, username)));

  users
    .command('invite')
    .description('Create a user without a password, and print a link by which they set one.')
    .argument('<username>')
    .option('--expires <duration>', 'how long the link works', '7d')
    .option('--url <address>', 'address of the console (http://127.0.0.1:4000, or on PORT)')
    .addHelpText('after', '\nExample: sluice-admin users invite ada --url https://sluice.example')
    .action((username: string, options: LinkOptions) =>
      withStore(terminal, (...opened) => inviteUser(opened, username, options)),
    );

  users
    .command('reset-password')
    .description('Print a link by which a user sets a new password. The old one works until then.')
    .argument('<username>')
    .option('--expires <duration>', 'how long the link works', '7d')
    .option('--url <address>', 'address of the console (http://127.0.0.1:4000, or on PORT)')
    .addHelpText('after', '\nExample: sluice-admin users reset-password ada')
    .action((username: string, options: LinkOptions) =>
      withStore(terminal, (...opened) => resetPassword(opened, username, options)),
    );

  users
    .command('disable')
    .description('End the tokens of a user, and refuse their logins and uploads to their applications.')
    .argument('<username>')
    .addHelpText('after', '\nExample: sluice-admin users disable ada')
    .action((username: string) => withStore(terminal, (...opened) => disableUser(opened, username)));

  users
    .command('enable')
    .description('Let a disabled user log in again.')
    .argument('<username>')
    .addHelpText('after', '\nExample: sluice-admin users enable ada')
    .action((username: string) => withStore(terminal, (...opened) => enableUser(opened, username)));

  users
    .command('delete')
    .description('Delete a user.')
    .argument('<username>')
    .option('--with-applications', 'delete their applications too, with all entries')
    .addHelpText('after', '\nExample: sluice-admin users delete ada --with-applications')
    .action((username: string, { withApplications = false }: { withApplications?: boolean }) =>
      withStore(terminal, (...opened) => deleteUser(opened, username, withApplications)),
    );
}
