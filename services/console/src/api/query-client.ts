import { MutationCache, QueryClient } from '@tanstack/react-query';
import { session } from './session.ts';

/** Holds what pages have read. `client` retries a read where the API says when, so nothing is retried here. */
export const queryClient: QueryClient = new QueryClient({
  defaultOptions: { queries: { retry: false, staleTime: 2_000 } },
  // After each change, the open page reads again what it shows; the change does not wait for that.
  mutationCache: new MutationCache({ onSettled: () => void queryClient.invalidateQueries() }),
});

// The next user must not see what this one has read.
session.subscribe(() => {
  if (!session.token()) queryClient.clear();
});
