import { createExplainer } from '@sluice/schemas/explain/explainer.ts';
import { onTestFinished } from 'vitest';

/** An explainer that logs nothing, for one test. */
export function quietExplainer() {
  const explainer = createExplainer({ log: { warn() {}, error() {} }, waitMs: 60_000, deadlineMs: 60_000 });
  onTestFinished(explainer.close);
  return explainer;
}
