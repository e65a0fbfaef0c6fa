import { createInterface } from 'node:readline/promises';
import { type Readable, Writable } from 'node:stream';

export async function askHidden(
  { stdin, stderr }: { stdin: Readable; stderr: Writable },
  question: string,
): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: stdin, output: silent, terminal: true });
  stderr.write(question);
  try {
    return await terminal.question('');
  } finally {
    stderr.write('\n');
    terminal.close();
  }
}
