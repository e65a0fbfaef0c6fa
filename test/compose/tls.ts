import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { expect, it, onTestFinished } from 'vitest';
import { createClient } from './client.ts';
import type { Stack } from './stack.ts';

const certificates = new URL('../support/tls/', import.meta.url);
const certificate = await readFile(new URL('certificate.pem', certificates), 'utf8');

/** A directory as docs/tls.md says: the certificate and its key in one file. */
export async function createTlsDirectory() {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-tls-'));
  const key = await readFile(new URL('key.pem', certificates), 'utf8');
  await writeFile(join(directory, 'certificate.pem'), certificate + key);
  // HAProxy has a user of its own.
  await chmod(directory, 0o755);
  return { path: directory, discard: () => rm(directory, { recursive: true }) };
}

/** What a client gets that offers this: the version and the protocol agreed on, or the code of its failure. */
async function handshake(port: number, offer: object): Promise<{ version: string; alpn: string | false }> {
  // Else OpenSSL would not even offer TLS 1.1.
  const ciphers = 'DEFAULT:@SECLEVEL=0';
  const socket = connect({ host: '127.0.0.1', port, ca: certificate, ciphers, ...offer });
  try {
    await once(socket, 'secureConnect');
    return { version: socket.getProtocol() as string, alpn: socket.alpnProtocol as string | false };
  } finally {
    socket.destroy();
  }
}

/** Tests of the example in deploy/tls: from the first on, the stack has it. */
export function testTls(stack: () => Stack, ports: () => { plain: number; tls: number }): void {
  it('with the TLS example takes data, lists it and exports it over TLS', async () => {
    await stack().compose('-f', 'deploy/tls/docker-compose.yml', 'up', '-d', '--wait');
    const before = getCACertificates('default');
    setDefaultCACertificates([...before, certificate]);
    onTestFinished(() => setDefaultCACertificates(before));

    const client = await createClient(`https://127.0.0.1:${ports().tls}/api`);
    for (let n = 0; n < 20; n += 1) expect((await client.upload(n)).status).toBe(201);
    expect((await client.listed()).length).toBe(20);
    expect((await client.exported()).length).toBe(20);

    const { headers } = await fetch(`https://127.0.0.1:${ports().tls}/api/health/live`);
    expect(headers.get('strict-transport-security')).toBe('max-age=31536000');
  });

  it('with the TLS example leads plain HTTP to TLS, with the same method, path and body', async () => {
    const path = '/api/users/login?from=here';
    const url = `http://127.0.0.1:${ports().plain}${path}`;
    const response = await fetch(url, { method: 'POST', body: '{}', redirect: 'manual' });
    expect(response.status).toBe(308);
    expect(response.headers.get('location')).toBe(`https://127.0.0.1:${ports().tls}${path}`);
    expect(response.headers.get('strict-transport-security')).toBe(null);
  });

  it('with the TLS example speaks HTTP/1.1 over TLS 1.2 and later', async () => {
    const { tls } = ports();
    const ALPNProtocols = ['h2', 'http/1.1'];
    const modern = await handshake(tls, { ALPNProtocols });
    expect(modern).toEqual({ version: 'TLSv1.3', alpn: 'http/1.1' });
    expect((await handshake(tls, { maxVersion: 'TLSv1.2' })).version).toBe('TLSv1.2');
    const old = handshake(tls, { minVersion: 'TLSv1', maxVersion: 'TLSv1.1' });
    await expect(old).rejects.toMatchObject({ code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION' });
  });
}
