import { Center, Loader } from '@mantine/core';
import { words } from '../words/en.ts';
import { ErrorAlert } from './error-alert.tsx';

export function Loading() {
  return (
    <Center py="xl" role="status" aria-label={words.common.loading}>
      <Loader />
    </Center>
  );
}

/** Stands where a query has no data: shows why, or that the query runs. */
export const Unread = ({ error, retry }: { error: Error | null; retry?: () => unknown }) =>
  error ? <ErrorAlert error={error} onRetry={retry} /> : <Loading />;
