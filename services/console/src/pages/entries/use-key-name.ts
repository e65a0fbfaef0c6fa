import { useQuery } from '@tanstack/react-query';
import { read } from '../../api/client.ts';
import { useApplication, useMay } from '../application/use-application.ts';

/** The name of an ingest key, or its id: only editors may read the names. */
export function useKeyName(key: string | undefined): string | undefined {
  const { domain } = useApplication();
  const mayRead = useMay('editor');
  const keys = useQuery({
    ...read('/api/applications/{domain}/keys', { path: { domain } }),
    enabled: mayRead && key !== undefined,
  });
  return keys.data?.find(({ id }) => id === key)?.name ?? key;
}
