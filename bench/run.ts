import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createChildren } from '../local/children.ts';
import { stopRequest } from '../local/stop-request.ts';
import { type Options, type PartName, readOptions, usage } from './options.ts';
import { applications } from './parts/applications.ts';
import { archives } from './parts/archives.ts';
import { batches } from './parts/batches.ts';
import { deletions } from './parts/deletions.ts';
import { exports } from './parts/exports.ts';
import { imports } from './parts/imports.ts';
import { latency } from './parts/latency.ts';
import { listing } from './parts/listing.ts';
import { neighbours } from './parts/neighbours.ts';
import { overload } from './parts/overload.ts';
import { questions } from './parts/questions.ts';
import { refusals } from './parts/refusals.ts';
import { rehearsals } from './parts/rehearsals.ts';
import { scale } from './parts/scale.ts';
import { singles } from './parts/singles.ts';
import { sizes } from './parts/sizes.ts';
import { soak } from './parts/soak.ts';
import { stored } from './parts/stored.ts';
import { webhooks } from './parts/webhooks.ts';
import { type Bench, openBench } from './support/bench.ts';
import { describeMachine } from './support/machine.ts';
import { type Section, saveSection } from './support/results.ts';
import { startMongod, startValkey } from './support/stores.ts';

const parts: Record<PartName, (bench: Bench) => Promise<Section>> = {
  singles,
  batches,
  latency,
  sizes,
  applications,
  scale,
  soak,
  overload,
  stored,
  exports,
  archives,
  questions,
  imports,
  rehearsals,
  refusals,
  deletions,
  listing,
  neighbours,
  webhooks,
};

/** Measures the parts one after the other. Resolves with the faults. */
async function measureParts(bench: Bench): Promise<string[]> {
  const problems: string[] = [];
  const machine = await describeMachine(bench);
  bench.say(machine);
  for (const name of bench.options.parts) {
    bench.say(`\n${name}`);
    try {
      const section = await parts[name](bench);
      bench.say(`\n${section.text}`);
      saveSection(bench.options.out, name, machine, section);
      problems.push(...(section.problems ?? []));
    } catch (error) {
      problems.push(`${name}: ${(error as Error).message}`);
      bench.say(`  FAILED: ${(error as Error).message}`);
    }
    await bench.endPart();
  }
  return problems;
}

async function run(options: Options): Promise<number> {
  const dir = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  const children = createChildren(join(dir, 'run'));
  process.on('exit', children.killAll);
  const stops: (() => Promise<void>)[] = [];
  const stop = stopRequest((line) => console.log(line)).then(() => ['stopped']);

  async function work(): Promise<string[]> {
    const mongod = await startMongod();
    stops.push(mongod.stop);
    const valkey = await startValkey();
    stops.push(valkey.stop);
    const bench = await openBench({ options, dir, children, mongodbUrl: mongod.url, redisUrl: valkey.url });
    stops.push(() => bench.mongodb.close());
    return measureParts(bench);
  }

  const problems = await Promise.race([stop, work()]).catch((error) => [(error as Error).message]);
  await children.stopAll();
  for (const end of stops.reverse()) await end();
  rmSync(dir, { recursive: true, force: true });
  for (const problem of problems) console.error(`error: ${problem}`);
  return problems.length > 0 ? 1 : 0;
}

try {
  const options = readOptions(process.argv.slice(2));
  if (options) process.exitCode = await run(options);
  else console.log(usage);
} catch (error) {
  console.error(`error: ${(error as Error).message}`);
  process.exitCode = 1;
}
process.exit();
