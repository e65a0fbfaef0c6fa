import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { importClient } from '../support/import-client.ts';
import { sharedSluice, until } from '../support/sluice.ts';

const sluice = await sharedSluice();

/** Sends an import but for its end. */
function unfinished(
  domain: string,
  token: string,
  answered: (answer: IncomingMessage) => void,
): ClientRequest {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' };
  const url = `${sluice.url}/api/applications/${domain}/imports`;
  const sent = request(url, { method: 'POST', headers });
  sent.on('error', () => {}).on('response', answered);
  sent.write('{"n":1}\n');
  return sent;
}

it('an owner whose files are slow to come leaves room for those of others', async () => {
  const [slow, other] = await Promise.all([sluice.owner(), sluice.owner()]);
  const domain = await sluice.application(slow.token);
  const elsewhere = await sluice.application(other.token);
  const answers: IncomingMessage[] = [];
  const sent = Array.from({ length: 26 }, () =>
    unfinished(domain, slow.token, (answer) => answers.push(answer)),
  );
  await until(async () => answers.length === 2);
  for (const answer of answers) {
    const { error } = JSON.parse(await text(answer));
    expect([answer.statusCode, error.name]).toEqual([429, 'TooManyRequestsError']);
    expect(error.message).toContain('too many imports of one owner at once');
  }
  const start = ({ token }: { token: string }, where: string) =>
    importClient(sluice, token).start(where, '{"n":1}\n');
  expect((await start(slow, domain)).status).toBe(429);
  expect((await start(other, elsewhere)).status).toBe(202);
  for (const one of sent) one.destroy();
  await until(async () => (await start(slow, domain)).status === 202);
  expect(answers).toHaveLength(2);
});
