import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { openTerminal } from '../terminal.ts';
import { createBar } from './bar.ts';

function terminalOf(isTTY: boolean) {
  const stderr = Object.assign(new PassThrough(), { isTTY, columns: 60 });
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr, env: {} };
  return { stderr, terminal: openTerminal(streams, new AbortController().signal) };
}

it('shows on a terminal how much is done, and goes away', async () => {
  const { stderr, terminal } = terminalOf(true);
  const bar = createBar(terminal, 200);
  bar.show(50, '1,000 stored, 0 refused');
  bar.clear();
  stderr.end();
  expect(await text(stderr)).toBe('\r\x1b[K[######------------------] 25 %  1,000 stored, 0 refused\r\x1b[K');
});

it('shows nothing elsewhere', async () => {
  const { stderr, terminal } = terminalOf(false);
  const bar = createBar(terminal, 200);
  bar.show(50, 'something');
  bar.clear();
  stderr.end();
  expect(await text(stderr)).toBe('');
});

it.each([0, undefined])('fits into 80 columns where a terminal says that it has %s', async (columns) => {
  const { stderr, terminal } = terminalOf(true);
  Object.assign(stderr, { columns });
  createBar(terminal, undefined).show(0, 'x'.repeat(200));
  stderr.end();
  expect(await text(stderr)).toBe(`\r\x1b[K${'x'.repeat(79)}`);
});
