import { createCompiler } from '@sluice/schemas/compile/compiler.ts';
import { createExplainer } from '@sluice/schemas/explain/explainer.ts';
import type { Admission } from '@sluice/threads/thread.ts';
import { BSON } from 'mongodb';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { createFieldSet } from './field-set.ts';
import type { Intake } from './intake.ts';
import { createRecordFields } from './intake.ts';
import type { Judged } from './line.ts';
import { createUploadValidator } from './upload-validator.ts';
import { createJudge } from './validate-payload.ts';

const compiler = createCompiler();
afterAll(() => compiler.close());

const explainer = createExplainer({ log: { warn() {}, error() {} }, waitMs: 60_000, deadlineMs: 60_000 });
afterAll(() => explainer.close());

const create = (capacity?: Admission) =>
  createUploadValidator(
    createRecordFields({ add: async () => ({ overflow: false, closed: false }) } as never),
    capacity && { capacity },
  );

function start(...options: Parameters<typeof create>) {
  const uploadValidator = create(...options);
  onTestFinished(uploadValidator.close);
  return uploadValidator;
}

/** Knows one schema. */
const ofStrict = create();
afterAll(() => ofStrict.close());

async function intakeOf(schema: object, id = 'one'): Promise<Intake> {
  const rawSchema = JSON.stringify({ type: 'object', ...schema });
  const compiled = await compiler.compile(rawSchema);
  if (!compiled.ok) throw new Error(compiled.problem);
  const { schema: judging } = compiled;
  const fields = createFieldSet();
  fields.add(['/a', '/pad']);
  return {
    id,
    domain: id,
    owner: 'ada',
    rawSchema,
    version: 1,
    schema: judging,
    judge: createJudge(explainer, { domain: id, client: 'ada', schema: judging }),
    fields,
    recorded: { overflow: false, closed: false },
    size: 0,
  };
}

/** White space makes a body long and changes nothing else. */
const small = (payload: string) => Buffer.from(payload);
const large = (payload: string, bytes = 300_000) => Buffer.from(`${payload}${' '.repeat(bytes)}`);

const told = async (outcome: Judged | Promise<Judged>) => {
  const settled = await outcome;
  return settled.kind === 'accepted'
    ? { ...settled, json: settled.json.toString().trim(), bson: settled.bson.toString('hex') }
    : { refusal: settled.refusal, explain: await settled.explain() };
};

const strict = {
  properties: { a: { type: 'number' }, b: { type: 'number' }, pad: { type: 'string' } },
  required: ['a'],
};

it.each([
  '{"a":1,"c":{"d":2}}',
  '{"a":"x","b":"y"}',
  '{}',
  '{"a":',
  '{"a":1,"a":2}',
  '{"a":12345678901234567890}',
  '[]',
  '\ufeff{"a":1}',
])('says the same of a large body as of a small one: %s', async (payload) => {
  const application = await intakeOf(strict);
  const here = ofStrict.validate(application, small(payload));
  const aside = ofStrict.validate(application, large(payload));
  expect(here).not.toBeInstanceOf(Promise);
  expect(aside).toBeInstanceOf(Promise);
  expect(await told(aside)).toEqual(await told(here));
});

it('has a large body as BSON too', async () => {
  const payload = { a: 1, b: -0.5, c: [null, { d: 'ü' }], e: {} };
  const outcome = await start().validate(await intakeOf(strict), large(JSON.stringify(payload)));
  if (outcome.kind === 'refused') throw new Error('refused');
  expect(BSON.deserialize(outcome.bson)).toEqual(payload);
});

it('keeps the bytes of a large body as they came, also where it is a part of a larger buffer', async () => {
  const application = await intakeOf(strict);
  const body = large('{"a":1}');
  const whole = Buffer.concat([Buffer.from('{"a":"before"}'), body, Buffer.from('behind')]);
  const part = whole.subarray(14, 14 + body.length);
  const outcome = await start().validate(application, part);
  expect(outcome.kind === 'accepted' && outcome.json.equals(body)).toBe(true);
});

