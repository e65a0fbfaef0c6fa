/** How the test run gets its stores. */
export function testEnv(env: NodeJS.ProcessEnv = process.env) {
  const { TEST_MONGODB_URL, TEST_REDIS_URL, SLUICE_TEST_STORES, MONGO_IMAGE, REDIS_IMAGE } = env;
  if (SLUICE_TEST_STORES && !['docker', 'local'].includes(SLUICE_TEST_STORES)) {
    throw new Error('SLUICE_TEST_STORES must be docker or local');
  }
  if (!TEST_MONGODB_URL !== !TEST_REDIS_URL) {
    throw new Error('set both of TEST_MONGODB_URL and TEST_REDIS_URL, or none');
  }
  return {
    mongodbUrl: TEST_MONGODB_URL,
    redisUrl: TEST_REDIS_URL,
    only: SLUICE_TEST_STORES as 'docker' | 'local' | undefined,
    mongoImage: MONGO_IMAGE ?? 'mongo:8',
    redisImage: REDIS_IMAGE ?? 'redis:8',
  };
}

/** Without the container that tidies up after killed runs; `testcontainers` reads this when it starts one. */
export function disableRyuk(): void {
  process.env.TESTCONTAINERS_RYUK_DISABLED = 'true';
}
