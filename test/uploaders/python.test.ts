import { expect, it } from 'vitest';
import { copied, python } from './languages/python.ts';
import { tryUploader } from './oracle.ts';
import { startProgram } from './program.ts';

tryUploader(python, (scene) => {
  it('may be shared by threads, and by the processes of a fork', async () => {
    const { api, folder, stored } = scene();
    const [command = '', , , program = ''] = await copied('share.py', folder);
    const begin = 7_000_000;
    const running = startProgram([command, program], [api.url, String(begin)]);
    expect(await running.ended, running.output.err).toBe(0);
    const counts = await stored();
    const sent = Array.from({ length: 600 }, (_, at) => begin + at);
    expect(sent.filter((n) => counts.get(n) !== 1)).toEqual([]);
  });
});
