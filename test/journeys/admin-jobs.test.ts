import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { createProgram } from '@sluice/admin/program.ts';
import { openTerminal } from '@sluice/admin/terminal.ts';
import { startExportWorker } from '@sluice/export-worker/start.ts';
import { connectRedis } from '@sluice/jobs/queue/redis.ts';
import { loadExportWorkerConfig } from '@sluice/shared/config/load.ts';
import { createLogger } from '@sluice/shared/logger.ts';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { admin, adminProcess, spawnAdmin } from '../support/admin-command.ts';
import { quickTimings } from '../support/quick-timings.ts';
import { exitOf } from '../support/service-process.ts';
import { type Sluice, startSluice, storeOf, until } from '../support/sluice.ts';

const log = createLogger('test', { level: 'silent', pretty: false });
let sluice: Sluice;
beforeAll(async () => {
  sluice = await startSluice({ workers: false, env: { APPLICATION_QUOTA: '2', JOB_QUOTA: '1' } });
});
afterAll(() => sluice.stop());

const run = (args: string[]) => admin(sluice.env, args);

/** Of a command that succeeds. */
async function done(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(args);
  expect([code, stderr]).toEqual([0, expect.anything()]);
  return stdout;
}

const json = async (...args: string[]) => JSON.parse(await done(...args, '--json'));

/** An owner with an application that has one entry. */
async function start() {
  const { username, token } = await sluice.owner();
  const domain = await sluice.application(token);
  expect((await sluice.request('POST', `/applications/${domain}/data`, { json: { n: 1 } })).status).toBe(201);
  const exports = `/applications/${domain}/exports`;
  return {
    username,
    token,
    domain,
    makeExport: () => sluice.request('POST', exports, { token, json: {} }),
    stateOf: async (id: string) =>
      (await sluice.request('GET', `${exports}/${id}`, { token })).body.data.state as string,
  };
}

async function workUntil(condition: () => Promise<boolean>): Promise<void> {
  const worker = await startExportWorker(loadExportWorkerConfig(sluice.env), log, quickTimings);
  await until(condition).finally(() => worker.stop());
}

describe('sluice-admin applications', () => {
  it('list and show: whose they are, and how much they hold', async () => {
    const { username, token, domain } = await start();
    const other = await sluice.application(token);
    const listed = await json('applications', 'list', '--owner', username);
    expect(listed).toEqual([
      expect.objectContaining({ domain: other, owner: username }),
      expect.objectContaining({ domain, owner: username, name: 'Test' }),
    ]);
    expect(await json('applications', 'list')).toEqual(expect.arrayContaining(listed));
    expect(await json('applications', 'show', domain)).toMatchObject({
      domain,
      owner: username,
      entries: 1,
      bytes: expect.any(Number),
      keys: 0,
      key_required: false,
    });
    expect(await done('applications', 'show', domain)).toMatch(/^entries +1$/m);
    const { bytes } = await json('applications', 'show', domain);
    const used = await json('applications', 'list', '--owner', username, '--usage');
    expect(used).toMatchObject([
      { domain, entries: 1, bytes },
      { domain: other, entries: 0, bytes: 0 },
    ]);
    expect(bytes).toBeGreaterThan(0);
    expect((await run(['applications', 'show', 'nowhere'])).stderr).toMatch(
      /^sluice-admin: application nowhere was not found/,
    );
  });

  it('transfer: the new owner has it with its jobs, quotas count for them, and keys keep working', async () => {
    const from = await start();
    const { token, domain } = from;
    await sluice.application(token);
    const to = await sluice.owner();
    const { body } = await sluice.request('POST', `/applications/${domain}/keys`, {
      token,
      json: { name: 'k' },
    });
    await sluice.request('PATCH', `/applications/${domain}`, { token, json: { key_required: true } });
    const { id } = (await from.makeExport()).body.data;
    const isFull = async (owner: string) =>
      (
        await sluice.request('POST', '/applications', {
          token: owner,
          json: { name: 'T', type: 'other', schema: '{"type":"object"}' },
        })
      ).status;
    expect(await isFull(token)).toBe(429);

    await done('applications', 'transfer', domain, to.username);
    const as = (owner: string) => sluice.request('GET', `/applications/${domain}`, { token: owner });
    expect((await as(token)).status).toBe(404);
    expect((await as(to.token)).body.data.owner).toBe(to.username);
    expect(await isFull(token)).toBe(200);
    expect([await isFull(to.token), await isFull(to.token)]).toEqual([200, 429]);
    const headers = { 'x-api-key': body.data.key as string };
    const upload = await sluice.request('POST', `/applications/${domain}/data`, { json: {}, headers });
    expect(upload.status).toBe(201);
    const store = storeOf(sluice);
    const { id: owner = '' } = (await store.users.byName(to.username)) ?? {};
    expect((await store.jobs.get(id))?.owner).toBe(owner);
    expect(await store.jobs.unfinishedOfOwner(owner, 10)).toBe(1);
    for (const [path, each] of [
      ['/users/me/activity', token],
      [`/applications/${domain}/activity`, to.token],
    ] as const)
      expect((await sluice.request('GET', path, { token: each })).body.data.result).toContainEqual(
        expect.objectContaining({
          actor: 'sluice-admin',
          via: 'operator',
          action: 'application.transferred',
          application: domain,
          before: { owner: from.username },
          after: { owner: to.username },
        }),
      );
    expect((await run(['applications', 'transfer', domain, to.username])).stderr).toContain('already');
    expect((await run(['applications', 'transfer', domain, 'nobody'])).stderr).toContain('was not found');
    await done('users', 'disable', from.username);
    expect((await run(['applications', 'transfer', domain, from.username])).stderr).toContain('is disabled');
    await done('jobs', 'cancel', id);
  });
});

