import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Draft } from '@sluice/schemas/draft.ts';

export interface Oracle {
  /** Whether each payload conforms to the schema; undefined where no other validator follows the specification. */
  judge(schema: unknown, draft: Draft, payloads: unknown[]): Promise<boolean[] | undefined>;
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
      const oracle = oracleFor(JSON.stringify(schema), draft);
      if (!oracle) return undefined;
      child.stdin.write(`${JSON.stringify({ oracle, schema, payloads })}\n`);
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

/** jsonschema 4.26, but for its own errors. */
function oracleFor(schema: string, draft: Draft): 'jsonschema' | 'jsonschema-rs' | undefined {
  if (draft === '2019-09' && schema.includes('"unevaluated')) {
    // Both let `contains` evaluate items; by 9.3.1.3 only `items`, `additionalItems` and `unevaluatedItems` do.
    if (schema.includes('"unevaluatedItems"') && schema.includes('"contains"')) return undefined;
    // It takes `additionalProperties` for a map of names; by 9.3.2.4 it evaluates all that it applies to.
    return 'jsonschema-rs';
  }
  // It fails on a boolean `items` beside `additionalItems`, which then does nothing (9.3.1.2; in drafts 06 and 07, 6.10 and 6.4.2).
  if (/"items":(true|false)/.test(schema) && schema.includes('"additionalItems"')) return 'jsonschema-rs';
  return 'jsonschema';
}
