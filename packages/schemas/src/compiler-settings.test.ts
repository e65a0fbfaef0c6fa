import { setImmediate as turn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { faultsOf } from '../../../test/support/faults-of.ts';
import { createCompiler } from './compile/compiler.ts';
import type { CompiledSchema } from './judge/compiled-schema.ts';

// What is tested here is not how long it takes, on a busy machine.
const compiler = createCompiler({ deadlineMs: 60_000 });
afterAll(() => compiler.close());

async function compile(schema: object): Promise<CompiledSchema> {
  const compiled = await compiler.compile(JSON.stringify({ type: 'object', ...schema }));
  if (!compiled.ok) throw new Error(compiled.problem);
  return compiled.schema;
}

describe('a payload', () => {
  const schemas: [what: string, schema: object, payload: object][] = [
    [
      'gets no default',
      { properties: { a: { default: 1 }, b: { properties: { c: { default: 1 } } } } },
      { b: {} },
    ],
    [
      'is not coerced',
      { properties: { a: { type: 'number' }, b: { type: ['string', 'null'] } } },
      { a: '1', b: 1 },
    ],
    ['keeps what may not be there', { properties: { a: {} }, additionalProperties: false }, { a: 1, b: 1 }],
    ['keeps what does not conform', { additionalProperties: { type: 'string' } }, { b: 1 }],
    ['keeps what is not named', { properties: { a: {} } }, { b: 1 }],
  ];
  it.each(schemas)('%s', async (_what, schema, payload) => {
    const validator = await compile(schema);
    const before = structuredClone(payload);
    faultsOf(validator, payload);
    expect(payload).toEqual(before);
  });

  it('is no place that a schema reads from', async () => {
    const validator = await compile({ properties: { a: { const: { $data: '1/b' } } } });
    expect(faultsOf(validator, { a: { $data: '1/b' }, b: 1 })).toBeNull();
    expect(faultsOf(validator, { a: 1, b: 1 })).toMatchObject([{ path: '/a', keyword: 'const' }]);
  });
});

it('keeps schemas apart that have the same $id', async () => {
  const of = (type: string) =>
    compile({
      $id: 'https://example.com/a',
      $defs: { b: { $id: 'b', type } },
      properties: { value: { $ref: 'b' } },
    });
  const [numbers, strings] = [await of('number'), await of('string')];
  for (const [validator, good, bad] of [
    [numbers, 1, 'x'],
    [strings, 'x', 1],
  ] as const) {
    expect(faultsOf(validator, { value: good })).toBeNull();
    expect(faultsOf(validator, { value: bad })).toMatchObject([{ path: '/value', keyword: 'type' }]);
  }
});

/** Compiles for much longer than the test looks on. */
const endless = JSON.stringify({
  type: 'object',
  properties: Object.fromEntries(
    Array.from({ length: 4_000 }, (_, i) => [`p${i}`, { $ref: `#/$defs/d${i}` }]),
  ),
  $defs: Object.fromEntries(Array.from({ length: 4_000 }, (_, i) => [`d${i}`, { maximum: i }])),
});

it.each([
  ['a new schema', true, 2],
  ['one that was accepted before', false, 20],
])('gives %s (%s) %i s of the processor to compile', async (_what, isNew, seconds) => {
  const own = createCompiler();
  onTestFinished(own.close);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const used = vi.spyOn(Worker.prototype, 'cpuUsage');
  onTestFinished(() => void vi.useRealTimers());
  onTestFinished(() => used.mockRestore());
  used
    .mockResolvedValueOnce({ user: 0, system: 0 })
    .mockResolvedValueOnce({ user: seconds * 1_000_000 - 100_000, system: 90_000 });
  used.mockResolvedValueOnce({ user: seconds * 1_000_000 - 100_000, system: 100_000 });
  const untilUsedIsRead = async (times: number) => {
    while (used.mock.calls.length < times) await turn();
  };
  const compiling = own.compile(endless, { isNew });
  await untilUsedIsRead(1);
  vi.advanceTimersByTime(seconds * 1_000);
  await untilUsedIsRead(2);
  // The timer for the 10 ms that are left is set within a turn.
  await turn();
  vi.advanceTimersByTime(10);
  expect(await compiling).toEqual({
    ok: false,
    problem: 'the schema takes too long to compile',
  });
  expect(used).toHaveBeenCalledTimes(3);
});
