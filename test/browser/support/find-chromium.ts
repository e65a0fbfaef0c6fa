import { execFileSync } from 'node:child_process';

/** The Chromium of `CHROMIUM`, or the one on the PATH. */
export function findChromium(): string {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  try {
    return execFileSync('sh', ['-c', 'command -v chromium'], { encoding: 'utf8' }).trim();
  } catch (cause) {
    throw new Error('no Chromium: install the package `chromium`, or set CHROMIUM to a path', { cause });
  }
}
