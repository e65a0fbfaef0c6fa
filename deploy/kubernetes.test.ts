import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createProducer } from '@sluice/jobs/queue/producer.ts';
import { exportsQueue, jobsQueue, purgesQueue, type QueueDefinition } from '@sluice/jobs/queue/queues.ts';
import { loadApiConfig } from '@sluice/shared/config/load.ts';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { ownRedis } from '../test/support/own-redis.ts';

interface Pod {
  automountServiceAccountToken: boolean;
  terminationGracePeriodSeconds: number;
  securityContext: object;
  containers: {
    name: string;
    env: { name: string; value: string }[];
    securityContext: object;
    volumeMounts: object[];
  }[];
}

const folder = join(import.meta.dirname, 'kubernetes');
const resources = globSync('{base,query-worker}/*.yaml', { cwd: folder }).flatMap((file) =>
  parseAllDocuments(readFileSync(join(folder, file), 'utf8')).map((document) => document.toJS()),
);
const ofKind = (kind: string) => resources.filter((each) => each.kind === kind);
const pods: Pod[] = ofKind('Deployment').map(({ spec }) => spec.template.spec);

/** The settings of a pod. The API's settings include all of a worker. */
function settingsOf({ containers }: Pod) {
  const set = Object.fromEntries(
    containers.flatMap(({ env }) => env.map(({ name, value }) => [name, value])),
  );
  const { JWT_SECRET_FILE: _file, ...env } = set;
  return loadApiConfig({ ...env, MONGODB_URL: 'mongodb://a', REDIS_URL: 'redis://b', JWT_SECRET: 'x' });
}

it('has a deployment for each service', () => {
  expect(pods.map(({ containers }) => containers[0]?.name).toSorted()).toEqual([
    'api',
    'export-worker',
    'ingest-worker',
    'query-worker',
  ]);
});

it.each(pods)('gives $containers.0.name longer to stop than it takes', (pod) => {
  const { shutdownTimeoutMs } = settingsOf(pod);
  expect(pod.terminationGracePeriodSeconds * 1_000).toBeGreaterThanOrEqual(shutdownTimeoutMs + 5_000);
});

it('lets the API serve on after SIGTERM, then finish the longest request, before its time is up', () => {
  const api = pods.find(({ containers }) => containers[0]?.name === 'api') as Pod;
  const { drainDelayMs, requestTimeoutMs, shutdownTimeoutMs } = settingsOf(api);
  expect(drainDelayMs).toBeGreaterThanOrEqual(10_000);
  expect(shutdownTimeoutMs).toBeGreaterThanOrEqual(drainDelayMs + requestTimeoutMs);
});

it.each(pods)('gives $containers.0.name no more rights than it needs', (pod) => {
  expect(pod.automountServiceAccountToken).toBe(false);
  expect(pod.securityContext).toMatchObject({
    runAsNonRoot: true,
    seccompProfile: { type: 'RuntimeDefault' },
  });
  for (const { securityContext } of pod.containers)
    expect(securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
});

it('lets only APIs ask query workers, which only read the folder of archives', () => {
  const ingress = ofKind('NetworkPolicy').flatMap(({ spec }) => spec.ingress ?? []);
  const asked = ingress.filter(({ ports }) => ports.some(({ port }: { port: number }) => port === 4_100));
  const labels = { 'app.kubernetes.io/part-of': 'sluice', 'app.kubernetes.io/component': 'api' };
  expect(asked.map(({ from }) => from)).toEqual([[{ podSelector: { matchLabels: labels } }]]);
  const worker = pods.find(({ containers }) => containers[0]?.name === 'query-worker');
  expect(worker?.containers[0]?.volumeMounts).toContainEqual({
    name: 'archive',
    mountPath: '/archive',
    readOnly: true,
  });
});

it('scales by the keys under which jobs wait', async () => {
  const { config, log, redis } = await ownRedis();
  const producer = <Payload>(queue: QueueDefinition<Payload>) => createProducer(queue, redis, config, log);
  const id = 'a0'.repeat(12);
  await producer(exportsQueue).add({ jobId: id, slot: 0 }, { priority: 1 });
  await producer(jobsQueue).add({ jobId: id, slot: 0 }, { priority: 1 });
  await producer(purgesQueue).add({ applicationId: id });

  const lists: string[] = ofKind('ScaledObject').flatMap(({ spec }) =>
    spec.triggers.map(({ metadata }: { metadata: { listName: string } }) => metadata.listName),
  );
  const keyOf = (list: string) => list.replace('{sluice}', `{${config.prefix}}`);
  const waiting = lists.filter((list) => !list.endsWith(':active'));
  expect(waiting).toHaveLength(3);
  for (const list of waiting) {
    const key = keyOf(list);
    const count = (await redis.type(key)) === 'zset' ? await redis.zcard(key) : await redis.llen(key);
    expect([list, count]).toEqual([list, 1]);
  }
  expect(lists.filter((list) => list.endsWith(':active'))).toEqual([
    '{sluice}:exports:active',
    '{sluice}:jobs:active',
  ]);
});
