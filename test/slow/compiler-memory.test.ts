import { once } from 'node:events';
import { setTimeout as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Worker } from 'node:worker_threads';
import { createCompiler } from '@sluice/schemas/compile/compiler.ts';
import { expect, it, onTestFinished } from 'vitest';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

// The heap's size says nothing here: the engine keeps recently evaluated code until it needs the room.
it('keeps no schema that its caller has dropped', async () => {
  const compiler = createCompiler();
  const dropped: WeakRef<object>[] = [];
  for (let i = 0; i < 40; i++) {
    const schema = { type: 'object', properties: { [`p${i}`]: { pattern: `^${i}[a-z]{1,50}$` } } };
    const compiled = await compiler.compile(JSON.stringify(schema));
    if (!compiled.ok) throw new Error(compiled.problem);
    expect(compiled.schema.judge({ [`p${i}`]: `${i}abc` })).toBe('conforms');
    dropped.push(new WeakRef(compiled.schema));
  }
  // A WeakRef holds on until the turn ends.
  await turn();
  collect();
  expect(dropped.filter((schema) => schema.deref()).length).toBeLessThan(5);
  await compiler.close();
});

function startThread(name: string, maxOldGenerationSizeMb: number) {
  const thread = new Worker(new URL(`../../packages/schemas/src/${name}`, import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb, maxYoungGenerationSizeMb: 8 },
    execArgv: [],
  });
  onTestFinished(async () => {
    await thread.terminate();
  });
  return thread;
}

const schemaOf = (id: number) => ({
  type: 'object',
  properties: { [`p${id}`]: { type: 'string', maxLength: id } },
});

it('compiles 1,000 schemas in a thread whose heap would not hold what each leaves behind', async () => {
  const thread = startThread('compile/compile-thread.ts', 28);
  await once(thread, 'message');
  for (let id = 0; id < 1_000; id++) {
    thread.postMessage({ raw: JSON.stringify(schemaOf(id)), isNew: true });
    // Rejects when the thread ends for want of memory.
    const [answer] = await once(thread, 'message');
    expect(answer).toMatchObject({ outline: { instructions: 0 }, warnings: [], changes: [] });
  }
});

it('explains by 3,000 schemas in a thread whose heap would not hold them all', async () => {
  const thread = startThread('explain/explain-thread.ts', 96);
  await once(thread, 'message');
  for (let id = 0; id < 3_000; id++) {
    const bodies = new Uint8Array(Buffer.from(`{"p${id}":1}`));
    const schema = { hash: String(id), linked: JSON.stringify(schemaOf(id)), draft: '2020-12' };
    const questions = [{ hash: schema.hash, length: bodies.length }];
    const progress = new Int32Array(new SharedArrayBuffer(4));
    thread.postMessage({ questions, bodies, schemas: [schema], progress });
    const [[answer]] = await once(thread, 'message');
    expect(answer).toMatchObject({ issues: [{ path: `/p${id}`, keyword: 'type' }] });
  }
});
