import { Argument, type Command } from 'commander';
import type { Act } from '../context.ts';
import { type Shell, shells } from '../output/completion.ts';

/** `sluice completion`. */
export function addCompletion(program: Command, act: Act): void {
  program
    .command('completion')
    .description('Print a completion script for a shell.')
    .addArgument(new Argument('<shell>').choices(Object.keys(shells)))
    .addHelpText(
      'after',
      `
Examples:
  sluice completion bash >> ~/.bashrc
  sluice completion zsh > ~/.zfunc/_sluice
  sluice completion fish > ~/.config/fish/completions/sluice.fish`,
    )
    .action(act(({ print }, _options, shell) => print(shells[shell as Shell](program))));
}
