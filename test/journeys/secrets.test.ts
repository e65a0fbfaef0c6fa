import { expect, it } from 'vitest';
import { exitOf, run } from '../support/service-process.ts';
import { ownStores, until } from '../support/sluice.ts';

const secret = 'hunter2-of-the-stores';

function withCredentials(url: string): string {
  const changed = new URL(url);
  changed.username = 'watcher';
  changed.password = secret;
  return changed.href;
}

it.each(['api', 'ingest-worker', 'export-worker'])(
  '%s logs that its stores refuse a password, and not the password, at the finest level',
  async (service) => {
    const env = ownStores();
    const { output } = run(service, {
      ...env,
      MONGODB_URL: withCredentials(env.MONGODB_URL as string),
      REDIS_URL: withCredentials(env.REDIS_URL as string),
      LOG_LEVEL: 'trace',
    });
    await until(async () => /redis\.away/.test(output.text));
    await until(async () => /Authentication failed/.test(output.text));
    expect(output.text).not.toContain(secret);
  },
);

it.each([
  ['MONGODB_URL', `mongodb://${secret}/watcher:${secret}@127.0.0.1/sluice`],
  ['MONGODB_URL', `mongodb://watcher:${secret}/@127.0.0.1/sluice`],
  ['MONGODB_URL', `mongodb://watcher:${secret}@@127.0.0.1/sluice`],
  ['MONGODB_URL', `mongodb://watcher:${secret}@127.0.0.1/sluice?tls=${secret}`],
  ['MONGODB_URL', `mongodb://watcher:${secret}@127.0.0.1/sluice?no-such-option=1`],
  ['REDIS_URL', `redis://watcher:${secret}@127.0.0.1:port`],
  ['REDIS_URL', `watcher:${secret}@127.0.0.1`],
])('the API does not start with a %s that is none, and does not repeat it', async (name, url) => {
  const { child, output } = run('api', { ...ownStores(), [name]: url });
  expect(await exitOf(child)).toBe(1);
  expect(output.text).toMatch(new RegExp(`^sluice api: ${name} `, 'm'));
  expect(output.text).not.toContain(secret);
});

it.each([
  ['short', 'hunter2'],
  ['short in a list', `${'x'.repeat(32)},hunter2`],
  ['empty in a list', 'hunter2-hunter2-hunter2-hunter2-hunter2,'],
])('does not repeat a JWT_SECRET that is %s', async (_what, JWT_SECRET) => {
  const { child, output } = run('api', { ...ownStores(), NODE_ENV: 'production', JWT_SECRET });
  expect(await exitOf(child)).toBe(1);
  expect(output.text).toMatch(/^sluice api: JWT_SECRET /m);
  expect(output.text).not.toContain('hunter2');
});
