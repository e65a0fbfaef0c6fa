const runs = 3;

/** Of this process, in microseconds: the least of some runs, as others may work in it meanwhile. */
export function processorTime(work: () => void): number {
  const times = Array.from({ length: runs }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return user + system;
  });
  return Math.min(...times);
}

/** Below that many microseconds times say nothing of how they grow. */
const noise = 20_000;

/** Whether work on eight times as much takes more than three times eight times as long. */
export const growsFaster = (work: (length: number) => void, length: number): boolean =>
  processorTime(() => work(8 * length)) > noise + 24 * processorTime(() => work(length));
