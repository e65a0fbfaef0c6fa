import type { Store } from '@sluice/jobs/connect.ts';
import { newRefusedId, type RefusedRecord } from '@sluice/store/refused/refused-records.ts';

/** A refused upload with this payload. */
export const refusedUpload = (
  application: string,
  payload: string,
  more: Partial<RefusedRecord> = {},
): RefusedRecord => ({
  id: newRefusedId(),
  application,
  at: new Date(),
  source: 'upload',
  version: 1,
  name: 'SchemaValidationError',
  message: 'no',
  details: [],
  path: '',
  keyword: 'type',
  payload,
  truncated: false,
  size: payload.length,
  ...more,
});

/** Keeps so many refused uploads `{"n":"0"}`, `{"n":"1"}`, …; of those that `isBad` names `n` is no number. */
export async function keepMany(
  store: Pick<Store, 'refused'>,
  application: string,
  count: number,
  isBad: (n: number) => boolean,
): Promise<void> {
  for (let from = 0; from < count; from += 1_000) {
    const records = Array.from({ length: Math.min(1_000, count - from) }, (_, at) => {
      const n = from + at;
      return refusedUpload(application, JSON.stringify({ n: isBad(n) ? `x${n}` : `${n}` }), { path: '/n' });
    });
    await store.refused.keep(records);
  }
}
