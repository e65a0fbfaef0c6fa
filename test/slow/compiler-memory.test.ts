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
it('keeps no validator that its caller has dropped', async () => {
  const compiler = createCompiler();
  const dropped: WeakRef<object>[] = [];
  for (let i = 0; i < 40; i++) {
    const schema = { type: 'object', properties: { [`p${i}`]: { pattern: `^${i}[a-z]{1,50}$` } } };
    const compiled = await compiler.compile(JSON.stringify(schema));
    if (!compiled.ok) throw new Error(compiled.problem);
    expect(compiled.validator.validate({ [`p${i}`]: `${i}abc` })).toBeNull();
    const payload = { [`p${i}`]: '' };
    await compiled.validator.explain(payload, compiled.validator.validate(payload) ?? []);
    dropped.push(new WeakRef(compiled.validator));
  }
  // A WeakRef holds on until the turn ends.
  await turn();
  collect();
  expect(dropped.filter((validator) => validator.deref()).length).toBeLessThan(5);
  await compiler.close();
});

it('compiles 1,000 schemas in a thread whose heap would not hold what each leaves behind', async () => {
  const thread = new Worker(
    new URL('../../packages/schemas/src/compile/compile-thread.ts', import.meta.url),
    {
      resourceLimits: { maxOldGenerationSizeMb: 28, maxYoungGenerationSizeMb: 8 },
      execArgv: [],
    },
  );
  onTestFinished(async () => {
    await thread.terminate();
  });
  await once(thread, 'message');
  for (let id = 0; id < 1_000; id++) {
    const schema = { type: 'object', properties: { [`p${id}`]: { type: 'string', maxLength: id } } };
    thread.postMessage({ raw: JSON.stringify(schema), isNew: true, form: 'first' });
    // Rejects when the thread ends for want of memory.
    const [answer] = await once(thread, 'message');
    const generated = { code: expect.any(String), instructions: 0 };
    expect(answer).toMatchObject({ generated, warnings: [], changes: [] });
  }
});
