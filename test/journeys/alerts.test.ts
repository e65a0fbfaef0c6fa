import { MongoClient } from 'mongodb';
import { describe, expect, it, onTestFinished } from 'vitest';
import { admin } from '../support/admin-command.ts';
import { createMailbox } from '../support/mailbox.ts';
import { createReceiver } from '../support/receiver.ts';
import { startSluice, storeOf, until } from '../support/sluice.ts';

const publicUrl = 'https://sluice.example';
const address = 'ada@example.com';

/** A Sluice with mails, whose clock of silence a test sets forward. */
async function withMails() {
  const mailbox = await createMailbox();
  const sluice = await startSluice({
    env: {
      SMTP_URL: mailbox.url,
      MAIL_FROM: 'Sluice <sluice@example.com>',
      PUBLIC_URL: publicUrl,
      OUTBOUND_ALLOW: '127.0.0.1',
    },
  });
  onTestFinished(() => sluice.stop());
  const client = new MongoClient(sluice.env.MONGODB_URL as string);
  onTestFinished(() => client.close());
  const serving = client.db().collection('serving');
  const ticked = async () => (await serving.findOne())?.servedMs !== undefined;
  await until(ticked);
  return {
    ...sluice,
    mailbox,
    store: storeOf(sluice),
    db: client.db(),
    serve: (minutes: number) => serving.updateOne({}, { $inc: { servedMs: minutes * 60_000 } }),
  };
}

type World = Awaited<ReturnType<typeof withMails>>;

async function application({ request, owner, application, store }: World) {
  const { token, username } = await owner();
  const domain = await application(token);
  const user = (await store.users.byName(username)) ?? expect.unreachable();
  await store.addresses.set(user.id, address);
  const { id } = (await store.applications.byDomain(domain)) ?? expect.unreachable();
  const upload = async (n: number) => {
    const { status } = await request('POST', `/applications/${domain}/data`, { token, json: { n } });
    expect(status).toBe(201);
  };
  const alerts = (json: object) => request('PATCH', `/users/me/alerts/${domain}`, { token, json });
  const seen = (newest: boolean) =>
    until(async () => ((await store.sources.of(id))?.newest !== undefined) === newest);
  return { token, username, user, domain, id, upload, alerts, seen };
}

