import createClient from 'openapi-fetch';
import type { components, paths } from './sluice.d.ts';

type NewApplication = components['schemas']['NewApplication'];

/** Registers, uploads and exports with a client whose types are generated from the description; prints the export. */
const client = createClient<paths>({ baseUrl: process.argv[2] as string });
const credentials = { username: 'grace', password: 'correct horse battery' };

const registered = await client.POST('/api/users/register', { body: { ...credentials, locale: 'en' } });
if (registered.error) throw new Error(registered.error.error.message);

const login = await client.POST('/api/users/login', { body: credentials });
if (login.error) throw new Error(login.error.error.message);
const headers = { authorization: `Bearer ${login.data.data.token}` };

const body: NewApplication = {
  name: 'Weather station',
  type: 'server',
  schema: JSON.stringify({ type: 'object', properties: { celsius: { type: 'number' } } }),
};
const created = await client.POST('/api/applications', { headers, body });
if (created.error) throw new Error(created.error.error.message);
const path = { domain: created.data.data.domain };

const refused = await client.POST('/api/applications/{domain}/data', {
  params: { path },
  body: { celsius: 'warm' },
});
if (refused.error?.error.name !== 'SchemaValidationError') throw new Error('taken, though it is no number');

for (const celsius of [21.5, 22]) {
  const uploaded = await client.POST('/api/applications/{domain}/data', {
    params: { path },
    body: { celsius },
  });
  if (uploaded.error) throw new Error(uploaded.error.error.message);
}

const exported = await client.GET('/api/applications/{domain}/export', {
  headers,
  params: { path, query: { format: 'csv', columns: 'celsius' } },
  parseAs: 'text',
});
if (exported.error) throw new Error('no export');
console.log(exported.data);
