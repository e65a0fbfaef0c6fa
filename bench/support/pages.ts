import { isDeepStrictEqual } from 'node:util';
import type { EntryPage } from '@sluice/api/entries/contract.ts';
import { askInTime, type Question } from './ask-in-time.ts';
import type { startSluice } from './sluice.ts';

const limit = 100;
const deepPages = 20;
const periodMs = 10_000;

/** The requests of the listing by name. Those of one name are sent in turn. */
export async function pagesOf(
  { url, domain, account: { token } }: Awaited<ReturnType<typeof startSluice>>,
  entries: number,
): Promise<Record<string, Question[]>> {
  const question = (query: Record<string, string>): Question => {
    const asked = new URLSearchParams({ limit: String(limit), ...query });
    return { url: `${url}/api/applications/${domain}/data?${asked}`, token };
  };
  const page = async (asked: Question): Promise<EntryPage> => JSON.parse((await askInTime(asked)).body).data;

  const deep: Question[] = [];
  const byCursor: Question[] = [];
  for (let i = 0; i < deepPages; i++) {
    // Some near a milestone, some far from it.
    const start = Math.floor(entries * (0.985 + (0.01 * i) / deepPages));
    const { pagination } = await page(question({ start: String(start - limit) }));
    const [byStart, after] = [
      question({ start: String(start) }),
      question({ after: pagination.cursor as string }),
    ];
    const [one, other] = [await page(byStart), await page(after)];
    if (one.result.length !== limit || !isDeepStrictEqual(one.result, other.result))
      throw new Error(`the page at ${start} is another one by its cursor`);
    deep.push(byStart);
    byCursor.push(after);
  }
  const [middle] = (await page(question({ start: String(Math.floor(entries / 2)) }))).result;
  const to = new Date(middle?.createdAt as string);
  const from = new Date(to.getTime() - periodMs);
  const filtered = question({
    from: from.toISOString(),
    to: to.toISOString(),
    filter: '{"id":"reading-000500","count":{"gte":1}}',
  });
  return {
    'first page': [question({})],
    'page at 99 %': deep,
    'page after a cursor, there': byCursor,
    HEAD: [{ ...question({}), method: 'HEAD' }],
    'filtered page of 10,000 entries': [filtered],
  };
}
