import { printRows } from '@sluice/shared/terminal/print.ts';
import type { Command } from 'commander';
import type { AdminTerminal } from '../terminal.ts';
import { actOn } from '../with-store.ts';
import { createUser, inviteUser, resetPassword } from './give-access.ts';
import { resetSecondFactor } from './reset-second-factor.ts';
import { deleteUser, disableUser, enableUser } from './take-access.ts';

/** `sluice-admin users`. */
export function addUsers(program: Command, terminal: AdminTerminal): void {
  const act = actOn(terminal);
  const users = program.command('users').description('List, create, invite, disable and delete users.');

  users
    .command('list')
    .description('List all users, by name.')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample: sluice-admin users list')
    .action(
      act(async ([store], { json }: { json?: boolean }) => {
        const rows = await store.users.overview();
        const shown = rows.map(({ username, createdAt, ...rest }) => ({ username, ...rest, createdAt }));
        printRows(terminal.console, shown, json);
      }),
    );

  users
    .command('create')
    .description('Create a user. The password is asked for, or read from the standard input.')
    .argument('<username>')
    .addHelpText('after', '\nExample: sluice-admin users create ada')
    .action(act(createUser));

  users
    .command('invite')
    .description('Create a user without a password, and mail or print a link by which they set one.')
    .argument('<username>')
    .option('--email <address>', 'mail the link there; it becomes the e-mail of the user')
    .option('--expires <duration>', 'how long the link works', '7d')
    .option('--url <address>', 'address of the console (http://127.0.0.1:4000, or on PORT)')
    .addHelpText('after', '\nExample: sluice-admin users invite ada --url https://sluice.example')
    .action(act(inviteUser));

  users
    .command('reset-password')
    .description(
      'Mail a user a link by which they set a new password, or print it. The old one works until then.',
    )
    .argument('<username>')
    .option('--expires <duration>', 'how long the link works', '7d')
    .option('--url <address>', 'address of the console (http://127.0.0.1:4000, or on PORT)')
    .option('--print', 'print the link, though the user has an e-mail')
    .addHelpText('after', '\nExample: sluice-admin users reset-password ada')
    .action(act(resetPassword));

  users
    .command('reset-second-factor')
    .description('Turn off the second factor of a user who has lost it. The password alone is enough then.')
    .argument('<username>')
    .addHelpText('after', '\nExample: sluice-admin users reset-second-factor ada')
    .action(act(resetSecondFactor));

  users
    .command('disable')
    .description('End the tokens of a user, and refuse their logins and uploads to their applications.')
    .argument('<username>')
    .addHelpText('after', '\nExample: sluice-admin users disable ada')
    .action(act(disableUser));

  users
    .command('enable')
    .description('Let a disabled user log in again.')
    .argument('<username>')
    .addHelpText('after', '\nExample: sluice-admin users enable ada')
    .action(act(enableUser));

  users
    .command('delete')
    .description('Delete a user.')
    .argument('<username>')
    .option('--with-applications', 'delete their applications too, with all entries')
    .addHelpText('after', '\nExample: sluice-admin users delete ada --with-applications')
    .action(act(deleteUser));
}
