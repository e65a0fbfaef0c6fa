import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { JobFailed } from '@sluice/jobs/kind.ts';
import { createRequest, Unreachable } from '@sluice/shared/outbound.ts';
import type { Allowed } from '@sluice/shared/public-address.ts';

const mostRedirects = 5;
/** Tries in a row that bring nothing new. */
const mostTries = 3;
/** In `idleMs`: a slower server keeps a place from other files. */
const leastBytes = 64 * 1024;
const redirects = [301, 302, 303, 307, 308];
const passing = [408, 425, 429, 500, 502, 503, 504];

const changed = 'the file has changed while it was downloaded';
const failed = (message: string) => new JobFailed(`${message}; nothing was stored`);

/** Downloads files of users. `idleMs`: how long a server may send nothing. */
export function createDownload(allowed: Allowed, { idleMs = 60_000, pauseMs = 1_000 } = {}) {
  const request = createRequest(allowed);

  const ask = (url: string, headers: Record<string, string>, signal: AbortSignal) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const sent = request(url, { headers: { 'user-agent': 'Sluice', ...headers }, signal }, resolve);
      sent.setTimeout(idleMs, () => sent.destroy(new Error(`nothing came for ${idleMs / 1_000} s`)));
      sent.once('error', reject);
      // A switch of protocols ends a request with nothing else.
      sent.once('close', () => reject(new Error('the connection ended without an answer')));
      sent.end();
    });

  /** The answer with the file. Throws JobFailed if the server refuses, and an Error if a later try may succeed. */
  async function open(
    url: string,
    headers: Record<string, string>,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    for (let hops = 0, at = url; hops <= mostRedirects; hops++) {
      const answer = await ask(at, headers, signal);
      const { statusCode: status = 0, headers: told } = answer;
      if (status === 200 || (status === 206 && headers.range)) return answer;
      answer.destroy();
      if (passing.includes(status)) throw new Error(`the URL answered ${status}`);
      const next = redirects.includes(status) && told.location ? URL.parse(told.location, at) : undefined;
      if (!next) throw failed(`the URL answered ${status}`);
      if (!/^https?:$/.test(next.protocol)) throw failed(`the URL redirects to ${next.protocol}`);
      at = next.href;
    }
    throw failed(`the URL redirects more than ${mostRedirects} times`);
  }

  /**
   * The bytes of a file, at most `limit`. Throws JobFailed. After a lost connection it asks for the rest, if the
   * server sends an ETag. Otherwise it reads again, and compares the hash of the first bytes.
   */
  return async function* download(url: string, limit: number, signal: AbortSignal) {
    const hash = createHash('sha256');
    let bytes = 0;
    let etag: string | undefined;

    async function* continued(answer: IncomingMessage): AsyncGenerator<Buffer> {
      const isRange = answer.statusCode === 206;
      const [, first, last, size] =
        /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(answer.headers['content-range'] ?? '') ?? [];
      if (isRange && Number(first) !== bytes)
        throw failed('the server sent another range than it was asked for');
      let again = isRange ? 0 : bytes;
      const compared = createHash('sha256');
      let came = 0;
      const watch = setInterval(() => {
        // A server that is silent has its own time.
        if (came > 0 && came < leastBytes)
          answer.destroy(failed(`the server sends less than ${leastBytes} bytes in ${idleMs / 1_000} s`));
        came = 0;
      }, idleMs);
      try {
        for await (const piece of answer as AsyncIterable<Buffer>) {
          came += piece.length;
          const known = piece.subarray(0, again);
          if (known.length > 0) compared.update(known);
          again -= known.length;
          if (known.length > 0 && again === 0 && !hash.copy().digest().equals(compared.digest()))
            throw failed(changed);
          if (piece.length > known.length) yield piece.subarray(known.length);
        }
      } finally {
        clearInterval(watch);
      }
      if (again > 0) throw failed(changed);
      // A server may send less than was asked for.
      if (isRange && Number(last) + 1 < Number(size)) throw new Error('the server sent a part of the rest');
    }

    for (let tries = 1; ; tries++) {
      try {
        const range = { range: `bytes=${bytes}-`, 'if-range': etag ?? '' };
        const answer = await open(url, bytes > 0 && etag ? range : {}, signal);
        const tag = answer.headers.etag;
        // Not every server looks at If-Range.
        if (answer.statusCode === 206 && tag !== undefined && tag !== etag) throw failed(changed);
        etag = tag?.startsWith('W/') ? undefined : tag;
        for await (const piece of continued(answer)) {
          bytes += piece.length;
          if (bytes > limit) throw failed(`the file is over the limit of ${limit} bytes`);
          hash.update(piece);
          tries = 0;
          yield piece;
        }
        return;
      } catch (error) {
        if (error instanceof JobFailed || signal.aborted) throw error;
        const reason = (error as Error).message;
        if (error instanceof Unreachable) throw failed(reason);
        if (tries >= mostTries) throw failed(`${lostAfter(bytes)} (${reason}); tried ${mostTries} times`);
        await pause(pauseMs, undefined, { signal });
      }
    }
  };
}

const lostAfter = (bytes: number) =>
  bytes === 0
    ? 'the file could not be downloaded'
    : `the connection was lost after ${bytes.toLocaleString('en')} bytes`;
