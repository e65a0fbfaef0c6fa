import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

export const root = join(import.meta.dirname, '../..');
const end = '\n@@\n';
/** Commands, and the answer that the page shows; empty where it shows none. */
export type Step = { commands: string; answer: string };

/**
 * The commands of a page that call Sluice. An answer is a comment below them, or the next block of the same item.
 * A block below a line such as "Save this as `send.py`:" is saved.
 */
export function stepsOf(page: string, isStep = /curl|^sluice |^examples\//m): Step[] {
  const steps: Step[] = [];
  const fences = readFileSync(join(root, page), 'utf8').matchAll(
    /(?:Save this as `([\w./]+)`:\n\n)?^( *)```(\w*)\n([\s\S]*?)^\2```/gm,
  );
  for (const [, file, indent = '', language, indented = ''] of fences) {
    const text = indented.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
    const last = steps.at(-1);
    if (file) steps.push({ commands: `cat > ${file} <<'@@'\n${text}@@\n`, answer: '' });
    else if (language === 'sh' && isStep.test(text))
      for (const [, commands = '', answer = ''] of text.matchAll(/((?:^(?!# ).*\n)+)((?:^# .*\n)*)/gm))
        steps.push({ commands, answer: answer.replaceAll(/^# /gm, '') });
    else if (language !== 'sh' && indent !== '' && last?.answer === '') last.answer = text;
  }
  return steps;
}

/** What differs each time is the same; `…` stands for any text. */
export const masked = (text: string) =>
  text
    .replaceAll(/[ \r]+$/gm, '')
    .replaceAll(/(weather-station|earthquakes)-\w{6}/g, 'DOMAIN')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/"[0-9a-f]{24}"|"[0-9a-f]{28}"/g, '"ID"')
    .replaceAll(/sk_[\w-]{40,}|whsec_[\w+/=]{40,}/g, 'KEY')
    .trim();
export const patternOf = (answer: string) =>
  new RegExp(
    masked(answer)
      .split(/\s*…\s*/)
      .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('[\\s\\S]*'),
  );

/** Runs the commands one after the other against the Sluice at `url`. Resolves with the output of each. */
export async function runSteps(
  steps: Step[],
  { url, cwd, env }: { url: string; cwd: string; env: NodeJS.ProcessEnv },
): Promise<string[]> {
  const script = steps.map(({ commands }) => `${commands}printf '${end.replaceAll('\n', '\\n')}'\n`).join('');
  const here = script.replaceAll('http://127.0.0.1:4000', url);
  const { stdout } = await promisify(execFile)('bash', ['-c', here], { cwd, env });
  return stdout.split(end).slice(0, -1);
}
