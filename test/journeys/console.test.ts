import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sharedSluice, startSluice } from '../support/sluice.ts';

const sluice = await sharedSluice();

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${sluice.url}${path}`, { method, headers });

/** The files that the page names: its scripts, styles and icon. */
async function filesOfPage(): Promise<string[]> {
  const html = await (await get('/')).text();
  return Array.from(html.matchAll(/(?:src|href)="([^"]+)"/g), ([, path]) => path as string);
}

const nonceIn = (text: string | null) => text?.match(/nonce[-=]"?([\w+/=]{20,})/)?.[1];

describe('the page of the console', () => {
  it('may load only its own files, and styles with a nonce that no other answer has', async () => {
    const [first, second] = await Promise.all([get('/'), get('/')]);
    expect(first.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = first.headers.get('content-security-policy') as string;
    const nonce = nonceIn(policy);
    expect(policy.split(';')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      `style-src 'self' 'nonce-${nonce}'`,
      "font-src 'self'",
      "img-src 'self'",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]);
    const html = await first.text();
    expect(nonceIn(html)).toBe(nonce);
    expect(html).not.toContain('{nonce}');
    expect(html).not.toMatch(/<script(?![^>]* src=)/);
    expect(nonceIn(second.headers.get('content-security-policy'))).not.toBe(nonce);
  });

  it('is asked for anew each time, so that an update shows', async () => {
    const { headers } = await get('/');
    expect(headers.get('cache-control')).toBe('no-cache');
    expect(headers.get('etag')).toBeNull();
  });

  it('comes for every path that a browser opens', async () => {
    for (const path of ['/sign-in', '/applications/weather-station-k3v9q2/entries?from=2026', '/apiary']) {
      const { status, headers } = await get(path, browser);
      expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(headers.get('vary')).toContain('Accept');
    }
  });

  it('does not come for paths of the API, nor for who asks for data', async () => {
    const answers = [
      get('/api', browser),
      get('/api/nothing', browser),
      get('/metrics', browser),
      get('/nothing'),
    ];
    for (const answer of await Promise.all(answers)) {
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ error: { name: 'ResourceNotFoundError' } });
      expect(answer.headers.get('content-security-policy')).toBe("default-src 'none';frame-ancestors 'none'");
    }
  });

  it('answers HEAD, and refuses other methods', async () => {
    const head = await get('/', {}, 'HEAD');
    expect([head.status, await head.text()]).toEqual([200, '']);
    const post = await get('/', {}, 'POST');
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});

describe('the files of the console', () => {
  it('are all there, and kept by browsers for ever', async () => {
    const files = await filesOfPage();
    expect(files.length).toBeGreaterThan(1);
    for (const file of files) {
      expect(file).toMatch(/^\/assets\/[\w-]+-[\w-]{8}\.(js|css|svg|woff2)$/);
      const { status, headers } = await get(file);
      expect(status).toBe(200);
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    }
  });

  it.each(['br', 'gzip'])('are sent compressed: %s', async (encoding) => {
    const script = (await filesOfPage()).find((file) => file.endsWith('.js')) as string;
    const plain = await get(script, { 'accept-encoding': 'identity' });
    const compressed = await get(script, { 'accept-encoding': encoding });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(compressed.headers.get('content-encoding')).toBe(encoding);
    expect(compressed.headers.get('vary')).toContain('Accept-Encoding');
    expect(compressed.headers.get('content-type')).toBe(plain.headers.get('content-type'));
    expect(await compressed.text()).toBe(await plain.text());
  });

  it('that the first page needs have at most 350 KB with gzip', async () => {
    let bytes = 0;
    for (const file of await filesOfPage()) {
      const { headers } = await get(file, { 'accept-encoding': 'gzip' }, 'HEAD');
      bytes += Number(headers.get('content-length'));
    }
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(350_000);
  });

  it.each(['/assets/gone-12345678.js', '/assets/', '/assets/..%2findex.html'])(
    '%s is not there',
    async (path) => {
      const answer = await get(path, browser);
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ error: { name: 'ResourceNotFoundError' } });
      expect(answer.headers.get('cache-control')).toBe('no-store');
    },
  );
});

it('is left out with CONSOLE=off', async () => {
  const without = await startSluice({ workers: false, env: { ...sluice.env, CONSOLE: 'off' } });
  try {
    for (const path of ['/', ...(await filesOfPage())]) {
      expect((await fetch(`${without.url}${path}`, { headers: browser })).status).toBe(404);
    }
  } finally {
    await without.stop();
  }
});

describe('the command line', () => {
  it('comes as one file that Node.js runs, and is asked for anew each time', async () => {
    const answer = await get('/sluice.mjs');
    const { status, headers } = answer;
    expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
      200,
      'text/javascript; charset=utf-8',
      'no-cache',
    ]);
    const folder = mkdtempSync(join(tmpdir(), 'sluice-mjs-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'sluice.mjs'), await answer.text());
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'sluice.mjs'), 'help'], {
      env: {},
    });
    expect(stdout).toMatch(/^Usage: sluice/);
    const again = await get('/sluice.mjs', { 'if-none-match': headers.get('etag') as string });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  it('does not come where the console is off', async () => {
    const other = await startSluice({ workers: false, env: { CONSOLE: 'off' } });
    onTestFinished(() => other.stop());
    expect((await fetch(`${other.url}/sluice.mjs`)).status).toBe(404);
  });
});
