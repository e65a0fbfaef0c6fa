import { fromName, toPointer } from '@sluice/json/pointer.ts';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { queryClient } from '../../api/query-client.ts';
import { toLine } from '../../json/exact.ts';
import type { FieldFact } from '../../schema-form/form.ts';
import { useApplication } from '../application/use-application.ts';
import { fieldsQuery } from '../entries/fields-query.ts';

const mostCharacters = 60;

/** What the stored entries hold in each field, by JSON Pointer; undefined without a query worker. */
export function useFacts(): ReadonlyMap<string, FieldFact> | undefined {
  const { domain } = useApplication();
  const query = useMemo(() => fieldsQuery(domain, { last: 'all' }), [domain]);
  // Not by `useQuery`, which would read all entries again after each change.
  useEffect(() => void queryClient.prefetchQuery(query), [query]);
  const { data } = useQuery({ ...query, enabled: false });
  return useMemo(
    () =>
      data &&
      new Map(
        data.map(({ path, null_share, top, min }) => {
          const value = top[0]?.value ?? min;
          const example = value === undefined ? undefined : toLine(value).slice(0, mostCharacters);
          // A field that a few entries lack is not filled to 100 %.
          const filled = Math.floor((1 - null_share) * 1_000) / 1_000;
          return [toPointer(fromName(path)), { filled, example }];
        }),
      ),
    [data],
  );
}
