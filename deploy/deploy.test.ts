import { readdirSync, readFileSync } from 'node:fs';
import { BlockList, isIP } from 'node:net';
import { join } from 'node:path';
import { usualTimings } from '@sluice/api/dependencies.ts';
import { parseDuration } from '@sluice/shared/config/kinds.ts';
import { loadApiConfig } from '@sluice/shared/config/load.ts';
import { type ErrorName, errorOf } from '@sluice/shared/errors.ts';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

interface Container {
  command?: string | string[];
  environment?: Record<string, string | number | null>;
  healthcheck?: { test: string[]; interval: string };
  restart?: string;
  stop_grace_period?: string;
  container_name?: string;
  pids_limit?: number;
  ports?: string[];
  sysctls?: Record<string, number>;
  networks?: string[];
  volumes?: string[];
}

const read = (path: string) => readFileSync(join(import.meta.dirname, '..', path), 'utf8');

/** The default settings: `${NAME:-value}` becomes its value. */
const unset = (text: string) => text.replace(/\$\{\w+:-([^}]*)\}/g, '$1');

const { services }: { services: Record<string, Container> } = parse(unset(read('docker-compose.yml')), {
  merge: true,
});
const replicated = ['api', 'ingest-worker', 'export-worker', 'query-worker'];

/** The lines of a section of HAProxy's configuration, without comments. */
function section(name: string): string[] {
  const lines = read('deploy/haproxy/haproxy.cfg').split('\n');
  const start = lines.indexOf(name);
  const end = lines.findIndex((line, at) => at > start && /^\w/.test(line));
  const own = lines.slice(start + 1, end === -1 ? undefined : end).map((line) => line.trim());
  return own.filter((line) => line !== '' && !line.startsWith('#'));
}

const argumentOf = (lines: string[], keyword: string) =>
  lines.find((line) => line.startsWith(`${keyword} `))?.slice(keyword.length + 1);

/** The settings of a container. The API's settings include all of a worker. */
function settingsOf(name: string) {
  const set = Object.entries(services[name]?.environment ?? {}).filter(([, value]) => value !== null);
  const env = Object.fromEntries(set.map(([key, value]) => [key, String(value)]));
  return loadApiConfig({ ...env, JWT_SECRET: 'x'.repeat(32) });
}
const ms = (text: string | undefined) => parseDuration(text ?? '') ?? Number.NaN;

describe('docker-compose.yml', () => {
  it('names no container, so that each service can have replicas', () => {
    const named = Object.keys(services).filter((name) => services[name]?.container_name !== undefined);
    expect([named, Object.keys(services)]).toEqual([[], expect.arrayContaining(replicated)]);
  });

  it.each(replicated)('gives %s longer to stop than it takes, and starts it again when it ends', (name) => {
    const { stop_grace_period, restart } = services[name] as Container;
    expect(ms(stop_grace_period)).toBeGreaterThanOrEqual(settingsOf(name).shutdownTimeoutMs + 5_000);
    expect(restart).toBe('unless-stopped');
  });

  it.each(Object.keys(services))('limits the processes and threads of %s', (name) => {
    expect(services[name]?.pids_limit).toBeGreaterThan(0);
  });

  it('publishes on this machine only; HAProxy elsewhere if SLUICE_ADDRESS is set', () => {
    const published = Object.values(services).flatMap(({ ports }) => ports ?? []);
    expect(published).toEqual(['127.0.0.1:4000:4000', '127.0.0.1:9090:9090', '127.0.0.1:3000:3000']);
  });

  it('lets query workers only read the folder of archives, and reach nothing outside', () => {
    expect(services['query-worker']).toMatchObject({
      networks: ['backend'],
      volumes: ['/tmp', 'archive:/archive:ro'],
    });
  });

  it('gives HAProxy longer to stop than it takes', () => {
    const hardStop = argumentOf(section('global'), 'hard-stop-after');
    expect(ms(services.haproxy?.stop_grace_period)).toBeGreaterThan(ms(hardStop));
  });

  // `doctor` and an alert look at the age of the last backup, and a compaction logs its counts: neither needs a check of health.
  it.each(Object.keys(services).filter((name) => !['mongo-init', 'backup', 'compact'].includes(name)))(
    'asks %s for its health, and not so often that it burns the processor',
    (name) => {
      expect(ms(services[name]?.healthcheck?.interval)).toBeGreaterThanOrEqual(10_000);
    },
  );

  it('takes Redis for healthy by what it says: redis-cli ends with 0 also after an error', () => {
    expect(services.redis?.healthcheck?.test).toEqual(['CMD-SHELL', 'redis-cli ping | grep -q PONG']);
  });

  it.each(['mongo', 'mongo-2', 'mongo-3'])('has %s give up a connection to a member that is gone', (name) => {
    const resends = services[name]?.sysctls?.['net.ipv4.tcp_retries2'] ?? Number.NaN;
    // The first wait is 200 ms, and each further wait is twice as long.
    expect(0.2 * (2 ** (resends + 1) - 1)).toBeLessThan(10);
  });

  it('has Redis refuse what is too much, where it could throw jobs away', () => {
    const command = services.redis?.command as string[];
    expect(command[command.indexOf('--maxmemory-policy') + 1]).toBe('noeviction');
  });
});

