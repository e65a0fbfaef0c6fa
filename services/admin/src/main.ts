#!/usr/bin/env node
import { ConfigError } from '@sluice/shared/config/load.ts';
import { HalfRestored } from '@sluice/store/backup/write-database.ts';
import { storeFault } from '@sluice/store/faults.ts';
import { AdminError } from './admin-error.ts';
import { createProgram } from './program.ts';

try {
  await createProgram().parseAsync();
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
