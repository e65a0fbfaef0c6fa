import { createLogger } from '@sluice/shared/logger.ts';
import { createMetrics } from '@sluice/shared/metrics/metrics.ts';
import { mailStore } from '@sluice/store/alerts/mails.ts';
import { ObjectId } from 'mongodb';
import { expect, it, onTestFinished } from 'vitest';
import { createMailbox } from '../../../../test/support/mailbox.ts';
import { openStore, ownDatabase } from '../../../../test/support/own-database.ts';
import { until } from '../../../../test/support/sluice.ts';
import { startMails } from './start.ts';

const address = 'ada@example.com';
const fields = { type: 'other', connectors: [], rawSchema: '{}' };
const log = createLogger('test', { level: 'silent', pretty: false });

/** `count` mails about an application of this name in the outbox. */
async function outbox(count: number, name = 'Weather') {
  const { db, url } = await ownDatabase();
  const store = openStore(url);
  await store.prepare();
  const user = (await store.users.create({ username: 'ada', locale: 'en' })) ?? expect.unreachable();
  await store.addresses.set(user.id, address);
  const application =
    (await store.applications.create({ ...fields, name, domain: 'weather', owner: user })) ??
    expect.unreachable();
  await store.alerts.update(user.id, application, { silence: 60 });
  const alert = (await db.collection('alerts').findOne())?._id.toHexString() as string;
  const content = {
    alert,
    matter: 'silence' as const,
    application: application.id,
    news: [{ type: 'entries.silent', data: { minutes: 60 } }],
  };
  for (let n = 0; n < count; n++)
    await db.client.withSession((session) =>
      mailStore(db).addAlert(session, { user: user.id, owner: user.id }, { ...content, application: `${n}` }),
    );
  // Each of another application has a place of its own in the hour.
  await db.collection('mails').updateMany({}, { $set: { content } });

  function work(smtpUrl: string) {
    const metrics = createMetrics({ port: 0, token: undefined });
    const mail = {
      url: smtpUrl,
      from: { name: 'Sluice', address: 'sluice@example.com' },
      publicUrl: 'https://sluice.example',
    };
    const stop = startMails({ store, mail, metrics, log, mailsMs: 20, retryMs: 100 });
    onTestFinished(stop);
    return { stop, metrics };
  }
  const waiting = () => db.collection('mails').countDocuments({ dueAt: { $exists: true } });
  return { db, store, work, waiting, user, alert, content };
}

it('sends each mail once, with two workers', async () => {
  const { work, waiting } = await outbox(40);
  const { url, mails } = await createMailbox();
  work(url);
  work(url);
  await until(async () => (await waiting()) === 0);
  expect(new Set(mails.map(({ headers }) => headers.get('message-id'))).size).toBe(40);
  expect(mails).toHaveLength(40);
});

it('sends again what a worker had sent and not marked when it died', async () => {
  const { db, work, waiting, content } = await outbox(1);
  const { url, mails } = await createMailbox();
  const { stop } = work(url);
  await until(async () => (await waiting()) === 0);
  await stop();
  const [mail] = await db.collection('mails').find().toArray();
  // As the dead worker left it, with its lease over.
  await db.collection('mails').updateOne({ _id: mail?._id }, { $set: { dueAt: new Date(0), content } });
  work(url);
  await until(async () => mails.length === 2);
  expect(mails[0]?.headers.get('message-id')).toBe(mails[1]?.headers.get('message-id'));
});

it('keeps mails while the server is away, and sends them when it is back', async () => {
  const { work, waiting } = await outbox(20);
  const gone = await createMailbox();
  await gone.close();
  const { metrics, stop } = work(gone.url);
  await until(async () => /result="failed"\} [1-9]/.test(await metrics.text()));
  expect(await waiting()).toBe(20);
  await stop();
  const back = await createMailbox();
  work(back.url);
  await until(async () => back.mails.length === 20);
});

it('tries again what the server puts off, and gives up what it refuses', async () => {
  const { work, waiting } = await outbox(2);
  const codes = [450, 450, 550];
  const { url, mails } = await createMailbox(() => {
    const responseCode = codes.shift();
    if (responseCode) throw Object.assign(new Error(`no room for ${address}`), { responseCode });
  });
  const { metrics } = work(url);
  await until(async () => (await waiting()) === 0);
  expect(mails).toHaveLength(1);
  const text = await metrics.text();
  expect(text).toContain('sluice_mails_total{result="refused"} 1');
  expect(text).toContain('sluice_mails_total{result="failed"} 2');
});

it.each([
  'A\r\nBcc: eve@example.com',
  'A\nBcc: eve@example.com\n\nbody',
  'A\u2028Bcc: eve@example.com',
  '"<eve@example.com>", ü',
])('takes no header from a name: %j', async (name) => {
  const { work } = await outbox(1, name);
  const { url, mails } = await createMailbox();
  work(url);
  await until(async () => mails.length === 1);
  const [mail] = mails;
  expect(mail?.to).toEqual([address]);
  expect(mail?.headers.has('bcc')).toBe(false);
  expect(mail?.headers.get('to')).toBe(address);
  expect(mail?.raw.slice(0, mail.raw.indexOf('\r\n\r\n'))).not.toMatch(/^bcc:/im);
});

it('sends nothing to who has unsubscribed, left or been disabled meanwhile', async () => {
  for (const leave of ['alerts', 'applications', 'users']) {
    const { db, store, work, waiting, user, alert } = await outbox(1);
    if (leave === 'alerts') await store.alerts.remove(alert);
    if (leave === 'users') await store.users.disable(user.id);
    if (leave === 'applications')
      await db.collection('applications').updateMany({}, { $set: { 'owner.id': new ObjectId() } });
    const { url, mails } = await createMailbox();
    work(url);
    await until(async () => (await waiting()) === 0);
    expect(mails).toEqual([]);
  }
});