/** The networks from which Docker takes addresses by default. */
const dockerPools = new BlockList();
dockerPools.addSubnet('172.16.0.0', 12);
dockerPools.addSubnet('192.168.0.0', 16);

describe('.env.example', () => {
  it('trusts no address that Docker gives to connections from outside', () => {
    const [, proxy = ''] = /^#FRONT_PROXY=(.*)$/m.exec(read('.env.example')) ?? [];
    expect(isIP(proxy)).toBe(4);
    expect(dockerPools.check(proxy)).toBe(false);
  });
});

describe('haproxy.cfg', () => {
  const api = section('backend api');

  it('takes out a replica that says it is not ready, and lets it finish what it has', () => {
    expect(api).toContain('option httpchk GET /api/health/ready');
    expect(api).toContain('http-check disable-on-404');
  });

  it('has taken out a draining replica before it stops to listen', () => {
    const [, inter, fall] =
      / check inter (\w+) fall (\d+) /.exec(` ${argumentOf(api, 'default-server')}`) ?? [];
    expect([inter, fall]).toEqual(['1s', '2']);
    const { drainDelayMs, shutdownTimeoutMs } = settingsOf('api');
    expect(drainDelayMs).toBeGreaterThanOrEqual(ms(inter) * Number(fall) + 500);
    expect(drainDelayMs).toBeLessThan(shutdownTimeoutMs);
  });

  it('gives a connection to a replica up before the replica does', () => {
    expect(api).toContain('http-reuse never');
    expect(api).toContain('http-response set-header Keep-Alive timeout=8');
    expect(ms(argumentOf(section('defaults'), 'timeout http-keep-alive'))).toBeLessThan(
      usualTimings.keepAliveMs,
    );
  });

  it('leaves an address at most a third of all connections, also with those that are only told so', () => {
    const limit = Number(services.haproxy?.environment?.MAX_CONNECTIONS_PER_ADDRESS);
    const all = Number(argumentOf(section('global'), 'maxconn'));
    expect((limit + 100) / all).toBeLessThan(1 / 3);
  });

  it.each(readdirSync(join(import.meta.dirname, 'haproxy/errors')))('answers %s as the API would', (file) => {
    const [head = '', body = ''] = read(`deploy/haproxy/errors/${file}`).split('\n\n');
    const status = Number(head.split(' ')[1]);
    const { error, ...rest } = JSON.parse(body);
    expect(rest).toEqual({ success: false, status });
    expect(errorOf(error.name as ErrorName)).toEqual({ status, description: error.description });
  });

  it('sends again only where there was no connection: what was sent may have been stored', () => {
    const all = read('deploy/haproxy/haproxy.cfg').match(/^\s*retry-on .*$/gm);
    expect(all?.map((line) => line.trim())).toEqual(['retry-on conn-failure']);
  });

  it('finds replicas by the name server of Docker, as they come and go', () => {
    const resolvers = section('resolvers docker');
    expect(resolvers).toContain('nameserver embedded 127.0.0.11:53');
    expect(resolvers).toContain('accepted_payload_size 8192');
    expect(argumentOf(api, 'default-server')).toMatch(/ resolvers docker .*init-addr last,none$/);
    const most = /^readonly most_apis=(\d+)$/m.exec(read('deploy/update.sh'))?.[1];
    expect(argumentOf(api, 'server-template')).toBe(`api ${most} api:4000`);
  });
});
