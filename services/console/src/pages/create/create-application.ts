import { client, dataOf } from '../../api/client.ts';
import { words } from '../../words/en.ts';

interface Draft {
  name: string;
  /** A JSON Schema as text, kept as it is. */
  schema: string;
  keyRequired: boolean;
}

/** Creates an application, and a key for its first uploads where they need one. Throws ApiFailure. */
export async function createApplication({ name, schema, keyRequired }: Draft) {
  const { domain } = await dataOf(
    client.POST('/api/applications', { body: { name, type: 'other', schema } }),
  );
  if (!keyRequired) return { domain };
  const params = { path: { domain } };
  await dataOf(client.PATCH('/api/applications/{domain}', { params, body: { key_required: true } }));
  const { key } = await dataOf(
    client.POST('/api/applications/{domain}/keys', { params, body: { name: words.create.firstKey } }),
  );
  return { domain, key };
}
