import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { client, dataOf } from '../../api/client.ts';
import type { EditorProblem } from '../../editor/text-editor.tsx';
import { pauseMs, problemsOf } from '../../schema-form/problems.ts';

/** What the API says of a schema that was written by hand; one from a sample has no slips. */
export function useSchemaProblems(schema: string | undefined): EditorProblem[] {
  const [settled = ''] = useDebouncedValue(schema, pauseMs);
  const isKnown = schema !== undefined && settled === schema;
  const { data, error } = useQuery({
    queryKey: ['schema-problems', settled],
    queryFn: ({ signal }) =>
      dataOf(client.POST('/api/schemas/validate', { body: { schema: settled }, signal })),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    enabled: isKnown,
  });
  return useMemo(
    () => (isKnown ? problemsOf(settled, data?.warnings, error) : []),
    [isKnown, settled, data, error],
  );
}
