import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { tempDir } from '../support/local/temp-dir.ts';

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** Passes a request on, as it is. */
function pass(given: IncomingMessage, answer: ServerResponse, url: string): void {
  const { 'proxy-authorization': _, ...headers } = given.headers;
  const passed = request(url, { method: given.method, headers }, (response) => {
    answer.writeHead(response.statusCode ?? 500, response.headers);
    response.pipe(answer);
  });
  passed.on('error', () => answer.destroy());
  given.pipe(passed);
}

/** A server with TLS before another one, and the PEM file of its authority, which nobody else trusts. Call in a test. */
export async function startTls(target: string) {
  const folder = tempDir();
  const file = (name: string) => join(folder, `${name}.pem`);
  const make = (name: string, subject: string, ...more: string[]) =>
    execFileSync(
      'openssl',
      ['req', '-x509', '-days', '1', '-newkey', 'rsa:2048', '-nodes', '-subj', subject].concat(
        ['-keyout', file(`${name}-key`), '-out', file(name)],
        more.flatMap((one) => ['-addext', one]),
        name === 'ca' ? [] : ['-CA', file('ca'), '-CAkey', file('ca-key')],
      ),
      { stdio: 'ignore' },
    );
  make('ca', '/CN=authority');
  make('server', '/CN=server', 'basicConstraints=CA:FALSE', 'subjectAltName=IP:127.0.0.1');
  const server = createTlsServer(
    { key: readFileSync(file('server-key')), cert: readFileSync(file('server')) },
    (given, answer) => void pass(given, answer, `${target}${given.url}`),
  );
  return { url: `https://127.0.0.1:${await portOf(server)}`, ca: file('ca') };
}

/** A proxy that wants a name and password, and what it was asked for. Call in a test. */
export async function startProxy() {
  const asked: string[] = [];
  const expected = `Basic ${Buffer.from('ada:pass word').toString('base64')}`;
  const mayPass = ({ headers }: IncomingMessage) => headers['proxy-authorization'] === expected;
  const server = createServer((given, answer) => {
    asked.push(`${given.method} ${given.url}`);
    if (mayPass(given)) return pass(given, answer, given.url as string);
    answer.writeHead(407, { 'proxy-authenticate': 'Basic realm="proxy"' }).end();
  });
  server.on('connect', (given: IncomingMessage, socket: Socket) => {
    asked.push(`CONNECT ${given.url}`);
    if (!mayPass(given))
      return void socket.end('HTTP/1.1 407 No\r\nproxy-authenticate: Basic realm="proxy"\r\n\r\n');
    const [host, port] = (given.url as string).split(':');
    const onward = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    for (const end of [socket, onward]) end.on('error', () => end.destroy());
    onTestFinished(() => void onward.destroy());
  });
  const port = await portOf(server);
  return { url: `http://ada:pass%20word@127.0.0.1:${port}`, asked };
}
