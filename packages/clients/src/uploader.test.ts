import { readdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { tempDir } from '../../../test/support/local/temp-dir.ts';
import { type BadAnswer, failure, page, startBadProxy, stored } from '../../../test/uploaders/bad-proxy.ts';

/** The type check of this project has no types of browsers, which the template uses. */
const { NotStored, Uploader } = await import(
  join(import.meta.dirname, '../uploaders/typescript/uploader.ts')
);

const entry = { n: 1, text: '' };

function silence(method: 'warn' | 'error') {
  const spy = vi.spyOn(console, method).mockImplementation(() => {});
  onTestFinished(() => spy.mockRestore());
  return spy;
}

it('fails in all calls with the status, the reason and the number of entries, and tells of no refusal', async () => {
  const warnings = silence('warn');
  const { url, requests } = await startBadProxy(failure(401, 'UnauthorizedRequestError'));
  const onRefused = vi.fn();
  const uploader = new Uploader({ baseUrl: url, onRefused });
  await uploader.send(entry);
  for (const call of [() => uploader.flush(), () => uploader.send(entry), () => uploader.close()]) {
    const error = await call().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(NotStored);
    expect(error).toMatchObject({ entries: 1, status: 401, reason: 'UnauthorizedRequestError' });
  }
  expect([requests.length, warnings.mock.calls.length]).toEqual([1, 1]);
  expect(onRefused).not.toHaveBeenCalled();
});

it('sends a batch once although the callback fails that it calls about the schema', async () => {
  const errors = silence('error');
  const newer: BadAnswer = (response) => {
    response.setHeader('sluice-schema-version', '2').setHeader('sluice-schema-change', 'stricter');
    stored(response);
  };
  const { url, requests } = await startBadProxy(newer);
  const uploader = new Uploader({
    baseUrl: url,
    onStale() {
      throw new Error('a callback that fails');
    },
  });
  await uploader.send(entry);
  await uploader.close();
  expect([requests.length, errors.mock.calls.length]).toEqual([1, 1]);
});

it.each([
  ['answered', stored],
  ['tried again', page(503, { 'retry-after': '0' })],
])('fails if a batch leaves the spool before it is %s', async (_, answer) => {
  silence('warn');
  const spool = tempDir();
  const { url } = await startBadProxy((response) => {
    for (const name of readdirSync(spool)) if (name.endsWith('.ndjson')) unlinkSync(join(spool, name));
    answer(response);
  });
  const uploader = new Uploader({ baseUrl: url, spool });
  await uploader.send(entry);
  await expect(uploader.close()).rejects.toThrow(/^1 entries are not stored.*ENOENT/);
});
