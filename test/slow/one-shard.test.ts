import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { admin } from '../support/admin-command.ts';
import { doctor } from '../support/doctor.ts';
import { startOneShard } from '../support/one-shard.ts';
import { openStore } from '../support/own-database.ts';
import { ownStores } from '../support/sluice.ts';

it('who names a shard instead of mongos is told, and no backup of a part is made or restored', async () => {
  const MONGODB_URL = `mongodb://${await startOneShard()}/sluice?replicaSet=rs0`;
  await openStore(MONGODB_URL).prepare();
  const env = { ...ownStores(), MONGODB_URL };
  const file = join(tmpdir(), 'no.backup');
  for (const command of [
    ['backup', '--to', file],
    ['restore', '-'],
  ])
    expect(await admin(env, command)).toEqual({
      code: 1,
      stdout: '',
      stderr: 'sluice-admin: MONGODB_URL names a shard, which has only a part of the data: name mongos\n',
    });
  expect(await admin(env, ['shard'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is no cluster'),
  });
  const { code, found } = await doctor(env);
  expect(code).toBe(1);
  expect(found['replica set']).toMatchObject({
    level: 'fail',
    message: expect.stringMatching(/^it is one shard of a cluster.*name mongos/),
  });
});
