import { GenericContainer, getContainerRuntimeClient, getReaper, Wait } from 'testcontainers';
import { makePrimary } from '../../local/stores/replica-set.ts';
import { disableRyuk } from './env.ts';
import type { TestStores } from './test-stores.ts';

/** MongoDB and Redis in containers of their own, in memory only. The images must be there. */
export async function startContainers(images: { mongo: string; redis: string }): Promise<TestStores> {
  await preferRyuk();
  const [mongo, redis] = await Promise.all([startMongo(images.mongo), startRedis(images.redis)]);
  return {
    mongodbUrl: mongo.url,
    redisUrl: redis.url,
    mongodbSource: `container ${images.mongo}`,
    redisSource: `container ${images.redis}`,
    async stop() {
      await Promise.all(
        [mongo.container, redis.container].map((container) => container.stop({ timeout: 0 })),
      );
    },
  };
}

/** Ryuk removes the containers of a killed run, but its image cannot be had everywhere. */
async function preferRyuk(): Promise<void> {
  try {
    await getReaper(await getContainerRuntimeClient());
  } catch {
    disableRyuk();
  }
}

async function startMongo(image: string) {
  const container = await new GenericContainer(image)
    .withCommand(['--replSet', 'sluice', '--bind_ip_all'])
    .withTmpFs({ '/data/db': 'rw' })
    .withExposedPorts(27017)
    .withWaitStrategy(Wait.forLogMessage(/Waiting for connections/))
    .start();
  const url = `mongodb://${container.getHost()}:${container.getMappedPort(27017)}/?directConnection=true`;
  await makePrimary(url, '127.0.0.1:27017', AbortSignal.timeout(30_000));
  return { container, url };
}

async function startRedis(image: string) {
  const container = await new GenericContainer(image)
    .withCommand(['--save', '', '--maxmemory-policy', 'noeviction'])
    .withExposedPorts(6379)
    .withWaitStrategy(Wait.forLogMessage(/Ready to accept connections/))
    .start();
  return { container, url: `redis://${container.getHost()}:${container.getMappedPort(6379)}` };
}
