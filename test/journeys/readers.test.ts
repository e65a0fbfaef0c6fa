import { createCapacities } from '@sluice/api/limits/capacity.ts';
import { capacities } from '@sluice/api/limits/table.ts';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Sluice, startSluice, until } from '../support/sluice.ts';

let sluice: Sluice;

beforeAll(async () => {
  sluice = await startSluice({
    workers: false,
    timings: { exportWaitMs: 3_600_000 },
    // Each follower asks twice a second.
    capacity: createCapacities({
      ...capacities,
      followers: { ...capacities.followers, limit: 8 },
      answers: { ...capacities.answers, limit: 128 * 1024 ** 2 },
    }),
  });
});
afterAll(() => sluice.stop());

/** An owner whose requests are left open, until the test ends or one of them is given up. */
async function openReader() {
  const { token } = await sluice.owner();
  const domain = await sluice.application(token);
  // An answer that nobody keeps would be given up by fetch itself.
  const open: { controller: AbortController; answer: Promise<Response> }[] = [];
  const giveUp = () => open.pop()?.controller.abort();
  onTestFinished(() => {
    while (open.length > 0) giveUp();
  });
  const fetchOwn = (path: string, signal?: AbortSignal) =>
    fetch(`${sluice.url}/api${path}`, {
      headers: { authorization: `Bearer ${token}` },
      ...(signal && { signal }),
    });
  const get = (path: string) => fetchOwn(`/applications/${domain}${path}`);
  function leaveOpen(path: string) {
    const controller = new AbortController();
    const answer = fetchOwn(path, controller.signal);
    open.push({ controller, answer });
    return answer;
  }
  return {
    get,
    giveUp,
    /** Makes a job; returns the path of its progress. */
    async job(): Promise<string> {
      const { body } = await sluice.request('POST', `/applications/${domain}/exports`, { token, json: {} });
      return `/exports/${body.data.id}/events`;
    },
    jobs: async () => (await bodyOf(await get('/exports'))).data.length,
    /** Makes another application, with a schema of so many bytes. */
    grow: (bytes: number) => sluice.application(token, { type: 'object', x: 'x'.repeat(bytes) }),
    /** Resolves with the answer, whose end is not waited for. */
    open: (path: string) => leaveOpen(`/applications/${domain}${path}`),
    /** Likewise with the list of the applications. */
    openList: () => leaveOpen('/applications'),
  };
}

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
const bodyOf = async (answer: Response): Promise<any> => answer.json();

describe('the progress of a job', () => {
  it('is followed by an owner as often as its share allows, and by others meanwhile', async () => {
    const [one, other] = [await openReader(), await openReader()];
    const [job, others] = [await one.job(), await other.job()];
    for (let n = 0; n < 6; n++) expect((await one.open(job)).status).toBe(200);
    const refused = await one.get(job);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '2']);
    expect((await bodyOf(refused)).error.message).toContain('too many followers of one owner');
    expect((await other.open(others)).status).toBe(200);
    one.giveUp();
    await until(async () => (await one.open(job)).status === 200);
  });
});

describe('streamed exports', () => {
  it('of an owner leave room for those of others, and all of them for what else there is', async () => {
    const [one, other] = [await openReader(), await openReader()];
    const open = (reader: typeof one) => void reader.open('/export').catch(() => undefined);
    for (let n = 0; n < 8; n++) open(one);
    await until(async () => (await one.jobs()) === 8);
    const refused = await one.get('/export');
    const { error } = await bodyOf(refused);
    expect([refused.status, error.message]).toEqual([
      429,
      expect.stringContaining('too many pages, lists and downloads of one owner'),
    ]);
    for (let n = 0; n < 2; n++) open(other);
    await until(async () => (await other.jobs()) === 2);
    const full = await other.get('/export');
    expect([full.status, full.headers.get('retry-after')]).toEqual([503, '2']);
    // Nothing was made of those that were refused.
    expect([await one.jobs(), await other.jobs()]).toEqual([8, 2]);
    one.giveUp();
    await until(async () => {
      open(other);
      return (await other.jobs()) === 3;
    });
  });
});

describe('lists of large applications', () => {
  it('that are not read on are bounded, and leave room for those of others', async () => {
    const [one, other] = [await openReader(), await openReader()];
    for (let n = 0; n < 30; n++) await one.grow(250_000);
    const answers: Response[] = [];
    while (answers.length < 100 && answers.every(({ ok }) => ok)) answers.push(await one.openList());
    const refused = answers.at(-1) as Response;
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '2']);
    expect((await bodyOf(refused)).error.message).toContain(
      'too many pages, lists and downloads of one owner',
    );
    const others = await other.openList();
    expect([others.status, (await bodyOf(others)).data.length]).toEqual([200, 1]);
    for (const _answer of answers) one.giveUp();
    await until(async () => (await one.openList()).status === 200);
  });
});
