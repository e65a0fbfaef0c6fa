import type { Logger } from '@sluice/shared/logger.ts';
import type { Metrics } from '@sluice/shared/metrics/metrics.ts';
import { limits } from '../limits.ts';
import type { Explained } from './explain-thread.ts';
import { type Issue, unexplained } from './issue.ts';
import { createQuestions, type Found, type QuestionOptions } from './questions.ts';

/** Finds the words for what the judge refused, and compares some of its verdicts with Ajv's. */
export interface Explainer {
  /** All that is wrong with a payload that the judge refused. Clients take turns. Never rejects. */
  explain(client: string, schema: Explained, body: Uint8Array): Promise<Issue[]>;
  /** Looks at some of the payloads that the judge accepted, aside. */
  sample(schema: Explained, body: Uint8Array): void;
  close(): Promise<void>;
}

/** Which judge refused a payload that the other one accepted. */
export type Disagreement = 'refused_by_judge' | 'refused_by_ajv';

interface ExplainerOptions extends Omit<QuestionOptions, 'log'> {
  log: Pick<Logger, 'warn' | 'error'>;
  metrics?: Pick<Metrics, 'count'>;
  /** Keeps the count for sluice-admin. Called once a second at most, as is the log. */
  onDisagreement?(way: Disagreement): void;
}

const silentMs = 1_000;

/** The client of samples, so that no refusal waits behind one. */
const aside = '';

export function createExplainer({ metrics, onDisagreement, ...options }: ExplainerOptions): Explainer {
  const questions = createQuestions(options);
  const count = (way: Disagreement) => metrics?.count('sluice_judge_disagreements_total', { way });
  const counts = { refused_by_judge: count('refused_by_judge'), refused_by_ajv: count('refused_by_ajv') };
  let unlooked = 0;
  let next = 0;
  let silentUntil = 0;

  function disagree(way: Disagreement, { hash }: Explained, keyword?: string): void {
    counts[way]?.();
    if (performance.now() < silentUntil) return;
    silentUntil = performance.now() + silentMs;
    options.log.error({ event: 'judge.disagreement', way, schema: hash, keyword });
    onDisagreement?.(way);
  }

  /** Takes under one part in `limits.sampleRest` of the processor. */
  function rest(schema: Explained, found: Found | undefined): void {
    next = performance.now() + limits.sampleRest * (found?.tookMs ?? limits.explainDeadlineMs);
    if (found?.isExact && found.isSeen) disagree('refused_by_ajv', schema, found.issues[0]?.keyword);
  }

  return {
    async explain(client, schema, body) {
      const found = await questions.ask(client, schema, body);
      if (found?.isExact && !found.isSeen) disagree('refused_by_judge', schema, found.issues[0]?.keyword);
      return found?.issues[0] ? found.issues : [unexplained];
    },
    sample(schema, body) {
      unlooked += 1;
      if (unlooked < limits.sampleOf || performance.now() < next) return;
      unlooked = 0;
      next = Number.POSITIVE_INFINITY;
      void questions.ask(aside, schema, body).then((found) => rest(schema, found));
    },
    close: questions.close,
  };
}
