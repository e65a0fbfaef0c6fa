import { toJson } from '@sluice/json/numbers.ts';
import { checkSchema } from '@sluice/schemas/check/check.ts';
import { ajvClasses, checkAndLink } from '@sluice/schemas/check/check-and-link.ts';
import { type Draft, drafts } from '@sluice/schemas/draft.ts';
import { judgeFully } from '@sluice/schemas/judge/judge.ts';
import { rulesOf } from '@sluice/schemas/judge/rules-of.ts';
import type { Schema } from '@sluice/schemas/schema.ts';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { runs } from '../support/runs.ts';
import { anyPayload, anySchema } from './any-schema.ts';
import { startOracle } from './oracle.ts';

/** Schemas of each draft; each meets payloadsASchema payloads. */
const { numRuns } = runs(300);
const payloadsASchema = 20;

const oracle = startOracle();
afterAll(() => oracle.close());

function judgeAll(linked: Schema, payloads: unknown[]): (boolean | 'too many steps')[] {
  const rules = rulesOf(linked);
  return payloads.map((payload) => {
    const verdict = judgeFully(rules, payload);
    return verdict === 'too many steps' ? verdict : verdict === 'conforms';
  });
}

/** Plain Ajv: undefined where it is known to err. It is asked about the linked schema, as the explainer asks it. */
function judgeByAjv(linked: Schema, draft: Draft, payloads: unknown[]): (boolean | undefined)[] {
  if (ajvErrs.test(toJson(linked))) return [];
  const ajv = new ajvClasses[draft]({
    strict: false,
    logger: false,
    validateSchema: false,
    ownProperties: true,
  });
  const validate = ajv.compile(linked);
  return payloads.map((payload) =>
    mayMislead.test(toJson(payload)) ? undefined : (validate(payload) as boolean),
  );
}

/** It knows no BigInt, loses parts that were evaluated, skips `contains` after others, and does not require the empty name. */
const ajvErrs = /\d{16}|"(?:unevaluated\w+|contains)":|\[[^{}[\]]*""/;
/** It calls a member named `toString` where it compares values. */
const mayMislead = /\d{16}|"toString"/;

it.each(drafts)('judges by draft %s as other validators do', async (draft: Draft) => {
  const compared: Record<string, number> = {};
  const property = fc.asyncProperty(
    anySchema(draft),
    fc.array(anyPayload, { minLength: payloadsASchema, maxLength: payloadsASchema }),
    async (schema, payloads) => {
      const linked = checkAndLink(checkSchema(toJson(schema)));
      const judged = judgeAll(linked, payloads);
      const others = {
        ...(await oracle.judge(schema, draft, payloads)),
        ajv: judgeByAjv(linked, draft, payloads),
      };
      for (const [validator, verdicts] of Object.entries(others)) {
        for (const [i, payload] of payloads.entries()) {
          if (verdicts[i] === undefined) continue;
          compared[validator] = (compared[validator] ?? 0) + 1;
          const found = { schema, payload, validator, judged: judged[i] };
          expect(found).toEqual({ ...found, judged: verdicts[i] });
        }
      }
    },
  );
  await fc.assert(property, { numRuns });
  console.log(
    `draft ${draft}: ${numRuns * payloadsASchema} verdicts, as by ${JSON.stringify(compared)}, 0 wrong`,
  );
  expect(compared['jsonschema-rs']).toBeGreaterThan((numRuns * payloadsASchema) / 3);
});
