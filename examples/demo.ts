import { mkdir } from 'node:fs/promises';
import { demoUsername } from '@sluice/store/accounts/credentials.ts';
import { datasets } from './datasets.ts';
import { logIn } from './demo/account.ts';
import { createClient } from './demo/client.ts';
import { DemoError } from './demo/demo-error.ts';
import { signInLink } from './demo/demo-user.ts';
import { readOptions, usage } from './demo/options.ts';
import { type Result, runDataset } from './demo/run-dataset.ts';
import { nextSteps, summary } from './demo/summary.ts';
import { fillWeather, stream } from './demo/weather.ts';

/** How long readings of the weather stations come. */
const streamSeconds = 60;

/** Fills an account, exports and checks. Throws DemoError if anything differs. */
async function main(argv: string[]): Promise<void> {
  const options = readOptions(argv, process.env);
  if (!options) return console.log(usage);
  const { url, out, quick } = options;

  const client = createClient(url);
  const account = await logIn(client, options.account);
  console.log(`Logged in at ${url} as ${account.username}\n`);

  const results: Result[] = [];
  if (!quick) {
    await mkdir(out, { recursive: true });
    for (const dataset of datasets) results.push(await runDataset(dataset, { client, account, out }));
    console.log(summary(results));
  }
  const domain = await fillWeather(client, account.token);
  const link = account.username === demoUsername ? await signInLink(url) : undefined;
  console.log(nextSteps(url, account, results, link));

  const problems = results.flatMap((result) => result.problems);
  if (problems.length > 0) throw new DemoError(problems.join('; '));
  if (quick) return;
  console.log(`For ${streamSeconds} s, new entries come to the weather stations. Ctrl-C ends this.`);
  await stream(client, domain, streamSeconds);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof DemoError ? `error: ${error.message}` : error);
  process.exitCode = 1;
}
