import { expect } from 'vitest';
import { admin } from './admin-command.ts';

interface Line {
  check: string;
  level: 'ok' | 'warn' | 'fail';
  message: string;
}

/** What doctor finds with these settings, and how it ends. */
export async function doctor(env: Record<string, string>) {
  const { code, stdout, stderr } = await admin(env, ['doctor', '--json']);
  expect(stderr).toBe('');
  const lines: Line[] = JSON.parse(stdout);
  return { code, found: Object.fromEntries(lines.map(({ check, ...line }) => [check, line])) };
}
