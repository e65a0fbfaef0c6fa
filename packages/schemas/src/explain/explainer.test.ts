import { Worker } from 'node:worker_threads';
import { createMetrics } from '@sluice/shared/metrics/metrics.ts';
import { describe, expect, it, type Mock, onTestFinished, vi } from 'vitest';
import { checkSchema } from '../check/check.ts';
import { link } from '../check/link.ts';
import { createExplainer, type Disagreement } from './explainer.ts';

const client = 'a';
const quiet = { warn() {}, error() {} };

function start(
  options: { waitMs?: number; deadlineMs?: number; onDisagreement?(way: Disagreement): void } = {},
) {
  const explainer = createExplainer({ log: quiet, waitMs: 60_000, deadlineMs: 60_000, ...options });
  onTestFinished(explainer.close);
  return explainer;
}

let made = 0;
const schemaOf = (schema: object) => {
  made += 1;
  const checked = checkSchema(JSON.stringify({ type: 'object', ...schema }));
  const linked = JSON.stringify(link(checked.schema, checked.draft, checked.walk));
  return { hash: String(made), linked, draft: checked.draft };
};
const body = (payload: object) => Buffer.from(JSON.stringify(payload));

/** Ajv tries 2^`levels` ways. */
const doubling = (levels: number) =>
  schemaOf({
    $defs: {
      ...Object.fromEntries(
        Array.from({ length: levels }, (_, i) => [
          `d${i}`,
          { anyOf: Array(2).fill({ $ref: `#/$defs/d${i + 1}` }) },
        ]),
      ),
      [`d${levels}`]: { type: 'string' },
    },
    properties: { n: { type: 'number' }, slow: { $ref: '#/$defs/d0' } },
  });
const endless = () => doubling(30);
const slow = body({ slow: 1 });
const quick = body({ n: 'x' });
const isNumber = [{ path: '/n', keyword: 'type', message: 'must be number' }];
const unexplained = [{ path: '', keyword: 'unexplained', message: expect.stringContaining('in time') }];

function watchEnds() {
  const ended = vi.spyOn(Worker.prototype, 'terminate');
  onTestFinished(() => ended.mockRestore());
  return ended;
}

it('sends 10,000 questions of one turn in a few messages', async () => {
  const explainer = start();
  const sent = vi.spyOn(Worker.prototype, 'postMessage');
  onTestFinished(() => sent.mockRestore());
  const schema = schemaOf({ properties: { n: { type: 'number' } } });
  const asked = Array.from({ length: 10_000 }, (_, i) =>
    explainer.explain(client, schema, body({ n: `${i}` })),
  );
  for (const found of await Promise.all(asked)) expect(found).toEqual(isNumber);
  expect(sent.mock.calls.length).toBeLessThan(100);
});

it('answers the other questions of a message in which one takes too long', async () => {
  const explainer = start({ deadlineMs: 1_000 });
  const schema = endless();
  const asked = [quick, slow, quick].map((each) => explainer.explain(client, schema, each));
  const other = explainer.explain('b', schema, quick);
  expect(await Promise.all([...asked, other])).toEqual([isNumber, unexplained, isNumber, isNumber]);
});

it('gives a client that asks only costly questions no details for a while, and others theirs', async () => {
  const explainer = start({ deadlineMs: 1_000 });
  const schema = endless();
  const ended = watchEnds();
  const asked = Array.from({ length: 100 }, () => explainer.explain(client, schema, slow));
  for (const found of await Promise.all(asked)) expect(found).toEqual(unexplained);
  expect(ended).toHaveBeenCalledTimes(3);
  expect(await explainer.explain(client, schema, quick)).toEqual(unexplained);
  expect(await explainer.explain('b', schema, quick)).toEqual(isNumber);
});

it('answers in time behind a question that is not answered yet', async () => {
  const explainer = start({ waitMs: 200 });
  const ended = watchEnds();
  const schema = endless();
  const asked = [slow, quick].map((each) => explainer.explain(client, schema, each));
  expect(await Promise.all(asked)).toEqual([unexplained, unexplained]);
  expect(ended).not.toHaveBeenCalled();
});

it('gives a client no details for a while after many questions that each are answered', async () => {
  const explainer = start();
  const ended = watchEnds();
  const schema = doubling(15);
  const [quickly, slowly] = [quick, body({ n: 'x', slow: 1 })];
  const ask = () => explainer.explain(client, schema, slowly);
  // On a busy machine the while may be over before the last answer: then it is asked again.
  await expect
    .poll(
      async () => {
        const [first, ...others] = await Promise.all(Array.from({ length: 3_000 }, ask));
        return [first?.length, others.at(-1), await explainer.explain(client, schema, quickly)];
      },
      { timeout: 50_000 },
    )
    .toEqual([expect.any(Number), unexplained, unexplained]);
  expect(await explainer.explain('b', schema, quickly)).toEqual(isNumber);
  expect(ended).not.toHaveBeenCalled();
});

