import { execFile } from 'node:child_process';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { docker } from '../compose/stack.ts';

const execute = promisify(execFile);
const version = '2.5.0';
const official = `ghcr.io/shopify/toxiproxy:${version}`;
const own = `sluice-test-toxiproxy:${version}`;
const source = `github.com/Shopify/toxiproxy/v2/cmd/server@v${version}`;

const has = (image: string) =>
  docker('image', 'inspect', image).then(
    () => true,
    () => false,
  );

/** The name of an image of Toxiproxy: the official one, or where it cannot be had one made from its source with Go. */
export async function toxiproxyImage(): Promise<string> {
  for (const image of [official, own]) if (await has(image)) return image;
  const pulled = await docker('pull', official).then(
    () => true,
    () => false,
  );
  if (pulled) return official;
  const directory = await mkdtemp(join(tmpdir(), 'sluice-toxiproxy-'));
  try {
    const env = { ...process.env, GOBIN: directory, CGO_ENABLED: '0' };
    await execute('go', ['install', source], { env });
    await rename(join(directory, 'server'), join(directory, 'toxiproxy'));
    const dockerfile = 'FROM scratch\nCOPY toxiproxy /toxiproxy\nENTRYPOINT ["/toxiproxy"]\n';
    await writeFile(join(directory, 'Dockerfile'), dockerfile);
    await docker('build', '-q', '-t', own, directory);
    return own;
  } finally {
    await rm(directory, { recursive: true });
  }
}
