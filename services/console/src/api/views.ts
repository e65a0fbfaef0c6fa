import { read } from './client.ts';

/** The shared views of an application, and those of the user. */
export const viewsQuery = (domain: string) => read('/api/applications/{domain}/views', { path: { domain } });
