import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { admin } from '../support/admin-command.ts';
import { ownDatabase } from '../support/own-database.ts';
import { type Call, type Sluice, startSluice, until } from '../support/sluice.ts';

it('answers what a restored database has, not what the folder had since, and has its saved questions', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-restored-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { url: MONGODB_URL } = await ownDatabase();
  const before = await startSluice({
    questions: true,
    env: { MONGODB_URL, ARCHIVE_FOLDER: join(folder, 'archive') },
  });
  const { token } = await before.owner();
  const domain = await before.application(token, { type: 'object', properties: { n: { type: 'integer' } } });
  const callOf =
    (sluice: Sluice) =>
    (method: string, where: string, options: Call = {}) =>
      sluice.request(method, `/applications/${domain}${where}`, { token, ...options });
  const numbersIn = async (call: ReturnType<typeof callOf>) => {
    const { body } = await call('POST', '/query', { json: { sql: 'select n from entries order by n' } });
    return body.data?.rows.flat();
  };

  const call = callOf(before);
  const names = async (of = call) =>
    (await of('GET', '/queries')).body.data.map(({ name }: { name: string }) => name);
  const upload = (...ns: number[]) => call('POST', '/data/batch', { json: ns.map((n) => ({ n })) });
  await upload(1, 2, 3);
  await call('POST', '/queries', { json: { name: 'kept', sql: 'select 1' } });
  expect(await numbersIn(call)).toEqual([1, 2, 3]);
  const backup = join(folder, 'sluice.backup');
  expect(await admin(before.env, ['backup', '--to', backup])).toMatchObject({ code: 0 });
  await upload(4);
  const [{ id }] = (await call('GET', '/data?filter={"n":2}')).body.data.result;
  await call('DELETE', `/data/${id}`);
  await call('POST', '/queries', { json: { name: 'lost', sql: 'select 2' } });
  await until(async () => String(await numbersIn(call)) === '1,3,4');
  await before.stop();
  expect(await admin(before.env, ['restore', backup, '--force'])).toMatchObject({ code: 0 });

  const after = await startSluice({ questions: true, env: before.env });
  onTestFinished(after.stop);
  const restored = callOf(after);
  expect(await names(restored)).toEqual(['kept']);
  expect(await numbersIn(restored)).toEqual([1, 2, 3]);
  await restored('POST', '/data', { json: { n: 5 } });
  await until(async () => String(await numbersIn(restored)) === '1,2,3,5');
});
