import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { toJson } from '@sluice/json/numbers.ts';
import type { Draft } from '@sluice/schemas/draft.ts';

const validators = ['jsonschema', 'jsonschema-rs'] as const;
export type Validator = (typeof validators)[number];

export interface Oracle {
  /** Whether each payload conforms to the schema, by each validator that follows the specification there. */
  judge(schema: unknown, draft: Draft, payloads: unknown[]): Promise<Partial<Record<Validator, boolean[]>>>;
  close(): Promise<void>;
}

/** Two other validators, run by Python. */
export function startOracle(): Oracle {
  const python = process.env.DRAFTS_PYTHON;
  if (!python)
    throw new Error(
      'set DRAFTS_PYTHON to a python3 that has jsonschema and jsonschema-rs: see CONTRIBUTING.md',
    );
  const child = spawn(python, [join(import.meta.dirname, 'oracle.py')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async judge(schema, draft, payloads) {
      const asked = validators.filter(
        (validator) => !errs[validator](toJson(schema), draft, toJson(payloads)),
      );
      child.stdin.write(`${toJson({ validators: asked, schema, payloads })}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error('the oracle has ended');
      return JSON.parse(value);
    },
    async close() {
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}

/** Both let `contains` evaluate items; by 9.3.1.3 of draft 2019-09 only `items`, `additionalItems` and `unevaluatedItems` do. */
const containsEvaluates = (schema: string, draft: Draft) =>
  draft === '2019-09' && schema.includes('"unevaluatedItems"') && schema.includes('"contains"');

const errs: Record<Validator, (schema: string, draft: Draft, payloads: string) => boolean> = {
  jsonschema: (schema, draft, payloads) =>
    // It divides doubles.
    (/"multipleOf":\d\.5/.test(schema) && /\d{16}/.test(payloads)) ||
    // It takes `additionalProperties` for a map of names; by 9.3.2.4 it evaluates all that it applies to.
    (draft === '2019-09' && schema.includes('"unevaluated')) ||
    // It fails on a boolean `items` beside `additionalItems`, which then does nothing (9.3.1.2; in drafts 06 and 07, 6.10 and 6.4.2).
    (/"items":(true|false)/.test(schema) && schema.includes('"additionalItems"')),
  'jsonschema-rs': containsEvaluates,
};
