import { QueryObserver } from '@tanstack/react-query';
import { expect, it, vi } from 'vitest';
import { queryClient } from './query-client.ts';
import { session } from './session.ts';

it('goes on with what a page reads when the end of the session is told twice', async () => {
  session.end();
  let answer = (_: string) => {};
  const queryFn = () => new Promise<string>((resolve) => (answer = resolve));
  const page = new QueryObserver(queryClient, { queryKey: ['page'], queryFn });
  const stop = page.subscribe(() => {});
  session.end();
  answer('read');
  await vi.waitFor(() => expect(page.getCurrentResult().data).toBe('read'));
  stop();
});