describe('sluice-admin jobs', () => {
  it('list and cancel: a waiting job ends, and its owner can make another', async () => {
    const { makeExport, stateOf, domain } = await start();
    const { id } = (await makeExport()).body.data;
    expect((await makeExport()).status).toBe(429);
    expect(await json('jobs', 'list', '--state', 'waiting')).toContainEqual(
      expect.objectContaining({ id, kind: 'export', state: 'waiting', domain, error: null }),
    );
    await done('jobs', 'cancel', id);
    expect(await stateOf(id)).toBe('cancelled');
    const again = await run(['jobs', 'cancel', id]);
    expect([again.code, again.stderr]).toEqual([1, `sluice-admin: export ${id} is over already\n`]);
    expect((await makeExport()).status).toBe(202);
    expect((await run(['jobs', 'retry', id])).stderr).toContain('is cancelled');
    expect((await run(['jobs', 'cancel', 'nothing'])).stderr).toContain('job nothing was not found');
    expect((await run(['jobs', 'list', '--state', 'lost'])).code).toBe(1);
  });

  it('retry: a failed job is made, and its owner reads who did it', async () => {
    const { makeExport, stateOf, token } = await start();
    const { id } = (await makeExport()).body.data;
    const { jobs } = storeOf(sluice);
    const { fence = 0 } = (await jobs.claim('export', id, 60_000)) ?? {};
    await jobs.fail(id, fence, { error: 'no room' }, new Date(Date.now() + 3_600_000));
    expect(await json('jobs', 'list', '--state', 'failed')).toContainEqual(
      expect.objectContaining({ id, error: 'no room' }),
    );
    await done('jobs', 'retry', id);
    expect(await stateOf(id)).toBe('waiting');
    await workUntil(async () => (await stateOf(id)) === 'completed');
    expect((await sluice.request('GET', '/users/me/activity', { token })).body.data.result).toContainEqual(
      expect.objectContaining({ action: 'export.retried', job: id, address: 'sluice-admin' }),
    );
  });

  it('requeue and queues: what the queue lost is there again, once', async () => {
    const { makeExport, stateOf } = await start();
    const exportsQueue = async () =>
      (await json('queues')).find(({ queue }: { queue: string }) => queue === 'exports');
    const { waiting: before } = await exportsQueue();
    const { id } = (await makeExport()).body.data;
    expect(await exportsQueue()).toMatchObject({ waiting: before + 1, active: 0, delayed: 0, workers: 0 });

    const { REDIS_URL: url = '', REDIS_PREFIX: prefix } = sluice.env;
    const redis = connectRedis({ url }, log, 'patient');
    onTestFinished(() => redis.disconnect());
    await redis.unlink(...(await redis.keys(`{${prefix}}:exports:*`)));
    expect(await exportsQueue()).toMatchObject({ waiting: 0 });
    for (let times = 0; times < 2; times++) await done('jobs', 'requeue', id);
    expect(await exportsQueue()).toMatchObject({ waiting: 1 });
    await workUntil(async () => (await stateOf(id)) === 'completed');
    expect((await run(['jobs', 'requeue', id])).stderr).toContain('is completed');
    expect(await done('queues')).toMatch(
      /^queue +waiting +active +delayed +oldest_waiting_seconds +workers$/m,
    );
  });
});

