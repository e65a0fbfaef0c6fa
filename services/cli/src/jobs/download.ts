import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { NoAnswer } from '../api/no-answer.ts';
import { CliError } from '../cli-error.ts';
import type { Context } from '../context.ts';
import { createBar } from '../output/bar.ts';
import type { AskedJob } from './job.ts';

/** Downloads the file of a job, and continues after a part that is there. Throws CliError if its hash differs. */
export async function download(context: Context, job: AskedJob, path: string): Promise<void> {
  const { file } = job;
  if (!file) throw new CliError(`${job.kind} ${job.id} has no file any more: make another one`);
  const partial = `${path}.${job.id}.partial`;
  const handle = await open(partial, 'a', 0o600);
  const bar = createBar(context, file.bytes);
  try {
    await context.retry(() =>
      append(context, job, handle, file.bytes, (done) =>
        bar.show(done, `${done.toLocaleString('en')} of ${file.bytes.toLocaleString('en')} bytes`),
      ),
    );
  } finally {
    bar.clear();
    await handle.close();
  }
  if ((await hashOf(partial)) !== file.sha256) {
    await rm(partial);
    throw new CliError(`${path} does not match the server's SHA-256: repeat the command`, 4);
  }
  await rename(partial, path);
}

/** Appends the missing bytes of the file. Throws NoAnswer when the connection breaks. */
async function append(
  { api, path, url, signal }: Context,
  job: AskedJob,
  handle: FileHandle,
  bytes: number,
  onBytes: (done: number) => void,
): Promise<void> {
  let { size } = await handle.stat();
  if (size >= bytes) return;
  const headers = { range: `bytes=${size}-`, 'accept-encoding': 'identity' };
  const { body, status } = await api.open('GET', path(`/${job.kind}s/${job.id}/file`), {
    headers: size > 0 ? headers : { 'accept-encoding': 'identity' },
  });
  // A server that sends the whole file again.
  if (size > 0 && status !== 206) {
    await handle.truncate(0);
    size = 0;
  }
  try {
    for await (const chunk of body ?? []) {
      await handle.write(chunk);
      size += chunk.length;
      onBytes(size);
    }
  } catch (error) {
    signal.throwIfAborted();
    throw new NoAnswer(url, error as Error);
  }
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 ** 2 })) hash.update(chunk);
  return hash.digest('hex');
}
