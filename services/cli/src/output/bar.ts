import { harmless, type Terminal } from '../terminal.ts';

const width = 24;
const everyMs = 100;

/** A progress bar on a terminal; nothing elsewhere. */
export function createBar({ stderr }: Terminal, total: number | undefined) {
  let shownAt = Number.NEGATIVE_INFINITY;
  let isShown = false;

  function draw(done: number, text: string): void {
    const share = total ? Math.min(done / total, 1) : undefined;
    const full = Math.round((share ?? 0) * width);
    const bar = `[${'#'.repeat(full)}${'-'.repeat(width - full)}] ${Math.floor((share ?? 0) * 100)} %  `;
    // Some terminals say that they have 0 columns.
    const line = `${share === undefined ? '' : bar}${harmless(text)}`.slice(0, (stderr.columns || 80) - 1);
    stderr.write(`\r\x1b[K${line}`);
  }

  return {
    show(done: number, text: string): void {
      const now = performance.now();
      if (!stderr.isTTY || now - shownAt < everyMs) return;
      [shownAt, isShown] = [now, true];
      draw(done, text);
    },

    /** Removes the bar, so that messages have a line of their own. */
    clear(): void {
      if (isShown) stderr.write('\r\x1b[K');
      isShown = false;
    },
  };
}

export type Bar = ReturnType<typeof createBar>;
