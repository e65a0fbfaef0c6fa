import type { Command } from 'commander';
import type { Act } from '../context.ts';

/** `sluice imports`. */
export function addImports(program: Command, act: Act): void {
  const imports = program.command('imports').description('See imports: files that workers store.');

  imports
    .command('list')
    .description('List the imports of an application, newest first.')
    .addHelpText('after', '\nExample: sluice imports list')
    .action(
      act(({ list }) =>
        list('/imports', 'id', 'state', 'name', 'format', 'accepted', 'rejected', 'createdAt', 'error'),
      ),
    );
}
