import { Command } from 'commander';
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

/** `sluice-admin` with all its commands. */
export function createProgram(): Command {
  const program = new Command('sluice-admin').description('Looks after an installation of Sluice.');
  for (const add of commands) add(program);
  return program;
}