describe('silence', () => {
  it('is found, mailed once, told to webhooks and counted', async () => {
    const world = await withMails();
    const { request, mailbox, serve, store } = world;
    const { token, domain, upload, alerts, seen, user } = await application(world);
    const receiver = await createReceiver();
    const webhook = { url: receiver.url, events: ['entries.silent'], silence: 60 };
    const created = await request('POST', `/applications/${domain}/webhooks`, { token, json: webhook });
    expect(created.status).toBe(200);
    expect((await alerts({ silence: 60 })).body.data).toEqual({ silence: 60 });
    await upload(1);
    await seen(true);
    await serve(61);
    await until(async () => mailbox.mails.length > 0 && receiver.received.length > 0);
    const [mail] = mailbox.mails;
    expect(mail?.to).toEqual([address]);
    expect(mail?.headers.get('subject')).toBe('Test: no entry for 1 hour');
    expect(mail?.text).toContain(`${publicUrl}/applications/${domain}/entries?from=`);
    expect(mail?.headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
    expect(mail?.headers.get('list-unsubscribe')).toMatch(
      /^<https:\/\/sluice\.example\/api\/alerts\/[\w-]{32}\/unsubscribe>$/,
    );
    expect(mail?.raw).not.toContain('"n"');
    const { event } = receiver.received[0] ?? expect.unreachable();
    expect(event).toMatchObject({ type: 'entries.silent', data: { domain, minutes: 60 } });
    expect(Date.parse(event.data.last_entry_at)).toBeLessThan(Date.now());
    expect(await store.sources.countSilent()).toBe(1);

    // An entry ends it.
    await upload(2);
    await until(async () => (await store.sources.countSilent()) === 0);
    expect(mailbox.mails).toHaveLength(1);
    expect(await store.addresses.of(user.id)).toEqual({ address });
  });
});

describe('other matters', () => {
  it('are refusals, jobs, what fails, and publications that may refuse more', async () => {
    const world = await withMails();
    const { request, mailbox } = world;
    const { token, domain, upload, alerts } = await application(world);
    const send = async (method: string, where: string, json: object) => {
      const { status, text } = await request(method, `/applications/${domain}${where}`, { token, json });
      expect({ text, status }).toEqual({ text, status: where === '/exports' ? 202 : 200 });
    };
    await upload(1);
    const settings = { refused: { count: 3, minutes: 60 }, jobs: true, failing: true, publications: true };
    expect((await alerts(settings)).body.data).toMatchObject(settings);
    const receiver = await createReceiver((response) => response.writeHead(500).end());
    await send('POST', '/webhooks', { url: receiver.url, events: ['export.completed'] });
    // Only the second one may refuse more.
    await send('POST', '/schemas', { schema: { type: 'object', title: 'T' } });
    await send('POST', '/schemas', { schema: { type: 'object', properties: { n: { type: 'integer' } } } });
    await send('POST', '/exports', {});
    for (const n of ['secret', 'secret', 'secret'])
      await request('POST', `/applications/${domain}/data`, { token, json: { n } });

    const subjects = () => mailbox.mails.map(({ headers }) => headers.get('subject')).sort();
    await until(async () => mailbox.mails.length === 4);
    expect(subjects()).toEqual([
      'Test: 1 export completed',
      'Test: 1 webhook fails',
      'Test: 3 uploads refused',
      'Test: schema version 3 may refuse more',
    ]);
    for (const { raw, text } of mailbox.mails) {
      expect(raw).not.toContain('secret');
      expect(text).toContain(`${publicUrl}/applications/${domain}/`);
    }
    expect(
      (await alerts({ refused: null, jobs: false, failing: false, publications: false })).body.data,
    ).toEqual({ proposed_silence: 5 });
  });
});

describe('a reader', () => {
  it('is told nothing that only editors see', async () => {
    const world = await withMails();
    const { request, mailbox, owner, store } = world;
    const { token, domain } = await application(world);
    const reader = await owner();
    const { id } = (await store.users.byName(reader.username)) ?? expect.unreachable();
    await store.addresses.set(id, 'reader@example.com');
    const setRole = async (role: string) => {
      const member = `/applications/${domain}/members/${reader.username}`;
      expect((await request('PUT', member, { token, json: { role } })).status).toBe(200);
    };
    const choose = async (json: object) =>
      (await request('PATCH', `/users/me/alerts/${domain}`, { token: reader.token, json })).status;
    const refuse = () => request('POST', `/applications/${domain}/data`, { token, json: [1] });
    await setRole('reader');
    expect(await choose({ refused: { count: 1, minutes: 60 } })).toBe(403);
    expect(await choose({ failing: true })).toBe(403);
    expect(await choose({ refused: null, failing: false, jobs: true })).toBe(200);
    await setRole('editor');
    expect(await choose({ refused: { count: 1, minutes: 60 } })).toBe(200);
    await setRole('reader');
    await refuse();
    expect((await request('POST', `/applications/${domain}/exports`, { token, json: {} })).status).toBe(202);
    await until(async () => mailbox.mails.length > 0);
    expect(mailbox.mails.map(({ headers }) => headers.get('subject'))).toEqual(['Test: 1 export completed']);
    expect(await choose({ refused: null })).toBe(200);
  });
});

describe('an e-mail', () => {
  it('is confirmed by the link of a mail, and shown to its user alone', async () => {
    const world = await withMails();
    const { request, mailbox, owner } = world;
    const [ada, bo] = [await owner(), await owner()];
    const set = (email: string) => request('PUT', '/users/me/email', { token: ada.token, json: { email } });
    const profile = async () => (await request('GET', '/users/me', { token: ada.token })).body.data;
    const confirm = (code?: string) => request('POST', '/users/confirm-email', { json: { code } });

    expect((await set('ada@example.com')).status).toBe(200);
    await until(async () => mailbox.mails.length === 1);
    const [mail] = mailbox.mails;
    expect(mail?.to).toEqual(['ada@example.com']);
    expect(mail?.headers.has('list-unsubscribe')).toBe(false);
    const codeIn = (text?: string) => /\/confirm-email#([\w-]{32})/.exec(text ?? '')?.[1];
    expect(await profile()).toMatchObject({ email_pending: 'ada@example.com' });
    expect((await confirm('x')).status).toBe(401);
    expect((await confirm(codeIn(mail?.text))).status).toBe(200);
    expect((await confirm(codeIn(mail?.text))).status).toBe(401);
    expect(await profile()).toMatchObject({ email: 'ada@example.com' });

    // Another one counts once it is confirmed, too.
    await set('ada@example.org');
    expect(await profile()).toMatchObject({ email: 'ada@example.com', email_pending: 'ada@example.org' });
    for (const path of ['/users', `/users/${ada.username}`])
      expect((await request('GET', path, { token: bo.token })).text).not.toContain('@example');
    for (let n = 0; n < 3; n++) expect((await set(`a${n}@example.com`)).status).toBe(200);
    expect((await set('b@example.com')).status).toBe(429);

    expect((await request('DELETE', '/users/me/email', { token: ada.token })).status).toBe(200);
    expect(await profile()).not.toHaveProperty('email');
    expect((await set('b@example.com')).status).toBe(429);
  });

  it('gets few mails to confirm it, whoever asks', async () => {
    const { request, owner, mailbox } = await withMails();
    const set = async (email: string) => {
      const { token } = await owner();
      return (await request('PUT', '/users/me/email', { token, json: { email } })).status;
    };
    for (const email of ['ada@example.com', 'Ada@example.com', 'ada@example.com'])
      expect(await set(email)).toBe(200);
    expect(await set('ada@example.com')).toBe(429);
    expect(await set('bo@example.com')).toBe(200);
    await until(async () => mailbox.mails.length === 4);
  });

  it('is one address', async () => {
    const { request, owner } = await withMails();
    const { token } = await owner();
    for (const email of ['a@b\r\nBcc: c@d', 'a@b, c@d', 'Ada <a@b>', 'a b@c', '@b', 'a@', 'ä@b'])
      expect((await request('PUT', '/users/me/email', { token, json: { email } })).status).toBe(400);
  });
});

describe('the link that unsubscribes', () => {
  it('asks first, and ends the alerts of its application by a POST without a sign-in', async () => {
    const world = await withMails();
    const { url, mailbox, serve, request } = world;
    const { token, domain, upload, alerts, seen } = await application(world);
    const other = await world.application(token);
    await alerts({ silence: 60 });
    await request('PATCH', `/users/me/alerts/${other}`, { token, json: { jobs: true } });
    await upload(1);
    await seen(true);
    await serve(61);
    await until(async () => mailbox.mails.length === 1);
    const [, path] = /<https:\/\/sluice\.example(.*)>/.exec(
      mailbox.mails[0]?.headers.get('list-unsubscribe') ?? '',
    ) ?? ['', ''];
    const of = async (where: string) =>
      (await request('GET', `/users/me/alerts/${where}`, { token })).body.data;
    const asked = await fetch(`${url}${path}`);
    expect(asked.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(asked.headers.get('content-security-policy')).toContain("form-action 'self'");
    expect(await asked.text()).toContain('<form method="post">');
    expect(await of(domain)).toMatchObject({ silence: 60 });

    const click = (body?: URLSearchParams | FormData) =>
      fetch(`${url}${path}`, { method: 'POST', ...(body && { body }) });
    const form = new FormData();
    form.set('List-Unsubscribe', 'One-Click');
    for (const body of [new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }), form, undefined])
      expect((await click(body)).status).toBe(200);
    expect(await of(domain)).toEqual({ proposed_silence: 5 });
    expect(await of(other)).toEqual({ jobs: true });
    const { body: acts } = await request('GET', `/users/me/activity?action=alerts.updated`, { token });
    expect(acts.data.result[0]).toMatchObject({ application: domain, before: { silence: 60 } });
  });
});

