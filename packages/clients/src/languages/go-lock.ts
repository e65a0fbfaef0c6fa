import { readFileSync } from 'node:fs';
import type { Template } from '../write/template.ts';

const files = { unix: partsOf('unix'), windows: partsOf('windows') };

/** Go has no lock for all systems. So a file is for Windows, or for the others. */
export function withLock({ before, after, identifiers }: Template, os: keyof typeof files): Template {
  const { tag, imports, code } = files[os];
  return { before: `${tag}\n\n${before}\n\n${imports}`, after: `${after}\n${code}`, identifiers };
}

function partsOf(os: string) {
  const text = readFileSync(new URL(`../../uploaders/go/lock_${os}.go`, import.meta.url), 'utf8');
  const [tag, , imports, ...code] = text.split('\n\n');
  return { tag, imports, code: code.join('\n\n') };
}