it('finds the fields of a large body that are in no list, five thousand and one at most', async () => {
  const application = await intakeOf({});
  const of = async (keys: number) => {
    const entries = Array.from({ length: keys }, (_, i) => [`k${i}`, 1]);
    const outcome = await start().validate(application, large(JSON.stringify(Object.fromEntries(entries))));
    return outcome.kind === 'accepted' ? outcome.fields : [];
  };
  expect(await of(3)).toEqual(['/k0', '/k1', '/k2']);
  expect(await of(20_000)).toHaveLength(5_001);
});

const doubling = Object.fromEntries(
  Array.from({ length: 30 }, (_, i) => [`d${i}`, { allOf: Array(2).fill({ $ref: `#/$defs/d${i + 1}` }) }]),
);

it.each([
  ['takes many steps', { $defs: { ...doubling, d30: {} }, $ref: '#/$defs/d0' }, '{}', 'budget'],
  [
    'is large',
    { anyOf: Array.from({ length: 1_500 }, (_, i) => ({ required: [`a${i}`, `b${i}`] })) },
    '{}',
    'required',
  ],
  [
    'has large patterns',
    {
      patternProperties: Object.fromEntries(
        Array.from({ length: 20 }, (_, i) => [`${i}[ab]{100}`, { type: 'number' }]),
      ),
      required: ['x'],
    },
    '{}',
    'required',
  ],
])('fields a small body to the thread where the schema %s', async (_what, schema, payload, keyword) => {
  const outcome = start().validate(await intakeOf(schema), small(payload));
  expect(outcome).toBeInstanceOf(Promise);
  const refused = await outcome;
  if (refused.kind === 'accepted') throw new Error('it was taken');
  const details = expect.arrayContaining([expect.objectContaining({ keyword })]);
  expect(await refused.explain()).toMatchObject({ details });
});

it('validates each application with its own schema', async () => {
  const uploadValidator = start();
  const [numbers, texts] = [
    await intakeOf(strict, 'one'),
    await intakeOf({ properties: { a: { type: 'string' } } }, 'two'),
  ];
  const bodies = ['{"a":1}', '{"a":"x"}'];
  const answers = await Promise.all(
    bodies.flatMap((body) =>
      [numbers, texts].map((application) => uploadValidator.validate(application, large(body))),
    ),
  );
  expect(answers.map(({ kind }) => kind)).toEqual(['accepted', 'refused', 'refused', 'accepted']);
});

it('counts the bytes of each large body for its owner, until it is validated', async () => {
  const inUse: string[] = [];
  const uploadValidator = start({
    async run(owner, work, bytes) {
      const one = `${owner} ${bytes}`;
      inUse.push(one);
      return work().finally(() => inUse.splice(inUse.indexOf(one), 1));
    },
  });
  const application = await intakeOf(strict);
  const owned = [large('{"a":1}', 100), large('{"a":1}'), large('{"a":2}', 500_000)].map((body) =>
    uploadValidator.validate(application, body),
  );
  const other = uploadValidator.validate({ ...application, owner: 'bob' }, large('{"a":1}'));
  expect(inUse).toEqual(['ada 300007', 'ada 500007', 'bob 300007']);
  for (const outcome of await Promise.all([...owned, other])) expect(outcome.kind).toBe('accepted');
  expect(inUse).toEqual([]);
});

it.each([
  ['small', small],
  ['large', large],
])('refuses without details where they cannot be found (%s)', async (_size, body) => {
  const outcome = await start().validate(await intakeOf(strict), body('{"a":"x"}'));
  if (outcome.kind === 'accepted') throw new Error('it was taken');
  expect(outcome.refusal).toEqual({
    name: 'SchemaValidationError',
    message: 'the payload does not conform to the schema of one',
  });
  expect(await outcome.explain()).toMatchObject({ details: [{ path: '/a', keyword: 'type' }] });
});
