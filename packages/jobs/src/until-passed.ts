import { setTimeout as pause } from 'node:timers/promises';
import type { HorizonStore } from '@sluice/store/entries/horizon.ts';
import type { Turn } from './kind.ts';

/** Usually the horizon passes an entry within a quarter of a second. */
const passedEveryMs = 50;

/** Until when nothing of an application may come any more, in ms since the epoch; see `hasPassed` of `HorizonStore`. */
interface Border {
  application: string;
  time: number;
  announced: number;
}

/** Waits until the horizon has passed a time. Throws as the turn of the job does. */
export async function untilPassed(
  horizon: Pick<HorizonStore, 'hasPassed'>,
  { application, time, announced }: Border,
  { check, giveWay }: Pick<Turn, 'check' | 'giveWay'>,
): Promise<void> {
  while (!(await horizon.hasPassed(application, time, announced))) {
    check();
    await giveWay();
    await pause(passedEveryMs);
  }
}
