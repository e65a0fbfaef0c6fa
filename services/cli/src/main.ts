#!/usr/bin/env node
import { run } from './program.ts';

// `sluice list | head` ends early, and that is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') console.error(`sluice: ${error.message}`);
  process.exit(error.code === 'EPIPE' ? 0 : 4);
});
const stop = new AbortController();
// A second Ctrl-C ends the process at once.
process.once('SIGINT', () => stop.abort());
try {
  process.exitCode = await run(process.argv.slice(2), process, stop.signal);
} catch (error) {
  // A defect, or a server that is no Sluice: 1 would say that lines were refused.
  console.error(error);
  process.exitCode = 4;
}
