import { parseJson } from '@sluice/json/parse-json.ts';
import { NoAnswer } from '../api/no-answer.ts';
import type { Context } from '../context.ts';
import { createLineReader } from './line-reader.ts';
import { mostShown, type Refusals, type ShownRefusal } from './refusals.ts';

/** Shows the first refused lines of an import, and reads no more of its report. */
export async function showReport(
  { api, path, retry, url }: Context,
  id: string,
  refusals: Refusals,
): Promise<void> {
  const stop = new AbortController();
  const { signal } = stop;
  const { body } = await retry(() => api.open('GET', path(`/imports/${id}/file`), { signal }));
  async function* bytes(): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of body ?? []) yield Buffer.from(chunk);
    } catch (error) {
      throw new NoAnswer(url, error as Error);
    }
  }
  const reader = createLineReader(bytes());
  try {
    for (let lines = 0; lines <= mostShown; lines++) {
      const row = await reader.peek({ lines: 1, bytes: 0 });
      if (row === undefined) return;
      if (row === 'too long') {
        await reader.skipLine();
        continue;
      }
      const { payload, ...refusal } = parseJson(row.bytes.toString()) as ShownRefusal & { payload: unknown };
      await refusals.add(refusal, Buffer.from(typeof payload === 'string' ? payload : ''));
      reader.take(row.bytes.length);
    }
  } finally {
    stop.abort();
  }
}
