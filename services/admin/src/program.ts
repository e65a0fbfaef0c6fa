import { ObjectStoreError } from '@sluice/objects/object-store.ts';
import { ConfigError } from '@sluice/shared/config/load.ts';
import { HalfRestored } from '@sluice/store/backup/write-database.ts';
import { storeFault } from '@sluice/store/faults.ts';
import { IncompatibleDatabase, UpgradeUnderWay } from '@sluice/store/migrations/incompatible-database.ts';
import { ClusterRefusal } from '@sluice/store/sharding/cluster.ts';
import { Command, CommanderError } from 'commander';
import { AdminError } from './admin-error.ts';
import { addApplications } from './applications/commands.ts';
import { addArchives } from './archives/commands.ts';
import { addAudit } from './audit-log.ts';
import { addBackup } from './backup/backup.ts';
import { addRestore } from './backup/restore.ts';
import { addConfig } from './config.ts';
import { addDoctor } from './doctor/doctor.ts';
import { addJobs } from './jobs/commands.ts';
import { addQueues } from './queues/commands.ts';
import { addShard } from './sharding/shard.ts';
import { type AdminStreams, type AdminTerminal, openTerminal } from './terminal.ts';
import { addUsers } from './users/commands.ts';

/** Each function adds a command and its options to the program. */
const commands: ((program: Command, terminal: AdminTerminal) => void)[] = [
  addUsers,
  addApplications,
  addJobs,
  addAudit,
  addQueues,
  addDoctor,
  addConfig,
  addBackup,
  addRestore,
  addArchives,
  addShard,
];

/** `sluice-admin` with all its commands. */
export function createProgram(terminal: AdminTerminal): Command {
  const { stdout, stderr } = terminal;
  const program = new Command('sluice-admin')
    .description('Looks after an installation of Sluice.')
    .exitOverride()
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) });
  for (const add of commands) add(program, terminal);
  return program;
}

/** Runs a command, and returns its exit code. `env` replaces the environment. Throws only for defects. */
export async function run(
  args: string[],
  streams: AdminStreams,
  env?: Record<string, string | undefined>,
): Promise<number> {
  try {
    await createProgram(openTerminal(streams, env)).parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    // Ctrl-C at a question.
    if ((error as NodeJS.ErrnoException).code === 'ABORT_ERR') return 130;
    const message = plain(error as NodeJS.ErrnoException);
    if (!message) throw error;
    for (const line of message.split('\n')) streams.stderr.write(`sluice-admin: ${line}\n`);
    return 1;
  }
}

const plainErrors = [
  ...[AdminError, ConfigError, HalfRestored, ObjectStoreError],
  ...[IncompatibleDatabase, UpgradeUnderWay, ClusterRefusal],
];

/** The message of an expected error; undefined for a defect. */
function plain(error: NodeJS.ErrnoException): string | undefined {
  if (storeFault(error)) return `MongoDB is away: ${error.message}`;
  return plainErrors.some((kind) => error instanceof kind) || error.syscall !== undefined
    ? error.message
    : undefined;
}
