import { type JobState, jobStates } from '@sluice/jobs/record/job.ts';
import { printRows } from '@sluice/shared/terminal/print.ts';
import { type Command, Option } from 'commander';
import type { AdminTerminal } from '../terminal.ts';
import { actOn } from '../with-store.ts';
import { cancel, requeue, retry } from './change-job.ts';

const listed = 100;

/** `sluice-admin jobs`. */
export function addJobs(program: Command, terminal: AdminTerminal): void {
  const act = actOn(terminal);
  const jobs = program
    .command('jobs')
    .description('List, retry, cancel and requeue jobs, such as exports and imports.');

  jobs
    .command('list')
    .description(`List jobs, newest first, at most ${listed}.`)
    .addOption(new Option('--state <state>', 'only those in one state').choices(jobStates))
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample: sluice-admin jobs list --state failed')
    .action(
      act(async ([store], { state, json }: { state?: JobState; json?: boolean }) => {
        const found = await store.jobs.newest(state, listed);
        printRows(
          terminal.console,
          found.map(({ id, kind, state: now, domain, done, total, createdAt, error }) => ({
            id,
            kind,
            state: now,
            domain,
            done,
            total,
            createdAt,
            error: error ?? null,
          })),
          json,
        );
      }),
    );

  jobs
    .command('retry')
    .description('Let a failed job continue where it stopped. The quotas of its owner do not count.')
    .argument('<id>')
    .addHelpText('after', '\nExample: sluice-admin jobs retry 66f1c2a4e8b5d70912345678')
    .action(act(retry));

  jobs
    .command('cancel')
    .description('End a job that is waiting or active.')
    .argument('<id>')
    .addHelpText('after', '\nExample: sluice-admin jobs cancel 66f1c2a4e8b5d70912345678')
    .action(act(cancel));

  jobs
    .command('requeue')
    .description('Put a job that waits on its queue again, where it should be already.')
    .argument('<id>')
    .addHelpText('after', '\nExample: sluice-admin jobs requeue 66f1c2a4e8b5d70912345678')
    .action(act(requeue));
}
