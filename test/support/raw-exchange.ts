import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

export interface RawAnswer {
  /** Undefined when the connection ended without an answer. */
  status: number | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  body: any;
}

/**
 * Sends a POST as it is written here, on a connection of its own. `then`: what follows the last piece of the body:
 * wait for the answer, end the sending side, or reset the connection.
 */
export async function exchange(
  url: string,
  path: string,
  headers: string[],
  pieces: (string | Buffer)[] | AsyncIterable<string>,
  then: 'wait' | 'end' | 'reset' = 'wait',
): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.setNoDelay();
  const answer = text(socket).catch(() => '');
  socket.on('error', () => {});
  const write = (piece: string | Buffer) => new Promise((resolve) => socket.write(piece, resolve));
  await write([`POST ${path} HTTP/1.1`, 'Host: a', 'Connection: close', ...headers, '', ''].join('\r\n'));
  for await (const piece of pieces) await write(piece);
  if (then === 'end') socket.end();
  if (then === 'reset') socket.resetAndDestroy();
  const [head = '', body] = (await answer).split('\r\n\r\n');
  return {
    status: head === '' ? undefined : Number(head.split(' ')[1]),
    body: body ? JSON.parse(body) : undefined,
  };
}

/** A piece of a body with `Transfer-Encoding: chunked`; the empty one is the last. */
export const chunked = (piece: string) => `${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n`;
