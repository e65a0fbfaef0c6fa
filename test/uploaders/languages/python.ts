import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Language } from '../language.ts';

export async function copied(name: string, folder: string): Promise<string[]> {
  const program = join(folder, name);
  await cp(join(import.meta.dirname, '../programs', name), program);
  return ['python3', '-W', 'error', program];
}

export const python: Language = {
  name: 'python',
  mostMemory: 120,
  poison: {
    'a set': 'send',
    NaN: 'send',
    'an infinite number': 'send',
    'half a surrogate': 'send',
    'a list that has itself': 'send',
    'a list that is too deep': 'send',
    'no entry': 'send',
    'a list': 'send',
    'a text': 'send',
    'a number': 'send',
    'a boolean': 'send',
    'a set alone': 'send',
  },
  inCallback: ['-100 PayloadTooLargeError', '-101 flush and close'],
  async prepare(folder, client) {
    await writeFile(join(folder, 'client.py'), client.text);
    return copied('send.py', folder);
  },
  preparePlain: (folder) => copied('plain.py', folder),
};
