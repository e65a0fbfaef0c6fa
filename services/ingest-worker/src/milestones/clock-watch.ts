import type { Clock } from '@sluice/store/connect.ts';

/** An upload's entry is stored, if ever, so long after its time at the latest; see docs/decisions/0010-milestones.md. */
const watchedMs = 60_000;
/** Longer without an answer, and commands may lie somewhere that are carried out later. */
const silence = 5_000;
/** An idle MongoDB writes something every 10 s. With more than twice that, writes do not get through to a majority. */
const lag = 25_000;

interface Answer extends Clock {
  /** When it came, by the clock of this process. */
  at: number;
}

export type ClockWatch = ReturnType<typeof createClockWatch>;

/** Watches whether MongoDB answers without a break: only then is what is old enough also final. */
export function createClockWatch({
  ask,
  clock = () => performance.now(),
  watchMs = watchedMs,
}: {
  ask(): Promise<Clock>;
  /** In ms, never set back; goes on while this process is stopped. */
  clock?: () => number;
  watchMs?: number;
}) {
  let first: Answer | undefined;
  let last: Answer | undefined;

  return {
    /** To be called about every second. Rejects when MongoDB does not answer. */
    async look(): Promise<void> {
      const answer = { ...(await ask()), at: clock() };
      if (!last || !isUnbroken(last, answer)) first = answer;
      last = answer;
    },

    /** No entry of before that time (ms since the epoch) can come any more; undefined when that is not sure of any. */
    finalUntil(): number | undefined {
      if (!first || !last || clock() - last.at > silence) return undefined;
      const watched = Math.min(last.at - first.at, last.now - first.now);
      return watched < watchMs ? undefined : Math.min(last.now, last.majority) - watchMs;
    },
  };
}

/** By both clocks: one of them may have been stopped or set. */
function isUnbroken(before: Answer, { at, now, majority }: Answer): boolean {
  const passed = now - before.now;
  return at - before.at <= silence && passed >= 0 && passed <= silence && now - majority <= lag;
}
