import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { admin, adminProcess, interruptedAdmin } from '../support/admin-command.ts';
import { quickPurges, type Sluice, startSluice, storeOf, until } from '../support/sluice.ts';

let sluice: Sluice;
/** Another replica of the API, where registration is open. */
let other: Sluice;
beforeAll(async () => {
  sluice = await startSluice({ env: { REGISTRATION_OPEN: 'off' }, workerEnv: quickPurges });
  other = await startSluice({ env: { ...sluice.env, REGISTRATION_OPEN: 'on' }, workers: false });
});
afterAll(() => Promise.all([sluice.stop(), other.stop()]));

const users = (args: string[], input = '') => admin(sluice.env, ['users', ...args], Buffer.from(input));

/** Of a command that succeeds. */
async function done(args: string[], input = ''): Promise<string> {
  const { code, stdout, stderr } = await users(args, input);
  expect([code, stderr]).toEqual([0, expect.anything()]);
  return stdout.trim();
}

/** The code at the end of a link. */
const codeOf = (link: string) => link.split(':').at(-1) as string;

const logIn = (username: string, password: string) =>
  sluice.request('POST', '/users/login', { json: { username, password } });
const setPassword = (username: string, code: string, password: string) =>
  sluice.request('PUT', `/users/${username}/password`, { json: { code, new_password: password } });
const profile = (token: string, replica = sluice) => replica.request('GET', '/users/me', { token });

let made = 0;
/** A user with a token. */
const user = () => other.owner(`made-${made++}`);

async function rows(): Promise<Record<string, unknown>[]> {
  return JSON.parse(await done(['list', '--json']));
}

const actions = async (token: string) =>
  (await sluice.request('GET', '/users/me/activity', { token })).body.data.result.map(
    ({ action, address }: { action: string; address: string }) => `${action} ${address}`,
  );

