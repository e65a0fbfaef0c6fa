import { useOutletContext } from 'react-router';
import { type Application, type GivenRole, may } from '../../api/applications.ts';
import { client, dataOf, type Schemas } from '../../api/client.ts';
import { showSuccess } from '../../components/toasts.ts';
import { words } from '../../words/en.ts';

/** The application to which the open section belongs. */
export const useApplication = (): Application => useOutletContext<Application>();

export const useMay = (role: GivenRole): boolean => may(useApplication(), role);

/** Changes the application. */
export function useUpdate() {
  const params = { path: { domain: useApplication().domain } };
  return async (body: Schemas['ApplicationUpdate']) => {
    await dataOf(client.PATCH('/api/applications/{domain}', { params, body }));
    showSuccess(words.settings.saved);
  };
}
