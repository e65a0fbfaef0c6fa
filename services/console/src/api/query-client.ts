import { MutationCache, QueryClient } from '@tanstack/react-query';
import { session } from './session.ts';

const longestMs = 1_000;

/** After each change, the open page reads its data again. The button of the change waits for the data, but not for long. */
const readAgain = (): Promise<unknown> =>
  Promise.race([
    queryClient.invalidateQueries(),
    new Promise((resolve) => {
      setTimeout(resolve, longestMs);
    }),
  ]);

/** Holds what pages have read. `client` retries a read where the API says when, so nothing is retried here. */
export const queryClient: QueryClient = new QueryClient({
  defaultOptions: { queries: { retry: false, staleTime: 2_000 } },
  mutationCache: new MutationCache({ onSettled: readAgain }),
});

// The next user must not see what this one has read.
session.subscribe(() => {
  if (!session.token()) queryClient.clear();
});
