import { execFileSync } from 'node:child_process';
import { chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The address at which the browser takes commands. */
    browserUrl: string;
  }
}

/** The Chromium of `CHROMIUM`, or the one on the PATH. */
function findChromium(): string {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  try {
    return execFileSync('sh', ['-c', 'command -v chromium'], { encoding: 'utf8' }).trim();
  } catch (cause) {
    throw new Error('no Chromium: install the package `chromium`, or set CHROMIUM to a path', { cause });
  }
}

/** Starts the browser once for all test files. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const browser = await chromium.launchServer({ executablePath: findChromium() });
  project.provide('browserUrl', browser.wsEndpoint());
  return () => browser.close();
}
