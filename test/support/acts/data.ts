import type { Given } from './application.ts';
import type { Recorder } from './recorder.ts';

const path = '/api/applications/{domain}';

/** Kinds of jobs that members make, and with what. The payload is a secret. */
const made: Record<string, { kind: string; json: unknown; query?: string }> = {
  exports: { kind: 'export', json: {} },
  imports: { kind: 'import', json: [{ id: 1, text: 'payload-marker' }] },
  rehearsals: { kind: 'rehearsal', json: { schema: { type: 'object' } } },
  replays: { kind: 'replay', json: {} },
  deletions: { kind: 'deletion', json: { filter: { text: 'payload-marker' } } },
  unique: { kind: 'unique', json: { path: '/id' }, query: '?dry_run=true' },
};

/** Entries, uploads that are refused, and jobs. `fail` lets a job fail, as no worker runs. Returns the secrets. */
export async function actOnData(
  { act }: Recorder,
  { domain, token, did }: Given,
  { fail, verification }: { fail: (id: string) => Promise<void>; verification: string },
): Promise<string[]> {
  const on = (names: Record<string, string> = {}, json?: unknown) => ({
    token,
    json,
    in: { domain, ...names },
  });
  const payload = { id: 1, text: 'payload-marker' };
  const stored = await act(`post ${path}/data`, on({}, payload));
  await act(`post ${path}/data/batch`, on({}, [payload]));
  await act(`post ${path}/data/validate`, on({}, payload));
  await act(`post ${path}/data/missing`, on({}, { keys: ['k'] }));
  await act(`post ${path}/data`, { ...on({}, { text: 'payload-marker' }), status: 422 });
  const id = stored.headers.get('entry-id') as string;
  await act(`delete ${path}/data/{id}`, on({ id }), did('entry.deleted'));
  const group = { path: '', keyword: 'required', property: 'id' };
  await act(`patch ${path}/refused/groups`, on({}, { ...group, dismissed: true }), did('refused.dismissed'));
  await act(`patch ${path}/refused/groups`, on({}, { ...group, dismissed: false }), did('refused.reopened'));
  await act(`delete ${path}/refused`, on(), did('refused.deleted'));

  async function retryAndRemove(jobs: string, kind: string, id: string): Promise<void> {
    await fail(id);
    const [failed, waiting] = [{ state: 'failed' }, { state: 'waiting' }];
    await act(`post ${path}/${jobs}/{id}/retry`, on({ id }), did(`${kind}.retried`, failed, waiting));
    await act(`delete ${path}/${jobs}/{id}`, on({ id }), did(`${kind}.removed`, waiting));
  }
  for (const [jobs, { kind, json, query }] of Object.entries(made)) {
    const { body } = await act(`post ${path}/${jobs}`, { ...on({}, json), query }, did(`${kind}.made`));
    await retryAndRemove(jobs, kind, body.data.id);
  }
  await retryAndRemove('verifications', 'verification', verification);

  const url = 'https://sluice.invalid/a.csv?token=payload-marker';
  await act(`post ${path}/imports/from-url`, on({}, { url }), did('import.made'));
  const headers = { 'upload-length': '4', 'upload-metadata': 'filename YS5jc3Y=' };
  const begun = await act(`post ${path}/import-files`, { ...on(), headers }, did('import.made'));
  const file = { id: begun.body.data.id };
  const next = { 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' };
  await act(`patch ${path}/import-files/{id}`, { ...on(file), body: 'a\n', headers: next });
  await act(`delete ${path}/import-files/{id}`, on(file), did('import.removed'));
  await act(`post ${path}/erasures`, on({}, { filter: { text: 'payload-marker' } }), did('erasure.made'));
  return ['payload-marker'];
}
