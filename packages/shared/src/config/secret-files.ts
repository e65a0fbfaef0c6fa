import { readFileSync } from 'node:fs';
import { getSystemErrorMessage } from 'node:util';

type Env = Record<string, string | undefined>;

/** The setting that names the file of a secret. */
export const fileSetting = (name: string) => `${name}_FILE`;

export const secretsAmong = (settings: Record<string, object>): string[] =>
  Object.entries(settings).flatMap(([name, setting]) => ('isSecret' in setting ? [name] : []));

/**
 * Replaces each `NAME_FILE` of a secret by `NAME` with the content of the file, without its last line end.
 * `faults` has a message for each unreadable file; no message has any content.
 */
export function withSecretFiles(given: Env, secrets: string[]) {
  const env = { ...given };
  const faults: Record<string, string> = {};
  for (const name of secrets) {
    const setting = fileSetting(name);
    const file = env[setting];
    if (file === undefined) continue;
    delete env[setting];
    if (env[name] !== undefined) faults[name] = `${name} and ${setting} are both set: remove one of them`;
    else
      try {
        env[name] = readFileSync(file, 'utf8').replace(/^\ufeff|\r?\n$/g, '');
      } catch (error) {
        const reason = getSystemErrorMessage((error as NodeJS.ErrnoException).errno as number);
        faults[name] = `${setting}: cannot read ${file}: ${reason}`;
      }
  }
  return { env, faults };
}
