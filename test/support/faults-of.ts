import { toJson } from '@sluice/json/numbers.ts';
import { createExplain } from '@sluice/schemas/explain/create-explain.ts';
import type { Issue } from '@sluice/schemas/explain/issue.ts';
import type { CompiledSchema } from '@sluice/schemas/judge/compiled-schema.ts';

/** Null where the payload conforms, else all that is wrong with it. */
export function faultsOf(schema: CompiledSchema, payload: unknown): Issue[] | null {
  const verdict = schema.judge(payload);
  if (verdict === 'conforms') return null;
  if (verdict === 'too many steps') return [{ path: '', keyword: 'budget', message: verdict }];
  return createExplain(schema).explain(Buffer.from(toJson(payload))).issues;
}
