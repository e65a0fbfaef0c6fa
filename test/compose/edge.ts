import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { json } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { everythingFrom, open } from '../support/raw-connection.ts';
import { docker, inspect, type Stack, until } from './stack.ts';

const root = new URL('../../', import.meta.url);

/** The value that `.env.example` proposes for a setting. */
export function proposed(name: string): string {
  const value = new RegExp(`^#?${name}=(.+)$`, 'm').exec(readFileSync(new URL('.env.example', root), 'utf8'));
  if (!value) throw new Error(`.env.example proposes no ${name}`);
  return value[1] as string;
}

/** What is left of the rate of logins for the address that the API takes this client to have. */
async function loginsLeft(url: string, forwardedFor: string): Promise<number> {
  const { headers } = await fetch(`${url}/users/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': forwardedFor },
    body: JSON.stringify({ username: 'nobody', password: 'wrong' }),
  });
  return Number(headers.get('ratelimit-remaining'));
}

/** Opens connections that send nothing. `refused` resolves when that many of them were closed without an answer. */
async function hold(url: string, count: number) {
  const sockets = await Promise.all(Array.from({ length: count }, () => open(url)));
  const closing = sockets.map((socket) => once(socket.resume(), 'close').then(() => socket.bytesRead === 0));
  const end = () => {
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(end);
  return {
    end,
    async refused(some: number): Promise<void> {
      let left = some;
      await new Promise<void>((resolve) => {
        for (const one of closing) one.then((unanswered) => unanswered && --left === 0 && resolve());
      });
    },
  };
}

/** The first line of the answer on a connection that stays open. */
async function askAndStay(url: string): Promise<string> {
  const socket = await open(url);
  onTestFinished(() => void socket.destroy());
  socket.write('GET /api/health/live HTTP/1.1\r\nHost: sluice\r\n\r\n');
  const [answer] = await once(socket, 'data');
  return answer.toString('latin1').split('\r\n')[0];
}

/** The answer to a request on a connection of its own. */
async function getHealth(url: string) {
  const [response] = await once(get(`${url}/health/live`, { agent: false }), 'response');
  return { status: response.statusCode, headers: response.headers, body: await json(response) };
}

/** Tests of the one way into a stack that runs with MAX_CONNECTIONS_PER_ADDRESS=`limit`. */
export function testEdge(stack: () => Stack, limit: number): void {
  it('is reached from this machine only, unless an address is set', async () => {
    const [haproxy] = (await stack().replicas('haproxy')) as [string];
    const ports: { HostIp: string }[] = Object.values(
      JSON.parse(await inspect(haproxy, '{{json .NetworkSettings.Ports}}')),
    ).flatMap((bindings) => (bindings ?? []) as { HostIp: string }[]);
    expect(ports.map(({ HostIp }) => HostIp)).toEqual(['127.0.0.1']);
  });

  it('keeps metrics inside', async () => {
    const { origin } = new URL(stack().url);
    for (const path of ['/metrics', '/metrics/', '/metrics?a=b', '/%6detrics', '/%6D%65trics']) {
      const { status } = await fetch(origin + path);
      expect([path, status]).toEqual([path, 403]);
    }
    const ask = `for (const name of ['api', 'ingest-worker', 'export-worker', 'query-worker'])
      fetch('http://' + name + ':9464/metrics').then(({ status }) => console.log(name, status))`;
    const inside = await stack().compose('exec', '-T', 'ingest-worker', 'node', '-e', ask);
    expect(inside.trim().split('\n').toSorted()).toEqual([
      'api 200',
      'export-worker 200',
      'ingest-worker 200',
      'query-worker 200',
    ]);
  });

  it('limits the processes of each container', async () => {
    const ids = (await stack().compose('ps', '-a', '-q')).split('\n');
    const limits = await Promise.all(ids.map((id) => inspect(id, '{{.Name}} {{.HostConfig.PidsLimit}}')));
    expect(limits.filter((line) => !/ [1-9]\d*$/.test(line))).toEqual([]);
    expect(limits.length).toBeGreaterThan(0);
  });

  it('counts clients by the address that the proxy sees, whatever they say', async () => {
    const first = await loginsLeft(stack().url, '192.0.2.1');
    expect(first).toBeGreaterThan(0);
    expect(await loginsLeft(stack().url, '192.0.2.2')).toBe(first - 1);
  });

  it('refuses connections of an address that has too many, and serves another address', async () => {
    const { url } = stack();
    const [api] = (await stack().replicas('api')) as [string];
    const asked = "fetch('http://haproxy:4000/api/health/live').then((r) => console.log(r.status))";
    const fromElsewhere = () => docker('exec', api, 'node', '-e', asked);

    const held = await hold(url, limit);
    // Docker takes connections before HAProxy does.
    await until('the proxy has all of them', async () => (await getHealth(url)).status === 429);
    const { headers, body } = await getHealth(url);
    expect(headers['retry-after']).toBe('10');
    const message = expect.stringContaining('MAX_CONNECTIONS_PER_ADDRESS');
    const error = { name: 'TooManyRequestsError', message };
    expect(body).toMatchObject({ success: false, status: 429, error });
    expect(await fromElsewhere()).toBe('200');

    // What says nothing cannot be answered: beyond a hundred more, connections are closed at once.
    const more = await hold(url, 150);
    await more.refused(50);
    expect(await fromElsewhere()).toBe('200');

    held.end();
    more.end();
    await until('it is served again', async () => (await getHealth(url)).status === 200);
  });

  it('has one request at a time on a connection: HTTP/2 is not spoken', async () => {
    const socket = await open(stack().url);
    socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0', 'latin1');
    expect((await everythingFrom(socket)).toString('latin1')).toMatch(/^HTTP\/1\.[01] 400 /);
  });

  it('believes a proxy in front what it says about its clients, and lets it have any number of connections', async () => {
    const [haproxy] = (await stack().replicas('haproxy')) as [string];
    // The tests' connections come from there.
    const networks = JSON.parse(await inspect(haproxy, '{{json .NetworkSettings.Networks}}'));
    const edge = Object.entries<{ Gateway: string }>(networks).find(([name]) => name.endsWith('_edge'));
    const front = `FRONT_PROXY=${edge?.[1].Gateway}`;
    const settings = ['-e', front, '-e', 'MAX_CONNECTIONS_PER_ADDRESS=1'];
    const id = await stack().compose(
      ...['run', '-d', '--rm', '--no-deps', '--publish', '127.0.0.1::4000', ...settings, 'haproxy'],
    );
    onTestFinished(async () => {
      await docker('kill', id);
    });
    const url = `http://${await docker('port', id, '4000')}/api`;
    await until('it has found the API', async () => {
      const answer = await getHealth(url).catch(() => undefined);
      return answer?.status === 200;
    });

    const first = await loginsLeft(url, '192.0.2.3');
    expect(first).toBeGreaterThan(0);
    expect(await loginsLeft(url, '192.0.2.4')).toBe(first);
    for (let n = 0; n < 3; n += 1) expect(await askAndStay(url)).toBe('HTTP/1.1 200 OK');
  });
}
