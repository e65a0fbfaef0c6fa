#!/usr/bin/env node
import { ConfigError } from '@sluice/shared/config/load.ts';
import { HalfRestored } from '@sluice/store/backup/write-database.ts';
import { storeFault } from '@sluice/store/faults.ts';
import { Command } from 'commander';
import { AdminError } from './admin-error.ts';
import { addApplications } from './applications/commands.ts';
import { addBackup } from './backup/backup.ts';
import { addRestore } from './backup/restore.ts';
import { addConfig } from './config.ts';
import { addDoctor } from './doctor/doctor.ts';
import { addJobs } from './jobs/commands.ts';
import { addQueues } from './queues/commands.ts';
import { addUsers } from './users/commands.ts';

/** Each adds itself and its options to the program. */
const commands: ((program: Command) => void)[] = [
  addUsers,
  addApplications,
  addJobs,
  addQueues,
  addDoctor,
  addConfig,
  addBackup,
  addRestore,
];

const program = new Command('sluice-admin').description('Looks after an installation of Sluice.');
for (const add of commands) add(program);

try {
  await program.parseAsync();
} catch (error) {
  const message = plain(error as NodeJS.ErrnoException);
  if (!message) throw error;
  for (const line of message.split('\n')) process.stderr.write(`sluice-admin: ${line}\n`);
  process.exitCode = 1;
}

/** What is shown without a stack; undefined of a defect. */
function plain(error: NodeJS.ErrnoException): string | undefined {
  if (storeFault(error)) return `MongoDB is away: ${error.message}`;
  const isPlain = [AdminError, ConfigError, HalfRestored].some((kind) => error instanceof kind);
  return isPlain || error.syscall !== undefined ? error.message : undefined;
}
