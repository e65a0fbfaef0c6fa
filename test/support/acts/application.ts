import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import type { Recorder } from './recorder.ts';

export interface Given {
  domain: string;
  /** Of the owner, who acts with it. */
  token: string;
  /** An event of the owner. */
  did: (action: string, before?: object, after?: object) => { action: string; actor: string; via: string };
}

const path = '/api/applications/{domain}';
const idOf = ({ body }: { body: { data: { id: string } } }) => body.data.id;

const parts = ({ domain, token }: Given) => ({
  on: (names: Record<string, string> = {}, json?: unknown) => ({ token, json, in: { domain, ...names } }),
});

/** Settings, schemas and members. */
export async function actOnSettings(
  { act }: Recorder,
  given: Given,
  member: Record<'username' | 'token', string>,
) {
  const { did, domain } = given;
  const { on } = parts(given);
  await act(
    `patch ${path}`,
    on({}, { name: 'On the roof', type: 'other', retention_days: 30 }),
    did(
      'application.updated',
      { name: 'Test', retention_days: null },
      { name: 'On the roof', retention_days: 30 },
    ),
  );
  await act(
    'patch /api/users/me/alerts/{domain}',
    on({}, { silence: 60 }),
    did('alerts.updated', {}, { silence: 60 }),
  );
  const schema = { type: 'object', required: ['id'], properties: { id: { type: 'number' } } };
  await act(
    `post ${path}/schemas`,
    on({}, { schema }),
    did('schema.published', { version: 1 }, { version: 2 }),
  );
  await act('post /api/schemas/validate', on({}, { schema }));

  const { username } = member;
  const put = `put ${path}/members/{username}`;
  await act(put, on({ username }, { role: 'reader' }), did('member.set', undefined, { role: 'reader' }));
  await act(
    put,
    on({ username }, { role: 'editor' }),
    did('member.set', { role: 'reader' }, { role: 'editor' }),
  );
  const left = { action: 'member.removed', actor: username, via: 'password', before: { role: 'editor' } };
  await act(`delete ${path}/members/{username}`, { token: member.token, in: { domain, username } }, left);
}

/** Returns the secrets. */
export async function actOnKeys({ act }: Recorder, given: Given): Promise<string[]> {
  const { did } = given;
  const { on } = parts(given);
  const created = await act(
    `post ${path}/keys`,
    on({}, { name: 'Sensor' }),
    did('key.created', undefined, { name: 'Sensor' }),
  );
  const id = idOf(created);
  const upload_rate = { entries: 5, seconds: 60 };
  await act(
    `patch ${path}/keys/{id}`,
    on({ id }, { name: 'Sensor', upload_rate }),
    did('key.updated', {}, { upload_rate }),
  );
  const rotated = await act(`post ${path}/keys/{id}/rotate`, on({ id }), did('key.rotated'));
  await act(`delete ${path}/keys/{id}`, on({ id }), did('key.revoked', { name: 'Sensor', upload_rate }));
  return [created.body.data.key, rotated.body.data.key];
}

/** Returns the secrets: the path of a URL may be one. */
export async function actOnWebhooks({ act }: Recorder, given: Given): Promise<string[]> {
  const { did } = given;
  const { on } = parts(given);
  const hidden = randomBytes(12).toString('hex');
  const settings = { url: 'https://hooks.example.com', events: ['export.failed'], state: 'active' };
  const json = { url: `${settings.url}/${hidden}`, events: settings.events };
  const created = await act(
    `post ${path}/webhooks`,
    on({}, json),
    did('webhook.created', undefined, settings),
  );
  const id = idOf(created);
  const paused = { state: 'paused' };
  await act(
    `patch ${path}/webhooks/{id}`,
    on({ id }, paused),
    did('webhook.updated', { state: 'active' }, paused),
  );
  const delivery = idOf(await act(`post ${path}/webhooks/{id}/ping`, on({ id }), did('webhook.pinged')));
  const redeliver = `post ${path}/webhooks/{id}/deliveries/{delivery}/redeliver`;
  await act(redeliver, on({ id, delivery }), did('webhook.redelivered'));
  const since = { from: '2026-01-01T00:00:00Z' };
  await act(`post ${path}/webhooks/{id}/redeliver`, on({ id }, since), did('webhook.redelivered'));
  const rotated = await act(`post ${path}/webhooks/{id}/rotate`, on({ id }), did('webhook.rotated'));
  await act(`delete ${path}/webhooks/{id}`, on({ id }), did('webhook.deleted', { ...settings, ...paused }));
  return [hidden, created.body.data.secret, rotated.body.data.secret];
}

/** Archives, questions and views. Returns the secrets. */
export async function actOnArchives({ act }: Recorder, given: Given): Promise<string[]> {
  const { did } = given;
  const { on } = parts(given);
  const secret = randomBytes(12).toString('hex');
  const to = { kind: 's3', bucket: 'lake', access_key_id: 'first' };
  const settings = { format: 'csv', every: '1d', from: 'now' };
  const json = { to: { ...to, secret_access_key: secret }, ...settings };
  const after = { to: expect.objectContaining(to), ...settings, state: 'active' };
  const id = idOf(await act(`post ${path}/archives`, on({}, json), did('archive.created', undefined, after)));
  const newKey = { to: { access_key_id: 'second', secret_access_key: `${secret}2` } };
  await act(
    `patch ${path}/archives/{id}`,
    on({ id }, newKey),
    did(
      'archive.updated',
      { to: expect.objectContaining(to) },
      { to: expect.objectContaining({ ...to, access_key_id: 'second' }) },
    ),
  );
  await act(`post ${path}/archives/{id}/run`, on({ id }), did('archive.made'));
  await act(`post ${path}/archives/{id}/verify`, on({ id }), did('verification.made'));
  await act(
    `delete ${path}/archives/{id}`,
    on({ id }),
    did('archive.deleted', expect.objectContaining(settings)),
  );

  const question = { name: 'Daily', sql: 'select 1' };
  const saved = await act(
    `post ${path}/queries`,
    on({}, question),
    did('question.saved', undefined, { name: 'Daily' }),
  );
  await act(
    `delete ${path}/queries/{id}`,
    on({ id: idOf(saved) }),
    did('question.deleted', { name: 'Daily' }),
  );
  const view = { name: 'Oslo', query: 'filter=eq:/place:Oslo', shared: true };
  const shared = { name: view.name, query: view.query };
  const kept = idOf(await act(`post ${path}/views`, on({}, view), did('view.saved', undefined, shared)));
  await act(
    `put ${path}/views/{id}`,
    on({ id: kept }, { ...view, query: '' }),
    did('view.updated', { query: view.query }, { query: '' }),
  );
  await act(`delete ${path}/views/{id}`, on({ id: kept }), did('view.deleted', { name: 'Oslo', query: '' }));
  // Without a query worker.
  await act(`post ${path}/query`, { ...on({}, { sql: 'select 1' }), status: 503 });
  return [secret];
}