describe('invitations and new passwords', () => {
  it('go by mail where there is an address, else as a link', async () => {
    const { env, mailbox, request } = await withMails();
    const users = (...args: string[]) => admin(env, ['users', ...args]);
    const choose = async (username: string, mail: number, password: string) => {
      await until(async () => mailbox.mails.length > mail);
      const { to, text } = mailbox.mails[mail] ?? expect.unreachable();
      expect(to).toEqual(['grace@example.com']);
      const [, code] = new RegExp(`${publicUrl}/set-password#${username}:([\\w-]+)`).exec(text) ?? [];
      const json = { code, new_password: password };
      return (await request('PUT', `/users/${username}/password`, { json })).status;
    };
    const logIn = async (username: string, password: string) =>
      (await request('POST', '/users/login', { json: { username, password } })).body.data?.token;

    const invited = await users('invite', 'grace', '--email', 'grace@example.com');
    expect(invited).toMatchObject({ code: 0, stdout: '' });
    expect(await choose('grace', 0, 'correct horse')).toBe(200);
    const token = await logIn('grace', 'correct horse');
    expect((await request('GET', '/users/me', { token })).body.data.email).toBe('grace@example.com');

    expect(await users('reset-password', 'grace')).toMatchObject({ code: 0, stdout: '' });
    expect(await choose('grace', 1, 'staple battery')).toBe(200);
    expect(await logIn('grace', 'staple battery')).toBeDefined();

    expect((await users('reset-password', 'grace', '--print')).stdout).toContain('/set-password#grace:');
    expect((await users('invite', 'hedy')).stdout).toContain('/set-password#hedy:');
    expect((await users('reset-password', 'hedy')).stdout).toContain('/set-password#hedy:');
    expect((await users('invite', 'joan', '--email', 'joan')).stderr).toContain('--email must be an address');
    expect(mailbox.mails).toHaveLength(2);
  });
});
