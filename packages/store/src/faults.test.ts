import { MongoBulkWriteError, MongoClient } from 'mongodb';
import { expect, it, onTestFinished } from 'vitest';
import { createCuttableProxy } from '../../../test/support/cuttable-proxy.ts';
import { ownDatabase, throughProxy } from '../../../test/support/own-database.ts';
import { until } from '../../../test/support/sluice.ts';
import { storeFault } from './faults.ts';

it('a bulk write says that MongoDB is away as other writes do', async () => {
  const { url } = await ownDatabase();
  const { hostname, port } = new URL(url);
  const proxy = await createCuttableProxy({ host: hostname, port: Number(port) });
  onTestFinished(proxy.close);
  const options = { maxPoolSize: 1, serverSelectionTimeoutMS: 200, retryWrites: false };
  const client = new MongoClient(throughProxy(url, proxy), options);
  onTestFinished(() => client.close());
  const docs = client.db().collection('docs');
  await until(() =>
    docs.insertOne({}).then(
      () => true,
      () => false,
    ),
  );

  // The others wait for the connection of the first when it ends.
  proxy.stall();
  const inserts = [1, 2, 3].map(() => docs.insertMany([{}, {}], { ordered: false }).catch((error) => error));
  await proxy.cut();
  const errors = await Promise.all(inserts);
  const later = await docs.insertMany([{}]).catch((error) => error);
  for (const error of [...errors, later]) expect(error).toBeInstanceOf(MongoBulkWriteError);
  expect(errors.map(storeFault)).not.toContain(undefined);
  expect(storeFault(later)).toBe('away');
});
