export interface Finding {
  level: 'ok' | 'warn' | 'fail';
  /** The fault, and its remedy. */
  message: string;
}

export const ok = (message: string): Finding => ({ level: 'ok', message });
export const warn = (message: string): Finding => ({ level: 'warn', message });
export const fail = (message: string): Finding => ({ level: 'fail', message });

/** Checks by name. A check that throws has failed. */
export type Checks = Record<string, () => Finding | Promise<Finding>>;

const toText = (bytes: number) =>
  bytes < 1024 ** 3 ? `${Math.round(bytes / 1024 ** 2)} MiB` : `${(bytes / 1024 ** 3).toFixed(1)} GiB`;

/** A finding about used space. */
export function fullness(
  { used, total }: { used: number; total: number },
  [warnAt, failAt]: [number, number],
  advice: string,
): Finding {
  const share = used / total;
  const message = `${Math.round(share * 100)} % of ${toText(total)} is used`;
  if (share >= failAt) return fail(`${message}: ${advice}`);
  return share >= warnAt ? warn(`${message}: ${advice}`) : ok(message);
}

const [warnMs, failMs] = [2_000, 30_000];

/** Compares a clock with this machine's. `ask` returns the time of the clock in ms since the epoch. */
export async function clock(ask: () => Promise<number>): Promise<Finding> {
  const before = Date.now();
  const time = await ask();
  const after = Date.now();
  // The clock was read at some moment between the two times.
  const off = Math.max(0, before - time, time - after);
  const message = `differs by ${(off / 1_000).toFixed(1)} s from the clock here`;
  if (off >= failMs) return fail(`${message}: synchronise the clocks of all machines`);
  return off >= warnMs ? warn(`${message}: synchronise the clocks of all machines`) : ok(message);
}
