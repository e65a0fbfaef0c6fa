import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { parseExactJson } from '@sluice/json/parse-json.ts';

export interface RawResponse {
  status: number;
  headers: Map<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  body: any;
}

/** A connection that says nothing by itself. Errors of it are not thrown: what counts is what has come. */
export async function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.setNoDelay();
  return socket;
}

/** Sends bytes as they are, piece by piece, and returns all answers that come until the server closes. */
export async function speak(url: string, ...pieces: (string | Buffer)[]): Promise<RawResponse[]> {
  const socket = await open(url);
  const answers = everythingFrom(socket);
  for (const piece of pieces) await new Promise((resolve) => socket.write(piece, 'latin1', resolve));
  return parseAnswers(await answers);
}

export const everythingFrom = (socket: Socket): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  return once(socket, 'close').then(() => Buffer.concat(chunks));
};

/** Throws where the bytes are no HTTP, have no Content-Length, or a body that is neither JSON nor a page, which is text. */
export function parseAnswers(bytes: Buffer): RawResponse[] {
  const answers: RawResponse[] = [];
  for (let rest = bytes; rest.length > 0; ) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) throw new Error(`no end of a head: ${rest.toString('latin1', 0, 200)}`);
    const [first = '', ...lines] = rest.toString('latin1', 0, end).split('\r\n');
    const status = Number(/^HTTP\/1\.1 ([1-5]\d\d) [\x20-\x7e]*$/.exec(first)?.[1]);
    if (!status) throw new Error(`no status line: ${first}`);
    const headers = new Map(lines.map(toField));
    rest = rest.subarray(end + 4);
    let body: unknown;
    if (status >= 200) {
      const length = Number(headers.get('content-length') ?? Number.NaN);
      if (!(length <= rest.length))
        throw new Error(`a body of ${length} bytes, of which ${rest.length} came`);
      const text = rest.toString('utf8', 0, length);
      body = headers.get('content-type')?.startsWith('text/html') ? text : parseExactJson(text);
      rest = rest.subarray(length);
    }
    answers.push({ status, headers, body });
  }
  return answers;
}

function toField(line: string): [string, string] {
  const match = /^([!#$%&'*+.^_`|~\w-]+): ([^\r\n]*)$/.exec(line);
  if (!match) throw new Error(`no header: ${line}`);
  return [(match[1] as string).toLowerCase(), match[2] as string];
}
