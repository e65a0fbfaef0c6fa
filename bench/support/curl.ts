import { execFile } from 'node:child_process';
import { devNull } from 'node:os';
import { promisify } from 'node:util';

const run = promisify(execFile);

interface Target {
  url: string;
  token: string;
}

export interface Download {
  bytes: number;
  firstByteMs: number;
  seconds: number;
}

/** Downloads and ignores the bytes. Rejects unless the answer is a complete 200. */
export async function download({ url, token }: Target): Promise<Download> {
  const figures = '%{http_code} %{size_download} %{time_starttransfer} %{time_total}';
  const out = await curl({ url, token }, '--output', devNull, '--write-out', figures);
  const [status, bytes, first, total] = out.split(' ').map(Number) as [number, number, number, number];
  if (status !== 200) throw new Error(`GET ${url} answers ${status}`);
  return { bytes, firstByteMs: 1_000 * first, seconds: total };
}

/** Streams a file in a POST. Resolves with the `data` of the answer, or rejects for a failure. */
export async function postFile<T>(target: Target & { file: string; headers: string[] }): Promise<T> {
  const headers = target.headers.flatMap((header) => ['--header', header]);
  const answer = await curl(target, '--request', 'POST', '--upload-file', target.file, ...headers);
  const { success, data } = JSON.parse(answer);
  if (!success) throw new Error(`POST ${target.url} answers ${answer.slice(0, 300)}`);
  return data;
}

async function curl({ url, token }: Target, ...args: string[]): Promise<string> {
  const common = ['--silent', '--show-error', '--header', `Authorization: Bearer ${token}`];
  try {
    return (await run('curl', [...common, ...args, url])).stdout;
  } catch (error) {
    const { code, stderr } = error as { code?: string | number; stderr?: string };
    if (code === 'ENOENT') throw new Error('this part needs curl on the PATH');
    // The message would show the token.
    throw new Error(`curl ended with ${code}: ${stderr?.trim()}`);
  }
}
