import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { processEnv } from '../support/process-env.ts';
import { commandLine, spawnCommand } from '../support/sluice-command.ts';

/** A server that is no Sluice, and a user who takes it for one. Call in a test. */
async function meet(answer: (response: ServerResponse) => void) {
  const paths: (string | undefined)[] = [];
  const server = createServer(({ url }, response) => {
    paths.push(url);
    answer(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const user = commandLine({ url, token: 'slp_0', app: 'weather-station-k3v9q2' });
  writeFileSync(user.at('entries.ndjson'), '{"n":1}\n');
  return { paths, url, user };
}

const commands = (at: (name: string) => string) => [
  ['list'],
  ['export'],
  ['export', '-o', at('out.csv')],
  ['tail'],
  ['send', at('entries.ndjson')],
];

it.each([302, 307])('follows no redirect (%s), and says where it leads', async (status) => {
  const { paths, user } = await meet((response) =>
    response.writeHead(status, { location: '/elsewhere' }).end(),
  );
  for (const command of commands(user.at)) {
    const { code, stdout, stderr } = await user.sluice(command);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining('redirects to /elsewhere')]);
  }
  expect(paths).not.toContain('/elsewhere');
});

it('takes a page for no answer', async () => {
  const { user } = await meet((response) =>
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<h1>Welcome</h1>'),
  );
  for (const command of commands(user.at)) {
    const { code, stdout, stderr } = await user.sluice(command);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining('is no API of Sluice')]);
  }
});

it.each([
  ['gives the same page for each cursor', ['a']],
  ['gives the same pages in turn', ['a', 'b']],
])('lists no more from a server that %s', async (_what, cursors) => {
  let pages = 0;
  const { user } = await meet((response) => {
    const pagination = { isLast: false, cursor: cursors[pages++ % cursors.length] };
    response.end(JSON.stringify({ data: { result: [], pagination } }));
  });
  const { code, stderr } = await user.sluice(['list', '--all']);
  expect([code, stderr]).toEqual([4, expect.stringContaining('the same page again')]);
  expect(pages).toBe(cursors.length + 1);
});

it('shows no control characters of a server, and no line of its own', async () => {
  const message = 'wrong\u001b[2J\nsluice: all is well\u202e';
  const { user } = await meet((response) =>
    response.writeHead(400).end(JSON.stringify({ error: { message } })),
  );
  const { code, stderr } = await user.sluice(['list']);
  expect([code, stderr]).toEqual([2, 'sluice: wrong\\u001b[2J\\u000asluice: all is well\\u202e\n']);
});

/** What a command says that is a process of its own, as a proxy is for all of a process. */
async function outputOf(args: string[], env: Record<string, string>) {
  const child = spawnCommand(args, { ...env, NODE_NO_WARNINGS: '1' });
  const [said] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  return [child.exitCode, said];
}

it('asks through the proxy of the environment, unless NO_PROXY names the server', async () => {
  const { user, url } = await meet((response) =>
    response.writeHead(400).end(JSON.stringify({ error: { message: 'no proxy here' } })),
  );
  const proxy = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void proxy.close());
  const asked: (string | undefined)[] = [];
  proxy.on('connect', ({ url }, socket) => {
    asked.push(url);
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  await once(proxy, 'listening');
  const env = { ...user.env, HTTP_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
  const [code, said] = await outputOf(['export'], env);
  expect([code, said]).toEqual([4, expect.stringContaining('no answer from')]);
  expect(asked).toEqual([new URL(url).host]);
  expect(await outputOf(['export'], { ...env, NO_PROXY: '127.0.0.1' })).toEqual([
    2,
    'sluice: no proxy here\n',
  ]);
  expect(asked).toHaveLength(1);
});

it('says that an address is none of a proxy', async () => {
  const user = commandLine({ url: 'http://127.0.0.1:1023', token: 'slp_0', app: 'x-aaaaaa' });
  user.env.https_proxy = 'proxy';
  expect(await user.sluice(['list'])).toMatchObject({
    code: 2,
    stderr: 'sluice: https_proxy is not a URL: give one such as http://proxy.example:3128\n',
  });
});

it.runIf(process.platform === 'linux')('fails with 4 when its output cannot be written', () => {
  const main = join(import.meta.dirname, '../../services/cli/src/main.ts');
  const command = `"${process.execPath}" "${main}" --help > /dev/full`;
  const { status, stderr } = spawnSync('sh', ['-c', command], { encoding: 'utf8', env: processEnv({}) });
  expect([status, stderr]).toEqual([4, expect.stringMatching(/^sluice: .*ENOSPC[^\n]*\n$/)]);
});
