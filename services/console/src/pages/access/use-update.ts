import { useMutation, useQueryClient } from '@tanstack/react-query';
import { applicationQuery } from '../../api/applications.ts';
import { client, dataOf, type Schemas } from '../../api/client.ts';
import { showSuccess } from '../../components/toasts.ts';
import { words } from '../../words/en.ts';

/** Changes settings of an application. */
export function useUpdate(domain: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: Schemas['ApplicationUpdate']) =>
      dataOf(client.PATCH('/api/applications/{domain}', { params: { path: { domain } }, body })),
    onSuccess: (application) => {
      queryClient.setQueryData(applicationQuery(domain).queryKey, application);
      showSuccess(words.access.saved);
    },
  });
}
