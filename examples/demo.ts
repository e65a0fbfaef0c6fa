import { mkdir } from 'node:fs/promises';
import { datasets } from './datasets.ts';
import { logIn } from './demo/account.ts';
import { createClient } from './demo/client.ts';
import { DemoError } from './demo/demo-error.ts';
import { readOptions, usage } from './demo/options.ts';
import { type Result, runDataset } from './demo/run-dataset.ts';
import { summary } from './demo/summary.ts';

/** Registers, creates the applications, uploads, exports and checks. Throws DemoError if anything differs. */
async function main(argv: string[]): Promise<void> {
  const options = readOptions(argv, process.env);
  if (!options) return console.log(usage);
  const { url, out } = options;

  const client = createClient(url);
  const account = await logIn(client, options.account);
  console.log(`Logged in at ${url} as ${account.username}\n`);
  await mkdir(out, { recursive: true });

  const results: Result[] = [];
  for (const dataset of datasets) results.push(await runDataset(dataset, { client, account, out }));
  console.log(summary(url, account, results));

  const problems = results.flatMap((result) => result.problems);
  if (problems.length > 0) throw new DemoError(problems.join('; '));
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof DemoError ? `error: ${error.message}` : error);
  process.exitCode = 1;
}
