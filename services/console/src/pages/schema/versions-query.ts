import { read } from '../../api/client.ts';

/** The versions of the schema, with who published each. */
export const versionsQuery = (domain: string) =>
  read('/api/applications/{domain}/schemas', { path: { domain } });
