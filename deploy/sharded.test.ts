import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

interface Container {
  command?: string[];
  environment?: Record<string, string>;
  entrypoint?: string[];
}

const read = (path: string) => readFileSync(join(import.meta.dirname, path), 'utf8');
const { services }: { services: Record<string, Container> } = parse(
  read('sharded/docker-compose.yml').replace(/!(override|reset)/g, ''),
  { merge: true },
);
const commandOf = (name: string) => services[name]?.command ?? [];
const argument = (name: string, option: string) => commandOf(name)[commandOf(name).indexOf(option) + 1];
const servers = Object.keys(services).filter((name) => commandOf(name).includes('--replSet'));

describe('deploy/sharded/docker-compose.yml', () => {
  it.each(['api', 'ingest-worker', 'export-worker', 'query-worker'])(
    'has %s talk to mongos, and to no replica set',
    (name) => {
      expect(services[name]?.environment).toEqual({ MONGODB_URL: 'mongodb://mongos:27017/sluice' });
    },
  );

  // By default the port of a shard and of a config server is another, and so is the folder of a config server.
  it.each(servers)('has %s listen at the usual port, and keep its data in its volume', (name) => {
    expect(argument(name, '--port')).toBe('27017');
    const isConfigServer = commandOf(name).includes('--configsvr');
    expect(isConfigServer ? argument(name, '--dbpath') : '/data/db').toBe('/data/db');
    expect(commandOf(name)).toContain(isConfigServer ? '--configsvr' : '--shardsvr');
  });

  it('logs no payloads', () => {
    for (const name of [...servers, 'mongos']) expect(argument(name, '--slowms')).toBe('86400000');
  });

  it('gives each set the name that its first member is initiated with', () => {
    const sets = Object.values(services).flatMap(({ environment, entrypoint }) =>
      environment?.REPLICA_SET ? [[entrypoint?.[4], environment.REPLICA_SET]] : [],
    );
    expect(sets).toEqual([
      ['mongo-shard2', 'rs1'],
      ['mongo-config', 'config'],
    ]);
    for (const [host = '', set] of sets) expect(argument(host, '--replSet')).toBe(set);
    expect(services['mongos-init']?.environment?.SHARDS).toMatch(/^rs0\/\S+ rs1\/\S+$/);
  });
});
