import { QueryClient } from '@tanstack/react-query';
import { session } from './session.ts';

/** What pages have read. A failed read is not tried again here: the client does that where the API says when. */
export const queryClient = new QueryClient({
  defaultOptions: { queries: { retry: false, staleTime: 2_000 } },
});

// What one user has read is not the next one's.
session.subscribe(() => {
  if (!session.token()) queryClient.clear();
});
