import { nearest } from '@sluice/shared/nearest.ts';
import type { Command } from 'commander';

/** `sluice help`, for commands of commands too. */
export function addHelp(program: Command): void {
  program
    .helpCommand(false)
    .command('help')
    .description('Show what a command does, and its options.')
    .argument('[command...]')
    .addHelpText('after', '\nExample: sluice help apps create')
    .action((words: string[]) => {
      let found = program;
      for (const word of words) {
        const next = found.commands.find((command) => command.name() === word);
        if (!next) {
          const meant = nearest(
            word,
            found.commands.map((command) => command.name()),
          );
          return found.error(`there is no command ${word}${meant ? `: did you mean ${meant}?` : ''}`);
        }
        found = next;
      }
      return found.help();
    });
}
