import { memberText } from '@sluice/json/member-text.ts';
import { harmless, paint, type Terminal } from '../terminal.ts';

/** An entry for people to read: when it came, and its payload with exact digits. `text` is its JSON. */
export function entryLine(
  terminal: Terminal,
  entry: { createdAt: string } | undefined,
  text: string,
): string {
  const time = paint(terminal, 'dim', harmless(String(entry?.createdAt)));
  return `${time}  ${harmless(memberText(text, 'payload') ?? '')}`;
}
