import { expect } from 'vitest';
import type { Oracle, Verdict } from './oracle.ts';

/** `FAULTS=full` repeats each fault as often as the promises say; without it every kind comes a few times. */
export const full = process.env.FAULTS === 'full';
export const times = (short: number, long: number) => (full ? long : short);

/** Ends the load, and expects that what was acknowledged is stored, each upload once. */
export async function expectExact(what: string, oracle: Oracle, more: object = {}): Promise<void> {
  const verdict: Verdict = await oracle.verdict();
  console.log(
    what,
    JSON.stringify({ ...verdict, answers: oracle.answers(), noAnswers: oracle.noAnswers(), ...more }),
  );
  expect(verdict).toMatchObject({ lost: 0, changed: 0, doubled: 0, unknown: 0 });
  expect(verdict.acknowledged).toBeGreaterThan(0);
}

/** Whether a client noticed the fault. */
export function isFelt(oracle: Oracle): boolean {
  const answers = oracle.answers();
  return (answers[0] ?? 0) + (answers[503] ?? 0) > 0;
}

/** A fault that no client noticed did not happen. */
export const expectFelt = (oracle: Oracle): void => expect(isFelt(oracle)).toBe(true);

/** 0 stands for a request without an answer. */
export function expectOnly(oracle: Oracle, ...statuses: number[]): void {
  const seen = new Set(Object.keys(oracle.answers()).map(Number));
  expect(seen.difference(new Set(statuses))).toEqual(new Set());
}
