import { expect, it } from 'vitest';
import { failure, startBadProxy } from './bad-proxy.ts';
import { copied, python } from './languages/python.ts';
import { tryUploader } from './oracle.ts';
import { startProgram } from './program.ts';

tryUploader(python, (scene) => {
  async function run(name: string, ...args: string[]) {
    const [command = '', , , program = ''] = await copied(name, scene().folder);
    const running = startProgram([command, program], args);
    expect(await running.ended, running.output.err).toBe(0);
    return running.output.out;
  }

  it('may be shared by threads, and by the processes of a fork', async () => {
    const { api, stored } = scene();
    const begin = 7_000_000;
    await run('share.py', api.url, String(begin));
    const counts = await stored();
    const sent = Array.from({ length: 600 }, (_, at) => begin + at);
    expect(sent.filter((n) => counts.get(n) !== 1)).toEqual([]);
  });

  it('has told all when it is flushed and closed, survives callbacks, and says what it could not store', async () => {
    const { url } = await startBadProxy(failure(401, 'UnauthorizedRequestError'));
    const out = await run('failures.py', scene().api.url, url);
    const told = ['told -1', 'flushed', 'told -2', 'closed', 'ended by nothing'];
    const notStored = Array(4).fill('1 401 UnauthorizedRequestError');
    expect(out.trim().split('\n')).toEqual([...told, ...notStored]);
    expect((await scene().stored()).get(20_000_001)).toBe(1);
  });
});
