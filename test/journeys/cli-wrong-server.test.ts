import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { processEnv } from '../support/process-env.ts';
import { commandLine } from '../support/sluice-command.ts';

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

it.runIf(process.platform === 'linux')('fails with 4 when its output cannot be written', () => {
  const main = join(import.meta.dirname, '../../services/cli/src/main.ts');
  const command = `"${process.execPath}" "${main}" --help > /dev/full`;
  const { status, stderr } = spawnSync('sh', ['-c', command], { encoding: 'utf8', env: processEnv({}) });
  expect([status, stderr]).toEqual([4, expect.stringMatching(/^sluice: .*ENOSPC[^\n]*\n$/)]);
});
