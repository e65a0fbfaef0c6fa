import { useQuery } from '@tanstack/react-query';
import { read } from '../../api/client.ts';
import { useApplication, useMay } from './use-application.ts';

/** Returns a function that finds the name of an ingest key. Only editors may read the names: others see the id. */
export function useKeyNames({ isNeeded = true } = {}): (key: string) => string {
  const { domain } = useApplication();
  const mayRead = useMay('editor');
  const { data } = useQuery({
    ...read('/api/applications/{domain}/keys', { path: { domain } }),
    enabled: mayRead && isNeeded,
  });
  return (key) => data?.find(({ id }) => id === key)?.name ?? key;
}
