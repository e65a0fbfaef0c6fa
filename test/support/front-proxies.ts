import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inherited } from '../../local/env.ts';
import { lowPort } from './low-port.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/tls.md'), 'utf8');
const certificates = join(import.meta.dirname, 'tls');
const [certificate, key] = [join(certificates, 'certificate.pem'), join(certificates, 'key.pem')];
/** Signs itself. */
export const frontCertificate = readFileSync(certificate, 'utf8');

interface Parts {
  snippet: string;
  folder: string;
  port: number;
}

/** Each program with the snippet of docs/tls.md, but for its port and its certificate. */
const programs = {
  nginx({ snippet, folder, port }: Parts) {
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${folder}/${name};`,
    );
    const site = snippet
      .replace('443 ssl', `127.0.0.1:${port} ssl`)
      .replace(/(ssl_certificate) .*;/, `$1 ${certificate};`)
      .replace(/(ssl_certificate_key) .*;/, `$1 ${key};`);
    const text = `daemon off; master_process off; pid ${folder}/pid; events {} http { access_log off; ${paths.join(' ')} ${site} }`;
    return { args: ['-e', 'stderr', '-p', folder, '-c'], text };
  },
  caddy({ snippet, port }: Parts) {
    const site = snippet.replace(
      'sluice.example {',
      `https://localhost:${port} {\ntls ${certificate} ${key}`,
    );
    const text = `{\nadmin off\nauto_https disable_redirects\nservers {\nprotocols h1 h2\n}\n}\n${site}`;
    return { args: ['run', '--adapter', 'caddyfile', '--config'], text };
  },
};

export type FrontProxy = keyof typeof programs;

export const isInstalled = (name: FrontProxy) =>
  spawnSync(name, [name === 'nginx' ? '-v' : 'version']).error === undefined;

function snippetOf(name: FrontProxy): string {
  const [, text] = new RegExp(`^\`\`\`${name}\\w*\n([\\s\\S]*?)^\`\`\``, 'm').exec(page) ?? [];
  if (!text) throw new Error(`docs/tls.md has no snippet for ${name}`);
  return text;
}

/** Starts the program in front of the Sluice at `url`. */
export async function startFrontProxy(name: FrontProxy, url: string) {
  const folder = mkdtempSync(join(tmpdir(), `sluice-${name}-`));
  const port = await lowPort();
  const snippet = snippetOf(name).replaceAll('127.0.0.1:4000', new URL(url).host);
  const { args, text } = programs[name]({ snippet, folder, port });
  const file = join(folder, 'configuration');
  writeFileSync(file, text);
  const env = { ...inherited(), HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder };
  const child = spawn(name, [...args, file], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (data) => {
    said += data;
  });
  const front = `https://localhost:${port}`;
  while (!(await fetch(front).catch(() => undefined)))
    if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}: ${said}`);
  return {
    url: front,
    async stop() {
      child.kill();
      if (child.exitCode === null) await once(child, 'exit');
      rmSync(folder, { recursive: true });
    },
  };
}
