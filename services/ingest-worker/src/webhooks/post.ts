import { lookup } from 'node:dns';
import { createRequest } from '@sluice/shared/outbound.ts';
import type { Allowed } from '@sluice/shared/public-address.ts';

export interface Posted {
  status: number;
  /** The first KiB of the answer. */
  body: string;
}

const keptBytes = 1_024;
/** Limit on all bytes that a receiver sends, also on heads of status 103. */
const mostBytes = 64 * 1_024;

/**
 * Posts JSON and follows no redirect. Ends after `timeoutMs`, or when the receiver sends too much.
 * Rejects with the reason, which names no secret.
 */
export function createPost(allowed: Allowed, { timeoutMs = 10_000, resolve = lookup } = {}) {
  const request = createRequest(allowed, resolve);

  return async (url: string, headers: Record<string, string>, body: string): Promise<Posted> => {
    const signal = AbortSignal.timeout(timeoutMs);
    const answered = new Promise<Posted>((resolve, reject) => {
      const sent = request(url, { method: 'POST', headers, signal }, (answer) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        const end = () => {
          resolve({
            status: answer.statusCode ?? 0,
            body: Buffer.concat(chunks).subarray(0, keptBytes).toString('utf8'),
          });
          sent.destroy();
        };
        answer.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          bytes += chunk.length;
          if (bytes >= keptBytes) end();
        });
        answer.once('end', end);
        answer.once('error', reject);
      });
      sent.once('error', reject);
      sent.once('socket', (socket) => {
        let received = 0;
        // The reader of answers has each piece before it is counted, so one that is whole by then counts.
        socket.on('data', (piece: Buffer) => {
          received += piece.length;
          if (received > mostBytes) sent.destroy(new Error(`no answer within ${mostBytes / 1_024} KiB`));
        });
      });
      // A switch of protocols ends a request with nothing else.
      sent.once('close', () => reject(new Error('the connection ended without an answer')));
      sent.end(body);
    });
    return answered.catch((error) => {
      throw signal.aborted ? new Error(`no answer within ${timeoutMs / 1_000} s`) : error;
    });
  };
}

export type Post = ReturnType<typeof createPost>;
