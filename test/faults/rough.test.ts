import { describe, it } from 'vitest';
import { clockFaults } from './clock.ts';
import { expectNothingLeft, useCluster } from './cluster.ts';
import { diskFaults } from './disks.ts';
import { nothing } from './leftovers.ts';
import { networkFaults } from './network.ts';
import { toxiproxyImage } from './toxiproxy.ts';

/** Path of libfaketime.so.1 (Debian's package faketime); without it clocks are left alone. */
const { FAKETIME_LIBRARY } = process.env;

describe('a cluster with faulty networks, disks and clocks', () => {
  const cluster = useCluster(async () => ({
    files: ['test/faults/rough.yml'],
    settings: { TOXIPROXY_IMAGE: await toxiproxyImage(), ...(FAKETIME_LIBRARY && { FAKETIME_LIBRARY }) },
  }));
  networkFaults(cluster);
  diskFaults(cluster);
  clockFaults(cluster, FAKETIME_LIBRARY !== undefined);
  it('leaves nothing behind', () => expectNothingLeft(cluster(), nothing));
});
