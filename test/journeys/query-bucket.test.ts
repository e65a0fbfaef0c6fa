import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { type Call, startSluice, storeOf, until } from '../support/sluice.ts';
import { commandLine } from '../support/sluice-command.ts';
import { startVersitygw } from '../support/versitygw.ts';

const gateway = await startVersitygw();
const { accessKeyId, secretAccessKey, bucket, endpoint } = gateway.target;
const sluice = await startSluice({
  questions: true,
  env: {
    ARCHIVE_FOLDER: `s3://${bucket}/sluice?endpoint=${endpoint}`,
    ARCHIVE_ACCESS_KEY_ID: accessKeyId,
    ARCHIVE_SECRET_ACCESS_KEY: secretAccessKey,
  },
});
afterAll(async () => {
  await sluice.stop();
  await gateway.stop();
});

/** The objects of the bucket. A folder may be removed while it is read. */
function objects(): string[] {
  try {
    return readdirSync(gateway.folder, { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(gateway.folder.length + 1));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return objects();
  }
}

async function application() {
  const { token } = await sluice.owner();
  const domain = await sluice.application(token, { type: 'object', properties: { n: { type: 'integer' } } });
  const call = (method: string, where: string, options: Call = {}) =>
    sluice.request(method, `/applications/${domain}${where}`, { token, ...options });
  const upload = (...entries: object[]) => call('POST', '/data/batch', { json: entries });
  const rows = async (sql: string) => (await call('POST', '/query', { json: { sql } })).body.data?.rows;
  const { id: application = '' } = (await storeOf(sluice).applications.byDomain(domain)) ?? {};
  return { token, domain, application, call, upload, rows };
}

it('answers from files of a bucket, without what was deleted', async () => {
  const { call, upload, rows } = await application();
  await upload({ n: 1 }, { n: 2 }, { n: 3 });
  expect(await rows('select sum(n) from entries')).toEqual([[6]]);
  const [[id]] = await rows('select id from entries where n = 2');
  await call('DELETE', `/data/${id}`);
  await upload({ n: 10 });
  await until(async () => (await rows('select sum(n) from entries'))[0][0] === 14);
});

it('keeps nothing in the bucket of entries that are erased', async () => {
  const { application: id, call, upload, rows } = await application();
  await upload({ n: 1 }, { n: 2 });
  expect(await rows('select sum(n) from entries')).toEqual([[3]]);
  const { id: asked } = await storeOf(sluice).askedArchives.ask(id);
  const files = () => objects().filter((name) => name.startsWith(`sluice/_questions/${asked}/`));
  expect(files()).not.toEqual([]);
  await call('POST', '/erasures', { json: { filter: { n: 2 } } });
  await until(async () => files().length === 0);
  await until(async () => (await rows('select sum(n) from entries'))?.[0][0] === 1);
});

it('has archives and exports without a bucket of their own there too', async () => {
  const { domain, call, upload, token } = await application();
  await upload({ n: 1 });
  const json = { to: { kind: 'folder' }, format: 'ndjson', every: '1h', from: 'beginning' };
  expect((await call('POST', '/archives', { json })).status).toBe(200);
  await until(async () => objects().some((name) => name.startsWith(`sluice/${domain}/_manifests/`)));
  const user = commandLine({ url: sluice.url, token, app: domain });
  expect((await user.sluice(['export', '--to', 'folder', '--format', 'ndjson'])).code).toBe(0);
  expect(objects().filter((name) => name.startsWith('sluice/') && !name.includes('/_'))).toHaveLength(2);
});
