import { join } from 'node:path';
import { expect, it } from 'vitest';
import { raceForLock } from '../../../test/support/lock-race.ts';

it('lets one of those have the spool of a dead process who open it at the same moment', async () => {
  const module = JSON.stringify(join(import.meta.dirname, '../uploaders/typescript/uploader.ts'));
  const taker = `async () => {
    const { Uploader } = await import(${module});
    return async (spool) => {
      const uploader = new Uploader({ baseUrl: 'http://127.0.0.1:9', domain: 'x', spool });
      await uploader.flush();
      return () => uploader.close();
    };
  }`;
  expect(await raceForLock(taker, 300)).toEqual(Array(300).fill(1));
});
