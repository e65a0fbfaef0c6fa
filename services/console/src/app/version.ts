import { queryOptions } from '@tanstack/react-query';

/** Each version of the console has a script of its own. */
const ownScript = document.querySelector('script[type=module][src]')?.getAttribute('src') ?? '';

/** Whether Sluice serves another version of the console than this page. Rejects while it cannot be reached. */
async function isUpdated(signal: AbortSignal): Promise<boolean> {
  const response = await fetch('/', { cache: 'no-store', signal });
  if (!response.ok) throw new Error(String(response.status));
  return !(await response.text()).includes(`src="${ownScript}"`);
}

/** Asked again when the page gets the focus. */
export const versionQuery = queryOptions({
  queryKey: ['version'],
  queryFn: ({ signal }) => isUpdated(signal),
  networkMode: 'always',
});
