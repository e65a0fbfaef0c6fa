import { Skeleton, Stack } from '@mantine/core';
import { words } from '../words/en.ts';
import { ErrorAlert } from './error-alert.tsx';

const widths = ['40%', '100%', '90%', '95%', '70%'];

/** The shape of a page whose data are on their way. */
export function Loading() {
  return (
    <Stack role="status" aria-label={words.common.loading} py="xs">
      {widths.map((width) => (
        <Skeleton key={width} height={16} width={width} />
      ))}
    </Stack>
  );
}

/** Stands where a query has no data: shows why, or that the query runs. */
export const Unread = ({ error, retry }: { error: Error | null; retry?: () => unknown }) =>
  error ? <ErrorAlert error={error} onRetry={retry} /> : <Loading />;
