import { execFileSync } from 'node:child_process';

// The one without a window takes a third of the processor time.
const programs = ['chromium-headless-shell', 'chromium'];

/** The Chromium of `CHROMIUM`, or one on the PATH. */
export function findChromium(): string {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  const command = programs.map((program) => `command -v ${program}`).join(' || ');
  try {
    return execFileSync('sh', ['-c', command], { encoding: 'utf8' }).trim();
  } catch (cause) {
    throw new Error('no Chromium: install the package `chromium-headless-shell`, or set CHROMIUM to a path', {
      cause,
    });
  }
}
