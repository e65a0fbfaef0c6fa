import { describe, it } from 'vitest';
import { expectNothingLeft, useCluster } from './cluster.ts';
import { nothing } from './leftovers.ts';
import { redisFaults } from './redis.ts';
import { restarts } from './restarts.ts';
import { stallFaults } from './stalls.ts';
import { uploadFaults } from './uploads.ts';
import { workerFaults } from './workers.ts';

describe('three members of MongoDB and two replicas of each service', () => {
  const cluster = useCluster();
  uploadFaults(cluster);
  redisFaults(cluster);
  stallFaults(cluster);
  workerFaults(cluster);
  restarts(cluster);
  it('leaves nothing behind', () => expectNothingLeft(cluster(), nothing));
});
