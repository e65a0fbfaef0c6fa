import type { Logger } from '@sluice/shared/logger.ts';
import type { Metrics } from '@sluice/shared/metrics/metrics.ts';

const results = [
  'answered',
  'refused',
  'too_long',
  'too_large',

  'busy',
  'cancelled',
  'failed',
] as const;
export type QuestionResult = (typeof results)[number];

export type RecordQuestions = ReturnType<typeof recordQuestions>;

/** Counts and logs how questions end: who asked, not what, nor what the answer says. */
export function recordQuestions({ count, observe }: Pick<Metrics, 'count' | 'observe'>, log: Logger) {
  const counts = new Map(results.map((result) => [result, count('sluice_questions_total', { result })]));
  const observeAnswered = observe('sluice_question_seconds', {});

  /** A question begins. The function that it returns is to be called at its end. */
  return (asked: { application: string; owner: string }) => {
    const startedAt = performance.now();
    return (result: QuestionResult, found: { rows?: number; err?: unknown } = {}): void => {
      const seconds = (performance.now() - startedAt) / 1_000;
      counts.get(result)?.();
      if (result === 'answered') observeAnswered(seconds);
      const line = { event: `question.${result}`, ...asked, seconds, ...found };
      if (result === 'failed') log.warn(line);
      else log.debug(line);
    };
  };
}
