#!/usr/bin/env node
import { ConfigError } from '@sluice/shared/config/load.ts';
import { Command } from 'commander';
import { AdminError } from './admin-error.ts';

/** Each adds itself and its options to the program. */
const commands: ((program: Command) => void)[] = [];

const program = new Command('sluice-admin').description('Looks after an installation of Sluice.');
for (const add of commands) add(program);

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof AdminError || error instanceof ConfigError)) throw error;
  for (const line of error.message.split('\n')) process.stderr.write(`sluice-admin: ${line}\n`);
  process.exitCode = 1;
}
