import { surelyAccepts } from '@sluice/schemas/accept/accepts.ts';
import { rulesOf } from '@sluice/schemas/accept/rules-of.ts';
import { checkSchema } from '@sluice/schemas/check/check.ts';
import { checkAndLink, generate } from '@sluice/schemas/compile/generate.ts';
import { type Draft, drafts } from '@sluice/schemas/draft.ts';
import { createRun, isTooMany } from '@sluice/schemas/validate/run.ts';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { runs } from '../support/runs.ts';
import { anyPayload, anySchema } from './any-schema.ts';
import { startOracle } from './oracle.ts';

/** Schemas of each draft; each meets payloadsASchema payloads in both forms of the code. */
const { numRuns } = runs(300);
const payloadsASchema = 20;

const oracle = startOracle();
afterAll(() => oracle.close());

/** What the code of both forms says of each payload, and the rules if there are any. */
function validate(schema: unknown, payloads: unknown[]): unknown[][] {
  const checked = checkSchema(JSON.stringify(schema));
  const rules = rulesOf(checkAndLink(checked));
  const byRules = rules && payloads.map((payload) => surelyAccepts(rules, payload));
  const byCode = [false, true].map((exhaustive) => {
    const { run } = createRun(generate(checked, exhaustive).code);
    return payloads.map((payload) => {
      const issues = run(payload);
      return issues && isTooMany(issues) ? 'too many steps' : issues === null;
    });
  });
  return byRules ? [...byCode, byRules] : byCode;
}

it.each(drafts)('validates by draft %s as other validators do', async (draft: Draft) => {
  let compared = 0;
  let ruled = 0;
  const property = fc.asyncProperty(
    anySchema(draft),
    fc.array(anyPayload, { minLength: payloadsASchema, maxLength: payloadsASchema }),
    async (schema, payloads) => {
      const [first = [], all = [], byRules] = validate(schema, payloads);
      if (byRules) ruled += payloads.length;
      const expected = await oracle.judge(schema, draft, payloads);
      if (expected) compared += 2 * payloads.length;
      for (const [i, payload] of payloads.entries()) {
        const found = { schema, payload, first: first[i], all: all[i], rules: byRules?.[i] };
        const right = expected ? expected[i] : first[i];
        // The rules leave payloads that take too many steps to the code.
        const rules = byRules && right === true;
        expect(found).toEqual({ ...found, first: right, all: right, rules });
      }
    },
  );
  await fc.assert(property, { numRuns });
  console.log(`draft ${draft}: ${numRuns} schemas, ${compared} verdicts compared, ${ruled} of rules`);
  // Of draft 2019-09 about half: both oracles err about the others.
  expect(compared).toBeGreaterThan((numRuns * payloadsASchema) / 2);
  // Of the later drafts about a quarter: the others have unevaluated parts, which rules leave to the code.
  expect(ruled).toBeGreaterThan((numRuns * payloadsASchema) / 5);
});
