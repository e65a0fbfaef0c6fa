import { Presets, SingleBar } from 'cli-progress';

export interface Progress {
  update(done: number): void;
  stop(): void;
}

/** Shows a bar in a terminal, else a line for each quarter. */
export function showProgress(name: string, total: number): Progress {
  if (process.stderr.isTTY) {
    const format = `${name.padEnd(12)} {bar} {value}/{total} uploaded`;
    const bar = new SingleBar({ format, hideCursor: true, barsize: 30 }, Presets.shades_classic);
    bar.start(total, 0);
    return { update: (done) => bar.update(done), stop: () => bar.stop() };
  }
  const steps = new Set([0.25, 0.5, 0.75, 1].map((part) => Math.ceil(total * part)));
  return {
    update(done) {
      if (steps.has(done)) console.log(`${name.padEnd(12)} ${done}/${total} uploaded`);
    },
    stop() {},
  };
}
