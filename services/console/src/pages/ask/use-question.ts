import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { unshared } from '../../json/exact.ts';
import { ask, type QuestionAnswer } from './answer.ts';

interface Asked {
  sql: string;
  /** The same question again gets a new answer. */
  turn: number;
}

/** A question and its answer. A question that is left is cancelled. */
export function useQuestion(domain: string) {
  const [asked, setAsked] = useState<Asked>();
  const { data, error, isFetching } = useQuery<{ sql: string; answer: QuestionAnswer }>({
    queryKey: ['question', domain, asked],
    queryFn: async ({ signal }) => {
      const { sql } = asked as Asked;
      return { sql, answer: await ask(domain, sql, signal) };
    },
    enabled: asked !== undefined,
    // Changes elsewhere on the page ask nothing again.
    staleTime: 'static',
    gcTime: 0,
    placeholderData: keepPreviousData,
    ...unshared,
  });
  return {
    /** With the SQL that it answers; while another question runs, the answer before. */
    answered: data,
    failure: error,
    failed: error ? asked?.sql : undefined,
    isRunning: isFetching,
    run: (sql: string) => setAsked((before) => ({ sql, turn: (before?.turn ?? 0) + 1 })),
    cancel: () => setAsked(undefined),
  };
}
