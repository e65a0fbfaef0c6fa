import { queryOptions } from '@tanstack/react-query';
import { read } from './client.ts';

const refreshMs = 10_000;

export const webhooksQuery = (domain: string) =>
  queryOptions({
    ...read('/api/applications/{domain}/webhooks', { path: { domain } }),
    refetchInterval: refreshMs,
  });
