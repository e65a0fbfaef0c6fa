import type { Store } from '@sluice/jobs/connect.ts';
import { repeat } from '@sluice/shared/repeat.ts';

/** So long an owner's export runs on while another owner, for whom less is under way, waits for a worker. */
const sliceMs = 2_000;

/** A look now and then whether the export of an owner is to give way. */
export function watchOthers({ jobs }: Pick<Store, 'jobs'>, owner: string) {
  let isOutweighed = false;
  const stop = repeat(sliceMs, async () => {
    isOutweighed = await jobs.isOutweighed(['export'], owner).catch(() => false);
  });
  return { haveWaited: () => isOutweighed, stop };
}
