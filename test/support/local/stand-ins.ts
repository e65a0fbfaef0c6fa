import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { tempDir } from './temp-dir.ts';

/** Writes a shell script that can be run as a program. */
export function program(path: string, script: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

/** The script of a server that starts over no folder. */
export const refusing = (version: string) =>
  `case "$1" in --version) echo "version v${version}";; *) exit 1;; esac`;

/** Puts scripts first on the PATH until the test ends; returns their folder. */
export function onPathFirst(scripts: Record<string, string>): string {
  const dir = tempDir();
  for (const [name, script] of Object.entries(scripts)) program(join(dir, name), script);
  vi.stubEnv('PATH', `${dir}${delimiter}${process.env.PATH}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  return dir;
}
