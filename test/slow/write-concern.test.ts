import type { Document } from 'mongodb';
import { expect, inject, it, onTestFinished } from 'vitest';
import { createCommandProxy } from '../support/command-proxy.ts';
import { exportClient } from '../support/export-client.ts';
import { importClient } from '../support/import-client.ts';
import { ownDatabase, throughProxy } from '../support/own-database.ts';
import { startSluice, until } from '../support/sluice.ts';
import { uploadClient } from '../support/upload-client.ts';

const writes = ['insert', 'update', 'delete', 'findAndModify', 'commitTransaction'];
const nameOf = (command: Document) => Object.keys(command)[0] as string;
/** Those within a transaction have the concern of its end. */
const isWithin = (command: Document) => command.autocommit === false && !('commitTransaction' in command);
const isDurable = ({ writeConcern = {} }: Document) =>
  writeConcern.w === 'majority' && writeConcern.j === true;
const shown = (command: Document) => `${nameOf(command)} ${command[nameOf(command)]}`;

it('everything that is written is to be acknowledged by a majority and journaled, by name', async () => {
  const { url } = await ownDatabase();
  const { hostname, port } = new URL(inject('mongodbUrl'));
  const proxy = await createCommandProxy({ host: hostname, port: Number(port || 27017) });
  onTestFinished(proxy.close);
  const sluice = await startSluice({ env: { MONGODB_URL: throughProxy(url, proxy) } });
  onTestFinished(sluice.stop);

  const { token } = await sluice.owner();
  const domain = await sluice.application(token);
  const path = `/applications/${domain}`;
  await sluice.request('PATCH', path, { token, json: { name: 'Changed' } });
  await sluice.request('POST', `${path}/keys`, { token, json: { name: 'Key' } });
  const client = uploadClient(sluice, token);
  const headers = { 'idempotency-key': 'key' };
  const stored = [
    await client.upload(domain, '{"a":1}'),
    await client.upload(domain, '{"b":1}', 'key'),
    await client.batch(domain, '{"c":1}\n', { headers }),
    await client.batch(domain, '{"d":1}\n', { query: '?atomic=true' }),
  ];
  expect(stored.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  await importClient(sluice, token).complete(domain, '{"e":1}\n[]\n');
  const exports = exportClient(sluice.url, token);
  await exports.over(domain, await exports.create(domain));
  await sluice.request('DELETE', path, { token });
  await until(async () => proxy.commands.some((command) => command.delete === 'entries'));

  const seen = proxy.commands.filter((command) => writes.includes(nameOf(command)) && !isWithin(command));
  expect(seen.filter((command) => !isDurable(command)).map(shown)).toEqual([]);
  const least = [
    'insert users',
    'insert applications',
    'insert entries',
    'insert jobs',
    'commitTransaction 1',
  ];
  expect(seen.map(shown)).toEqual(expect.arrayContaining(least));
});
