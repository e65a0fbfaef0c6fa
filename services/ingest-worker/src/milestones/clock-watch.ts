/** How long a command of a dead process can take to be carried out. */
const watchedMs = 60_000;
/** After this silence, delayed commands may still be applied. */
const silence = 5_000;

interface Answer {
  /** MongoDB's time, in ms since the epoch. */
  now: number;
  /** When it came, by the clock of this process. */
  at: number;
}

/** Watches whether MongoDB answers without a break. Only then are the commands of a silent process decided. */
export function createClockWatch({
  ask,
  clock = () => performance.now(),
  watchMs = watchedMs,
}: {
  /** MongoDB's time, in ms since the epoch. */
  ask(): Promise<number>;
  /** In ms, never set back; goes on while this process is stopped. */
  clock?: () => number;
  watchMs?: number;
}) {
  let first: Answer | undefined;
  let last: Answer | undefined;

  return {
    /** To be called about every second. Rejects when MongoDB does not answer. */
    async look(): Promise<void> {
      const answer = { now: await ask(), at: clock() };
      if (!last || !isUnbroken(last, answer)) first = answer;
      last = answer;
    },

    /** Commands that were sent before that time (ms since the epoch) are decided; undefined when that is not sure of any. */
    decidedUntil(): number | undefined {
      if (!first || !last || clock() - last.at > silence) return undefined;
      const watched = Math.min(last.at - first.at, last.now - first.now);
      return watched < watchMs ? undefined : last.now - watchMs;
    },
  };
}

/** By both clocks: one of them may have been stopped or set. */
function isUnbroken(before: Answer, { at, now }: Answer): boolean {
  const passed = now - before.now;
  return at - before.at <= silence && passed >= 0 && passed <= silence;
}
