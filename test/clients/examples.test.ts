import { tmpdir } from 'node:os';
import { afterAll, expect, it } from 'vitest';
import { codeOf } from '../support/authenticator.ts';
import { startSluice, storeOf } from '../support/sluice.ts';
import { type Operation, readDescription } from './description.ts';

/** Each makes what those after it need; the last two end all tokens. */
const order = [
  'registerUser',
  'logIn',
  'openSession',
  'validateSchema',
  'createApplication',
  'uploadEntry',
  'uploadBatch',
  'validateEntries',
  'listMissing',
  'createKey',
  'updateKey',
  'createToken',
  'setMember',
  'createWebhook',
  'updateWebhook',
  'updateAlerts',
  'redeliverFrom',
  'saveQuestion',
  'saveView',
  'updateView',
  'createArchive',
  'updateArchive',
  'createImport',
  'createExport',
  'createRehearsal',
  'publishSchema',
  'updateRefusedGroup',
  'createReplay',
  'createDeletion',
  'createErasure',
  'updateApplication',
  'setEmail',
  'confirmEmail',
  'updateProfile',
  'updateUser',
  'confirmSecondFactor',
  'removeSecondFactor',
  'changePassword',
  'setPassword',
];

/** What the answers give for requests that follow. */
let token: string | undefined;
const made: Record<string, string> = { username: 'ada' };

// Without workers, so no run of an archive ends between two requests.
const env = {
  ARCHIVE_FOLDER: tmpdir(),
  SECRETS_KEY: 'a secret of tests',
  MAIL_FROM: 'sluice@example.com',
  PUBLIC_URL: 'https://sluice.example',
};
const sluice = await startSluice({ workers: false, env });
afterAll(() => sluice.stop());
const description = await readDescription(sluice);
const operations = new Map(description.operations.map((operation) => [operation.operationId, operation]));

let recovery: string[] = [];

/** Only the operator, or a mail, has such a code. */
async function codeOfMail(issuer: 'users' | 'addresses'): Promise<string | undefined> {
  const store = storeOf(sluice);
  const { id = '' } = (await store.users.byName('ada')) ?? {};
  return (await store[issuer].issueCode(id, 60_000))?.code;
}

/** The codes of examples are not those of this user. */
const codes: Record<string, () => Promise<string | undefined>> = {
  setPassword: () => codeOfMail('users'),
  confirmEmail: () => codeOfMail('addresses'),
  async confirmSecondFactor() {
    const { body } = await sluice.request('POST', '/users/me/second-factor', { token });
    recovery = body.data.recovery_codes;
    return codeOf(body.data.otpauth_url);
  },
  removeSecondFactor: async () => recovery[0],
};

it('every request with a body is sent here', () => {
  // They need a query, a file of another server, an upload that was begun, and a query worker.
  const isOther = (id: string) =>
    ['createUniqueCheck', 'createImportFromUrl', 'continueImportFile', 'query'].includes(id);
  const withBody = [...operations.values()].filter(
    ({ requestBody, operationId }) => requestBody && !isOther(operationId),
  );
  expect(withBody.map(({ operationId }) => operationId).sort()).toEqual(order.toSorted());
});

it.each(order)('%s: the example succeeds as it stands', async (operationId) => {
  const {
    method: described,
    path,
    description: about,
    requestBody,
    responses,
  } = operations.get(operationId) as Operation;
  const methods = about?.includes('PUT does the same') ? [described, 'put'] : [described];
  // The user who owns the application is no member of it.
  const names = operationId === 'setMember' ? { ...made, username: (await sluice.owner()).username } : made;
  const url = path.replace(/^\/api/, '').replace(/\{(\w+)\}/g, (_, name) => names[name] as string);
  const requests = Object.entries(requestBody?.content ?? {}).flatMap(([type, { example }]) =>
    methods.map((each) => ({ method: each, type, example })),
  );
  for (const { method, type, example } of requests) {
    const code = await codes[operationId]?.();
    const sent = code === undefined ? example : { ...(example as object), code };
    const isText = typeof example === 'string' && type !== 'application/json';
    const { status, text, body } = await sluice.request(method.toUpperCase(), url, {
      token,
      body: isText ? example : JSON.stringify(sent),
      headers: { 'content-type': type },
    });
    const statuses = Object.keys(responses).filter((each) => each.startsWith('2'));
    expect({ type, text, status: String(status) }).toEqual({
      type,
      text,
      status: expect.stringMatching(statuses.join('|')),
    });
    // What the example of the answer has, the answer has.
    const answer = responses[status]?.content?.['application/json']?.example as { data: object };
    expect(body).toMatchObject({ success: true, status });
    expect(Object.keys(body.data).sort()).toEqual(Object.keys(answer.data).sort());
    if (operationId !== 'createToken') token = body.data.token ?? token;
    if (['createKey', 'createWebhook', 'saveView', 'createArchive'].includes(operationId))
      made.id = body.data.id;
    if (body.data.domain) made.domain = body.data.domain;
  }
});
