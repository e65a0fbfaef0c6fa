import { expect, it } from 'vitest';
import { createApiProcess } from '../support/api-process.ts';
import { ownDatabase } from '../support/own-database.ts';
import { removeSilent } from '../support/remove-silent.ts';
import { call, ownStores, until } from '../support/sluice.ts';
import { commandLine } from '../support/sluice-command.ts';

const restarts = 3;
const uploadsBetween = 20;
/** Fewer than what is never left out. */
const mostUnseen = 15;
const allMs = 600_000;

it(
  'sluice tail misses nothing, and shows nothing twice, while its server stops and starts',
  async () => {
    const { url: MONGODB_URL } = await ownDatabase();
    removeSilent(MONGODB_URL);
    const env = { ...ownStores(), MONGODB_URL, DRAIN_DELAY: '1s' };
    const followed = await createApiProcess(env);
    const other = await createApiProcess(env);
    await Promise.all([followed.start(), other.start()]);
    const app = await followed.application({ type: 'object' });
    const json = { username: 'owner', password: 'correct horse' };
    const { token } = (await call(other.url, 'POST', '/api/users/login', { json })).body.data;
    const user = commandLine({ url: followed.url, token, app });
    const stop = new AbortController();
    const { code, stdout, stderr } = user.start(['tail', '--json'], { signal: stop.signal });
    let text = '';
    stdout.on('data', (chunk) => {
      text += chunk;
    });
    stderr.resume();
    const shown = () =>
      text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line).payload.n as number);

    let sent = 0;
    async function upload(): Promise<void> {
      await until(async () => sent - new Set(shown()).size < mostUnseen, allMs);
      const headers = { 'idempotency-key': `n${sent}` };
      const path = `/api/applications/${app}/data`;
      const { status } = await call(other.url, 'POST', path, { json: { n: sent }, headers });
      if (status === 201) sent += 1;
    }

    // The stream begins with what comes after its connection.
    await until(async () => {
      await call(other.url, 'POST', `/api/applications/${app}/data`, { json: { n: -1 } });
      return text !== '';
    }, allMs);
    for (let n = 0; n < restarts; n++) {
      followed.stop();
      const restarted = followed.gone().then(followed.start);
      const goal = sent + uploadsBetween;
      while (sent < goal - mostUnseen) await upload();
      await restarted;
      while (sent < goal) await upload();
    }
    await until(async () => shown().includes(sent - 1), allMs);
    expect(shown().filter((n) => n >= 0)).toEqual(Array.from({ length: sent }, (_, n) => n));
    stop.abort();
    expect(await code).toBe(130);
  },
  allMs,
);
