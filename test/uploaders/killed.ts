import { expect } from 'vitest';
import { until } from '../support/sluice.ts';
import { acknowledged } from './program.ts';
import type { Scene } from './scene.ts';

export interface Kills {
  count: number;
  ofApi: number;
  ofClient: number;
}

/** What is killed when `send` has returned for so many, in order. */
function schedule({ count, ofApi, ofClient }: Kills) {
  const victims = [...Array(ofApi).fill('api'), ...Array(ofClient).fill('client')] as ('api' | 'client')[];
  return victims
    .map((victim) => ({ victim, at: Math.floor(Math.random() * 0.9 * count) }))
    .sort((a, b) => a.at - b.at);
}

/** Sends the numbers from 1 to `count` while the API and the program are killed. `README.md` has the rule. */
export async function sendThroughKills(scene: Scene, kills: Kills): Promise<void> {
  const { api } = scene;
  const { count } = kills;
  const task = await scene.task({ spool: scene.spool(), to: count });
  const last = () => acknowledged(task.progress).at(-1) ?? 0;
  const inDoubt: number[] = [];
  let from = 1;
  let program = scene.start({ ...task, from });
  let started = Promise.resolve();

  const plan = schedule(kills);
  for (const { victim, at } of plan) {
    await until(async () => last() >= at || from > at || program.hasEnded(), 300_000);
    if (victim === 'api') {
      await started;
      api.kill();
      await api.gone();
      // A program that is killed next may meet no API when it starts again.
      started = api.start();
    } else {
      program.kill();
      await program.ended;
      const next = Math.max(last() + 1, from);
      inDoubt.push(next);
      from = next + 1;
      program = scene.start({ ...task, from });
    }
  }
  await started;
  const end = async () => [await program.ended, program.output.err];
  expect(await end(), JSON.stringify(plan)).toEqual([0, '']);

  const check = async () => {
    const stored = await scene.stored();
    const lost = acknowledged(task.progress).filter((n) => !stored.has(n));
    const twice = [...stored].filter(([, times]) => times > 1).map(([n]) => n);
    expect({ lost, twice }, JSON.stringify(plan)).toEqual({ lost: [], twice: [] });
    return stored;
  };
  const stored = await check();
  for (const n of inDoubt)
    if (n <= count && !stored.has(n)) {
      program = scene.start({ ...task, from: n, to: n });
      expect(await end()).toEqual([0, '']);
    }
  const numbers = [...(await check()).keys()].filter((n) => n > 0 && n <= count).sort((a, b) => a - b);
  expect(numbers).toEqual(Array.from({ length: count }, (_, at) => at + 1));
}
