import { Argument, type Command } from 'commander';
import type { Act } from '../context.ts';
import { remove } from '../output/confirm.ts';

interface Member {
  username: string;
  role: string;
}

const one = (username: string) => `/members/${encodeURIComponent(username)}`;

/** `sluice members`. */
export function addMembers(program: Command, act: Act): void {
  const members = program.command('members').description('Share an application with other users.');

  members
    .command('list')
    .description('List the members of an application, the owner first.')
    .addHelpText('after', '\nExample: sluice members list')
    .action(act(({ list }) => list('/members', 'username', 'role', 'since')));

  members
    .command('set')
    .description('Share an application with a user, or change their role.')
    .argument('<username>')
    .addArgument(new Argument('<role>').choices(['reader', 'editor']))
    .addHelpText('after', '\nExample: sluice members set grace reader')
    .action(
      act(async ({ api, path, tell, domain }, _options, username, role) => {
        const { data } = await api.ask<Member>('PUT', path(one(username)), { json: { role } });
        tell(data, `${data.username} is ${data.role} of ${domain()}`);
      }),
    );

  members
    .command('remove')
    .description('Stop sharing an application with a user.')
    .argument('<username>')
    .option('--yes', 'do not ask')
    .addHelpText('after', '\nExample: sluice members remove grace')
    .action(
      act<{ yes?: boolean }>((context, { yes }, username) =>
        remove(context, context.path(one(username)), `Remove ${username}?`, yes),
      ),
    );
}
