import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { everythingFrom, open, parseAnswers, speak } from '../support/raw-connection.ts';
import { type Sluice, startSluice } from '../support/sluice.ts';

let sluice: Sluice;
let token: string;
let domain: string;
beforeAll(async () => {
  sluice = await startSluice({
    workers: false,
    env: { BODY_LIMIT: '64KiB', BATCH_LIMIT: '64KiB', IMPORT_LIMIT: '64KiB' },
  });
  ({ token } = await sluice.owner());
  domain = await sluice.application(token);
});
afterAll(() => sluice.stop());

const times = 50;
const body = Buffer.alloc(8 * 1024 ** 2, '{"n":1}\n');
const plain = [body];
/** The same in pieces of 64 KiB. */
const inChunks = Array.from({ length: 128 }, (_, n) =>
  Buffer.concat([Buffer.from('10000\r\n'), body.subarray(n * 65_536, (n + 1) * 65_536), Buffer.from('\r\n')]),
).concat(Buffer.from('0\r\n\r\n'));

const byLength = [`Content-Length: ${body.length}`];
const unknown = ['Transfer-Encoding: chunked'];

/** Writes the whole request before it reads anything, as simple clients do. */
async function sendAll(head: string, pieces: Buffer[]) {
  const socket = await open(sluice.url);
  socket.pause();
  socket.write(head);
  for (const piece of pieces) {
    const sent = await new Promise<Error | null | undefined>((resolve) => socket.write(piece, resolve));
    if (sent) break;
  }
  const answer = everythingFrom(socket);
  socket.resume();
  return parseAnswers(await answer);
}

describe('a client that sends all of a body over the limit before it reads sees each time why it is refused', () => {
  it.each([
    ['an upload', 'data', 'application/json', byLength, plain],
    ['an upload in chunks', 'data', 'application/json', unknown, inChunks],
    ['a batch', 'data/batch', 'application/x-ndjson', byLength, plain],
    ['a batch in chunks', 'data/batch', 'application/x-ndjson', unknown, inChunks],
    ['an import', 'imports', 'application/x-ndjson', byLength, plain],
    ['an import in chunks', 'imports', 'application/x-ndjson', unknown, inChunks],
  ])(
    '%s',
    async (_what, to, type, framing, pieces) => {
      const head = [
        `POST /api/applications/${domain}/${to} HTTP/1.1`,
        'Host: a',
        'Connection: close',
        `Authorization: Bearer ${token}`,
        `Content-Type: ${type}`,
        ...framing,
        '',
        '',
      ].join('\r\n');
      for (let n = 0; n < times; n++) {
        const answers = await sendAll(head, pieces);
        expect([n, answers.map(({ status, body }) => [status, body.error.name])]).toEqual([
          n,
          [[413, 'PayloadTooLargeError']],
        ]);
      }
    },
    120_000,
  );
});

describe('requests on one connection', () => {
  const upload = (body: string, framing: string) =>
    [
      `POST /api/applications/${domain}/data HTTP/1.1`,
      'Host: a',
      'Content-Type: application/json',
      framing,
      '',
      body,
    ].join('\r\n');

  it('are answered in their order though the last one breaks off', async () => {
    const answers = await speak(
      sluice.url,
      upload('{"n":1}', 'Content-Length: 7') + upload('no size\r\n', 'Transfer-Encoding: chunked'),
    );
    expect(answers.map(({ status }) => status)).toEqual([201, 400]);
    expect(answers[0]?.body.data.payload).toEqual({ n: 1 });
  });

  it('are not carried out behind one that ends the connection', async () => {
    const own = await sluice.application(token);
    const second = upload('{"n":2}', 'Content-Length: 7').replace(domain, own);
    const answers = await speak(
      sluice.url,
      upload('{"n":1}', 'Content-Length: 7\r\nExpect: foo') + second + second,
    );
    expect(answers.map(({ status }) => status)).toEqual([417]);
    // What had been taken before this would be stored with it.
    await sluice.request('POST', `/applications/${own}/data`, { json: { n: 3 } });
    const { body } = await sluice.request('GET', `/applications/${own}/data`, { token });
    expect(body.data.result.map(({ payload }: { payload: object }) => payload)).toEqual([{ n: 3 }]);
  });

  it.each([
    ['CONNECT', 'CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n'],
    ['no HTTP', 'HELLO\r\n\r\n'],
  ])('have their own answers where %s follows', async (_what, bytes) => {
    const answers = await speak(sluice.url, upload('{"n":1}', 'Content-Length: 7') + bytes);
    expect(answers.map(({ status }) => status)).toEqual([201]);
    const refused = await speak(sluice.url, upload('{"n":1}', 'Content-Length: 7\r\nExpect: foo') + bytes);
    expect(refused.map(({ status }) => status)).toEqual([417]);
  });

  it('are answered behind one whose body has come, and is not taken', async () => {
    const last = upload('{"n":2}', 'Content-Length: 7\r\nConnection: close');
    const answers = await speak(
      sluice.url,
      upload('{"n":1}', 'Content-Length: 7\r\nContent-Encoding: br') + last,
    );
    expect(answers.map(({ status }) => status)).toEqual([415, 201]);
  });

  it('are not answered twice when one that is refused already breaks off', async () => {
    const socket = await open(sluice.url);
    const answers = everythingFrom(socket);
    socket.write('POST /api/nothing HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
    await new Promise((resolve) => socket.once('data', resolve));
    socket.write('no size\r\n');
    expect(parseAnswers(await answers).map(({ status }) => status)).toEqual([404]);
  });
});
