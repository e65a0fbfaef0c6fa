import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createApiProcess } from '../support/api-process.ts';
import { ownDatabase } from '../support/own-database.ts';
import { removeSilent } from '../support/remove-silent.ts';
import { call, ownStores, until } from '../support/sluice.ts';
import { commandLine, spawnCommand } from '../support/sluice-command.ts';

const lines = 80_000;
const kills = 4;
/** Each of these lines is refused. */
const badEvery = 1_000;
const bad = lines / badEvery;
const allMs = 600_000;

it(
  'a send that is killed again and again, and whose server is killed too, stores each line once',
  async () => {
    const { url: MONGODB_URL } = await ownDatabase();
    removeSilent(MONGODB_URL);
    const api = await createApiProcess({ ...ownStores(), MONGODB_URL });
    await api.start();
    const app = await api.application({ type: 'object', properties: { n: { type: 'integer' } } });
    const user = commandLine({ url: api.url, app });
    const file = user.at('entries.ndjson');
    const isBad = (n: number) => n % badEvery === badEvery - 1;
    writeFileSync(
      file,
      Array.from({ length: lines }, (_, n) => `{"n":${isBad(n) ? `"${n}"` : n}}\n`).join(''),
    );
    const state = user.at('.local/state/sluice');
    const sentLines = () => {
      const [name] = existsSync(state) ? readdirSync(state).filter((each) => each.endsWith('.json')) : [];
      return name ? (JSON.parse(readFileSync(join(state, name), 'utf8')).line as number) : 0;
    };
    const args = ['send', file, '--refused', user.at('refused.ndjson'), '--json'];

    for (let kill = 0; kill < kills; kill++) {
      const before = sentLines();
      const child = spawnCommand(args, user.env);
      await until(async () => sentLines() > before || child.exitCode !== null, allMs);
      if (kill % 2 === 1) {
        api.kill();
        await api.gone();
        await api.start();
        await until(async () => sentLines() > before + 5_000 || child.exitCode !== null, allMs);
      }
      expect(child.exitCode).toBe(null);
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    const { code, stdout } = await user.sluice(args);
    expect([code, JSON.parse(stdout)]).toEqual([1, { stored: lines - bad, refused: bad }]);
    expect(await user.sluice(args)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Confirm with --again'),
    });

    const refused = readFileSync(user.at('refused.ndjson'), 'utf8').trim().split('\n');
    expect(refused.map((line) => JSON.parse(line).line)).toEqual(
      Array.from({ length: bad }, (_, at) => (at + 1) * badEvery),
    );
    const json = { username: 'owner', password: 'correct horse' };
    const { token } = (await call(api.url, 'POST', '/api/users/login', { json })).body.data;
    const { stdout: listed } = await user.sluice(['list', '--all', '--json', '--token', token]);
    const numbers = listed
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).payload.n as number);
    const good = Array.from({ length: lines }, (_, n) => n).filter((n) => !isBad(n));
    expect(numbers.sort((a, b) => a - b)).toEqual(good);
  },
  allMs,
);
