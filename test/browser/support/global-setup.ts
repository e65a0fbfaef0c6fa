import { chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { findChromium } from './find-chromium.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The address at which the browser takes commands. */
    browserUrl: string;
  }
}

/** Starts the browser once for all test files. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const browser = await chromium.launchServer({ executablePath: findChromium() });
  project.provide('browserUrl', browser.wsEndpoint());
  return () => browser.close();
}