describe('sluice-admin users', () => {
  it('create: the user logs in with the password of the standard input, though registration is closed', async () => {
    const args = ['users', 'create', 'made-by-operator'];
    const { code, stderr } = await adminProcess(sluice.env, args, Buffer.from('correct horse\n'));
    expect([code, stderr]).toEqual([0, 'user made-by-operator was created\n']);
    const { token } = (await logIn('made-by-operator', 'correct horse')).body.data;
    expect((await profile(token)).body.data.username).toBe('made-by-operator');
    expect(await actions(token)).toContain('user.created sluice-admin');
  });

  it.each([
    [['create', 'made-by-operator'], 'correct horse', /username made-by-operator is taken/],
    [['create', 'MADE-BY-OPERATOR'], 'correct horse', /is taken/],
    [['create', 'ab'], 'correct horse', /a username may contain/],
    [['create', 'short'], 'correct', /at least 8 characters/],
    [['create', 'long'], 'p'.repeat(73), /at most 72 bytes/],
    [['invite', 'made-by-operator'], '', /is taken; for a new password use/],
    [['invite', 'late', '--expires', 'soon'], '', /--expires must be a duration/],
    [['invite', 'late', '--expires', '0'], '', /--expires must be a duration/],
    [['invite', 'late', '--expires', '366d'], '', /--expires must be a duration .* at most 365d/],
    [['invite', 'late', '--expires', '99999999d'], '', /--expires must be a duration/],
    [['reset-password', 'made-by-operator', '--expires', '99999999d'], '', /--expires must be a duration/],
    [['invite', 'late', '--url', 'sluice.example'], '', /--url must be an address/],
    [['reset-password', 'made-by-operator', '--url', 'javascript:1'], '', /--url must be an address/],
    [['reset-password', 'nobody'], '', /user nobody was not found/],
    [['disable', 'nobody'], '', /user nobody was not found/],
    [['enable', 'made-by-operator'], '', /user made-by-operator is not disabled/],
    [['delete', 'nobody'], '', /user nobody was not found/],
  ])('%j with %j is refused in plain words', async (args, input, message) => {
    const { code, stdout, stderr } = await users(args, input);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('    at ');
    expect(await rows()).toEqual([expect.objectContaining({ username: 'made-by-operator' })]);
  });

  it('create: Ctrl-C at the password ends it, and nothing is made', async () => {
    expect(await interruptedAdmin(sluice.env, ['users', 'create', 'late'])).toEqual({
      question: 'New password: ',
      code: 130,
    });
    expect(await rows()).toEqual([expect.objectContaining({ username: 'made-by-operator' })]);
  });

  it('create: nothing is made with a setting that is out of its range', async () => {
    const env = { ...sluice.env, AUDIT_RETENTION: '99999999d' };
    const { code, stderr } = await admin(env, ['users', 'create', 'late'], Buffer.from('correct horse'));
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^sluice-admin: AUDIT_RETENTION must be .*\n$/),
    ]);
    expect(await rows()).toEqual([expect.objectContaining({ username: 'made-by-operator' })]);
  });

  it('invite: the code of the link sets a password once, for this user alone', async () => {
    const { stdout, stderr } = await users([
      'invite',
      'Grace',
      '--expires',
      '1h',
      '--url',
      'https://a.example/',
    ]);
    expect(stdout).toMatch(/^https:\/\/a\.example\/set-password#Grace:[\w-]{32}\n$/);
    const code = codeOf(stdout.trim());
    const end = stderr.match(/once, until (.*):/)?.[1] as string;
    expect(Math.abs(Date.parse(end) - Date.now() - 3_600_000)).toBeLessThan(60_000);
    expect(code).toMatch(/^[\w-]{32}$/);
    expect((await logIn('grace', 'correct horse')).status).toBe(401);
    const { username } = await user();
    expect((await setPassword(username, code, 'stolen horse')).status).toBe(401);
    expect((await setPassword('grace', `${code}x`, 'stolen horse')).status).toBe(401);
    expect((await setPassword('grace', code, 'short')).status).toBe(400);
    expect(await setPassword('grace', code, 'correct horse')).toMatchObject({
      status: 200,
      body: { data: { message: 'the password was set; log in' } },
    });
    expect((await setPassword('grace', code, 'another horse')).body.error).toMatchObject({
      name: 'InvalidCredentialsError',
    });
    const { status, body } = await logIn('grace', 'correct horse');
    expect(status).toBe(200);
    expect(await actions(body.data.token)).toEqual(
      expect.arrayContaining(['user.password-set 127.0.0.1', 'user.invited sluice-admin']),
    );
  });

  it('of many who use a code at once, one sets the password', async () => {
    const code = codeOf(await done(['invite', 'crowd']));
    const passwords = Array.from({ length: 8 }, (_, n) => `correct horse ${n}`);
    const answers = await Promise.all(passwords.map((password) => setPassword('crowd', code, password)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const winner = passwords[answers.findIndex(({ status }) => status === 200)] as string;
    expect((await logIn('crowd', winner)).status).toBe(200);
  });

  it('a code that has expired, or was followed by another, does nothing', async () => {
    const { username } = await user();
    const first = codeOf(await done(['reset-password', username]));
    const second = codeOf(await done(['reset-password', username, '--expires', '1s']));
    expect((await setPassword(username, first, 'stolen horse')).status).toBe(401);
    const { users: store } = storeOf(sluice);
    await until(async () => !(await store.hasCode(username, second)));
    expect((await setPassword(username, second, 'stolen horse')).status).toBe(401);
    expect((await logIn(username, 'correct horse')).status).toBe(200);
  });

  it('reset-password: the new password ends the old one and all tokens', async () => {
    const { username, token } = await user();
    const code = codeOf(await done(['reset-password', username]));
    expect((await profile(token)).status).toBe(200);
    expect((await setPassword(username, code, 'better horse')).status).toBe(200);
    expect((await profile(token)).status).toBe(401);
    expect((await logIn(username, 'correct horse')).status).toBe(401);
    expect((await logIn(username, 'better horse')).status).toBe(200);
  });

  it('codes are stored as hashes only, and shown to nobody else', async () => {
    const { username, token } = await user();
    const code = codeOf(await done(['reset-password', username]));
    const client = new MongoClient(sluice.env.MONGODB_URL as string);
    onTestFinished(() => client.close());
    const documents = await client.db().collection('users').find().toArray();
    expect(documents).toContainEqual(expect.objectContaining({ username, code: expect.anything() }));
    expect(JSON.stringify(documents)).not.toContain(code);
    expect((await sluice.request('GET', '/users', { token })).text).not.toMatch(new RegExp(`${code}|"code"`));
  });

  it('disable: tokens, logins and uploads end on every replica, and enable lets them begin again', async () => {
    const { username, token } = await user();
    const [open, keyed] = [await sluice.application(token), await sluice.application(token)];
    const { body } = await sluice.request('POST', `/applications/${keyed}/keys`, {
      token,
      json: { name: 'k' },
    });
    await sluice.request('PATCH', `/applications/${keyed}`, { token, json: { key_required: true } });
    const headers = { 'x-api-key': body.data.key as string };
    const uploads = [sluice, other].flatMap((replica) =>
      [open, keyed].flatMap((domain) => [
        () => replica.request('POST', `/applications/${domain}/data`, { json: {}, headers }),
        () => replica.request('POST', `/applications/${domain}/data/batch`, { json: [{}], headers }),
      ]),
    );
    const statuses = async () =>
      new Set((await Promise.all(uploads.map((send) => send()))).map((a) => a.status));
    expect(await statuses()).toEqual(new Set([201]));

    await done(['disable', username]);
    expect((await profile(token)).status).toBe(401);
    expect((await profile(token, other)).status).toBe(401);
    await until(async () => (await statuses()).has(403));
    await until(async () => !(await statuses()).has(201));
    const [upload] = uploads;
    expect((await upload?.())?.body.error).toMatchObject({
      name: 'ForbiddenRequestError',
      message: `the owner of ${open} is disabled`,
    });
    expect((await logIn(username, 'correct horse')).body.error).toMatchObject({
      name: 'ForbiddenRequestError',
      message: 'this user is disabled; ask the operator',
    });
    expect((await logIn(username, 'wrong horse')).body.error.name).toBe('InvalidCredentialsError');
    expect(await rows()).toContainEqual(expect.objectContaining({ username, state: 'disabled' }));
    expect((await users(['disable', username])).stderr).toContain('is disabled already');

    await done(['enable', username]);
    expect((await profile(token)).status).toBe(401);
    expect((await logIn(username, 'correct horse')).status).toBe(200);
    await until(async () => !(await statuses()).has(403));
  });

  it('delete: refused while there are applications, unless they are to go too', async () => {
    const { username, token } = await user();
    const domain = await sluice.application(token);
    await sluice.request('POST', `/applications/${domain}/data`, { json: {} });
    const store = storeOf(sluice);
    const { id = '' } = (await store.applications.byDomain(domain)) ?? {};
    const refused = await users(['delete', username]);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('still owns applications (1)'),
    ]);
    expect((await profile(token)).status).toBe(200);

    await done(['delete', username, '--with-applications']);
    expect((await profile(token)).status).toBe(401);
    expect((await logIn(username, 'correct horse')).status).toBe(401);
    expect(await rows()).not.toContainEqual(expect.objectContaining({ username }));
    await until(async () => (await store.applications.tombstone(id)) === undefined);
    expect(await store.entries.count(id, {})).toBe(0);
    expect(await done(['create', username], 'correct horse')).toBe('');
  });

  it('list: by name, with the state and the number of applications', async () => {
    const { username, token } = await user();
    await sluice.application(token);
    await done(['invite', 'zoe']);
    const listed = await rows();
    expect(listed).toContainEqual({
      username,
      state: 'active',
      applications: 1,
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(listed.at(-1)).toMatchObject({ username: 'zoe', state: 'invited', applications: 0 });
    const table = await done(['list']);
    expect(table.split('\n')[0]).toMatch(/^username +state +applications +createdAt$/);
    expect(table.split('\n')).toHaveLength(listed.length + 1);
  });
});