it('queues --serve shows jobs to who has the password, and changes none', async () => {
  const { makeExport } = await start();
  const { id } = (await makeExport()).body.data;
  const child = spawnAdmin(sluice.env, ['queues', '--serve', '0']);
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const [url, , username, , password] = line.split(/ +/) as string[];
  const ask = (path: string, credentials?: string, method = 'GET') =>
    fetch(`${url}${path}`, {
      method,
      ...(credentials && {
        headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
      }),
    });
  const right = `${username}:${password}`;
  const statuses = [ask('/'), ask('/', `${username}:x`), ask('/', `x:${password}`), ask('/', right)];
  expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual([401, 401, 401, 200]);
  const answer = await ask('/api/queues?activeQueue=exports&status=prioritized', right);
  const { queues } = (await answer.json()) as { queues: { name: string; jobs: { data: unknown }[] }[] };
  const jobs = queues.find(({ name }) => name === 'exports')?.jobs;
  expect(jobs?.map(({ data }) => data)).toContainEqual({ jobId: id, slot: 0 });
  expect((await ask(`/api/queues/exports/export-${id}-0/clean`, right, 'PUT')).status).toBe(405);
  child.kill('SIGTERM');
  expect(await exitOf(child)).toBe(0);
});

/** What `--help` prints behind these words. */
function helpOf(args: string[]): string {
  let command = createProgram(openTerminal(process, {}));
  for (const name of args) command = command.commands.find((each) => each.name() === name) ?? command;
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
  return help;
}

it.each([
  [[]],
  [['users']],
  [['users', 'list']],
  [['users', 'create']],
  [['users', 'invite']],
  [['users', 'reset-password']],
  [['users', 'disable']],
  [['users', 'enable']],
  [['users', 'delete']],
  [['applications', 'list']],
  [['applications', 'show']],
  [['applications', 'transfer']],
  [['jobs', 'list']],
  [['jobs', 'retry']],
  [['jobs', 'cancel']],
  [['jobs', 'requeue']],
  [['queues']],
  [['doctor']],
  [['config', 'check']],
])('sluice-admin %j --help says how it is used', (args) => {
  const help = helpOf(args);
  expect(help).toContain(`Usage: ${['sluice-admin', ...args].join(' ')}`);
  if (args.length > 1 || args[0] === 'queues' || args[0] === 'doctor')
    expect(help).toContain(`Example: ${['sluice-admin', ...args].join(' ')}`);
});

it('prints that, and exits with 0', async () => {
  for (const args of [[], ['users', 'create']])
    expect(await run([...args, '--help'])).toMatchObject({ code: 0, stdout: helpOf(args), stderr: '' });
});

it.each([
  [['applications', 'list', '--json'], 0],
  [['applications', 'show', 'nowhere'], 1],
  [['jobs', 'list'], 0],
  [['jobs', 'list', '--state', 'lost'], 1],
])('sluice-admin %j prints the same as a process of its own, and exits with %i', async (args, code) => {
  const printed = await adminProcess(sluice.env, args);
  expect(printed).toEqual(await run(args));
  expect(printed.code).toBe(code);
});