it('lets a client go before many that took much', async () => {
  const explainer = start();
  const schema = doubling(16);
  const many = ['b', 'c', 'd', 'e', 'f'];
  const ask = (each: string, sent: Buffer) => explainer.explain(each, schema, sent);
  await Promise.all(many.map((each) => Promise.all(Array.from({ length: 8 }, () => ask(each, slow)))));
  const order: string[] = [];
  const asked = many.map((each) => ask(each, slow).then(() => order.push(each)));
  await Promise.all([...asked, ask(client, quick).then(() => order.push(client))]);
  expect(order.indexOf(client)).toBeLessThan(3);
});

it('tells one place where Ajv takes too long to compile the schema, which it tries once', async () => {
  // Ajv takes twice the deadline and more, the judge less than a tenth: a busy machine changes neither.
  const explainer = start({ deadlineMs: 400 });
  const ended = watchEnds();
  const branches = { anyOf: [{ type: 'null' }, { type: 'string' }] };
  const names = Array.from({ length: 4_000 }, (_, i) => `p${i}`);
  const schema = schemaOf({
    required: ['other'],
    properties: Object.fromEntries(names.map((name) => [name, branches])),
  });
  for (const each of ['a', 'b', 'a'])
    expect(await explainer.explain(each, schema, quick)).toMatchObject([{ path: '', keyword: 'required' }]);
  expect(ended).toHaveBeenCalledTimes(1);
});

it('tells one place of a payload in which Ajv could find more errors than fit in memory', async () => {
  const kinds = ['a', 'b', 'c'].map((name) => ({ type: 'object', required: [name] }));
  const schema = schemaOf({ properties: { events: { items: { anyOf: kinds } } } });
  const events = [{ a: 1 }, ...Array(200_000).fill({})];
  expect(await start().explain(client, schema, body({ events }))).toEqual([
    { path: '/events/1', keyword: 'anyOf', message: 'does not conform to anyOf of the schema' },
  ]);
});

it('says that nothing was found where the schema is itself, and when it is closed', async () => {
  const explainer = start();
  expect(await explainer.explain(client, schemaOf({ $ref: '#' }), quick)).toEqual(unexplained);
  await explainer.close();
  expect(await explainer.explain(client, schemaOf({}), quick)).toEqual(unexplained);
});

describe('two judges that disagree', () => {
  const schema = schemaOf({ properties: { n: { type: 'number' } } });
  const good = body({ n: 1 });

  async function look(about: (explainer: ReturnType<typeof start>, log: Mock) => unknown) {
    const metrics = createMetrics({ port: 0, token: undefined });
    const log = vi.fn();
    const seen: Disagreement[] = [];
    const explainer = createExplainer({
      waitMs: 60_000,
      log: { ...quiet, error: log },
      metrics,
      onDisagreement: (way) => seen.push(way),
    });
    onTestFinished(explainer.close);
    await about(explainer, log);
    // What was asked before has its answer.
    await explainer.explain(client, schema, quick);
    const counts = Array.from(
      (await metrics.text()).matchAll(/disagreements_total\{way="(\w+)"\} 1/g),
      ([, way]) => way,
    );
    return { seen, counts, logged: log.mock.calls.map(([line]) => line) };
  }

  it('are counted and logged, without the payload, where Ajv finds nothing', async () => {
    const { seen, counts, logged } = await look(async (explainer) => {
      expect(await explainer.explain(client, schema, good)).toMatchObject([
        { path: '', keyword: 'unexplained' },
      ]);
    });
    expect({ seen, counts }).toEqual({ seen: ['refused_by_judge'], counts: ['refused_by_judge'] });
    expect(logged).toEqual([{ event: 'judge.disagreement', way: 'refused_by_judge', schema: schema.hash }]);
  });

  it('are counted and logged where Ajv refuses what was accepted, of which it sees one in 1,000', async () => {
    const { seen, counts, logged } = await look(async (explainer, log) => {
      for (let i = 0; i < 3_000; i++) explainer.sample(schema, quick);
      await vi.waitFor(() => expect(log).toHaveBeenCalled(), 60_000);
    });
    expect({ seen, counts }).toEqual({ seen: ['refused_by_ajv'], counts: ['refused_by_ajv'] });
    expect(logged).toEqual([
      { event: 'judge.disagreement', way: 'refused_by_ajv', schema: schema.hash, keyword: 'type' },
    ]);
  });

  it.each([
    ['numbers beyond 2^53', { properties: { n: { minimum: 1 } } }, '{"n":9007199254740993}'],
    ['multipleOf', { properties: { n: { multipleOf: 0.01 } } }, '{"n":1}'],
    ['contains', { properties: { n: { contains: {} } } }, '{"n":[1]}'],
    ['unevaluated parts', { unevaluatedProperties: { type: 'number' } }, '{"n":1}'],
    ['a schema with which Ajv fails', { $ref: '#' }, '{"n":1}'],
    ['the text __proto__', {}, '{"n":["__proto__"]}'],
  ])('are silent about %s, where Ajv is known to err', async (_what, inexact, payload) => {
    const { seen, logged } = await look((explainer) =>
      explainer.explain(client, schemaOf(inexact), Buffer.from(payload)),
    );
    expect({ seen, logged }).toEqual({ seen: [], logged: [] });
  });
});
