import { connectRedis } from '@sluice/jobs/queue/redis.ts';
import { createLogger } from '@sluice/shared/logger.ts';
import { MongoClient } from 'mongodb';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startMongodb } from '../../local/stores/mongodb.ts';
import { startRedis } from '../../local/stores/redis.ts';
import { doctor } from '../support/doctor.ts';
import { storeOptions } from '../support/local/stores.ts';
import { tempDir } from '../support/local/temp-dir.ts';
import { ownStores } from '../support/sluice.ts';

describe('sluice-admin doctor', () => {
  it('finds a Redis that evicts, keeps nothing and is almost full', async () => {
    const { url } = await startRedis(storeOptions(tempDir()));
    const redis = connectRedis({ url }, createLogger('test', { level: 'silent', pretty: false }), 'patient');
    onTestFinished(() => redis.disconnect());
    const used = Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]);
    for (const [name, value] of [
      ['maxmemory', Math.ceil(used * 1.1)],
      ['maxmemory-policy', 'allkeys-lru'],
      ['appendonly', 'no'],
    ] as const)
      await redis.config('SET', name, value);
    const { code, found } = await doctor({ ...ownStores(), REDIS_URL: url });
    expect(code).toBe(1);
    expect(found).toMatchObject({
      'Redis eviction': { level: 'fail', message: expect.stringContaining('maxmemory-policy to noeviction') },
      'Redis persistence': { level: 'warn', message: expect.stringContaining('appendonly') },
      'Redis memory': { level: expect.stringMatching('warn|fail') },
      'Redis role': { level: 'ok' },
    });
  });

  it('finds a replica set without a majority', async () => {
    const { url } = await startMongodb(storeOptions(tempDir()));
    const client = new MongoClient(url);
    onTestFinished(() => client.close());
    const { config } = await client.db('admin').command({ replSetGetConfig: 1 });
    const gone = [1, 2].map((_id) => ({ _id, host: `127.0.0.1:${_id}` }));
    const replSetReconfig = { ...config, version: 2, members: [...config.members, ...gone] };
    await client.db('admin').command({ replSetReconfig, force: true });
    const { code, found } = await doctor({ ...ownStores(), MONGODB_URL: url });
    expect(code).toBe(1);
    expect(found).toMatchObject({
      'replica set': { message: expect.stringContaining('members with data: 3') },
      'write concern': { level: 'fail', message: expect.stringContaining('start the missing members') },
    });
  });

  it('finds stores that are away', async () => {
    const env = {
      MONGODB_URL: 'mongodb://127.0.0.1:1/?directConnection=true',
      REDIS_URL: 'redis://127.0.0.1:1',
    };
    const { code, found } = await doctor({ ...ownStores(), ...env, MONGODB_TIMEOUT: '1s' });
    expect(code).toBe(1);
    expect(found).toMatchObject({
      MongoDB: { level: 'fail', message: expect.stringContaining('ECONNREFUSED') },
      Redis: { level: 'fail', message: 'Redis does not answer' },
    });
    expect(found).not.toHaveProperty('indexes');
  });
});
