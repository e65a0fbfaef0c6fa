import { connectRedis } from '@sluice/jobs/queue/redis.ts';
import { createLogger } from '@sluice/shared/logger.ts';
import { expect, it, onTestFinished } from 'vitest';
import { importClient } from '../support/import-client.ts';
import { startSluice, until } from '../support/sluice.ts';

it('puts ids alone into Redis, under one hash tag', async () => {
  const sluice = await startSluice({ workers: false, env: { LOGIN_RATE: '100/1m', UPLOAD_RATE: '100/1m' } });
  onTestFinished(sluice.stop);
  const { token, username } = await sluice.owner();
  await sluice.request('POST', '/users/login', { json: { username, password: 'wrong horse' } });
  const domain = await sluice.application(token);
  await sluice.request('POST', `/applications/${domain}/data`, { json: { marker: 1 } });
  const json = { format: 'csv', columns: ['marker'] };
  const exported = await sluice.request('POST', `/applications/${domain}/exports`, { token, json });
  const imported = await importClient(sluice, token).start(domain, '{"marker":2}\n');
  expect([exported.status, imported.status]).toEqual([202, 202]);
  expect((await sluice.request('DELETE', `/applications/${domain}`, { token })).status).toBe(200);

  const { REDIS_URL: url, REDIS_PREFIX: prefix } = sluice.env as { REDIS_URL: string; REDIS_PREFIX: string };
  const log = createLogger('test', { level: 'silent', pretty: false });
  const redis = connectRedis({ url }, log, 'patient');
  onTestFinished(() => redis.disconnect());
  const keys = async () => redis.keys(`*${prefix}*`);
  const kinds = ['exports', 'jobs', 'purges', 'invalidations', 'logins', 'uploads'];
  await until(async () => {
    const all = await keys();
    return kinds.every((kind) => all.some((key) => key.split(':')[1] === kind));
  });
  const all = await keys();
  expect(all.filter((key) => !key.startsWith(`{${prefix}}:`))).toEqual([]);

  const payloads: Record<string, unknown>[] = [];
  for (const key of all) {
    if ((await redis.type(key)) !== 'hash') continue;
    const data = await redis.hget(key, 'data');
    if (data) payloads.push(JSON.parse(data));
  }
  // An export, the calls to an import, a purge and an invalidation.
  expect(payloads.length).toBeGreaterThanOrEqual(4);
  const isSmall = (value: unknown) => typeof value === 'number' || /^[0-9a-f]{24}$/.test(String(value));
  expect(payloads.filter((payload) => !Object.values(payload).every(isSmall))).toEqual([]);
});
