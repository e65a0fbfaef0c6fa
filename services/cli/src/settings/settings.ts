import { CliError } from '../cli-error.ts';
import { readProfile } from './profiles.ts';

/** The options that every command has. */
export interface GlobalOptions {
  url?: string;
  token?: string;
  app?: string;
  profile?: string;
  json?: boolean;
}

export interface Settings {
  url: string;
  token: string | undefined;
  app: string | undefined;
  profile: string;
  json: boolean;
  /** Whether an address or a token was given or kept. */
  isLoggedIn: boolean;
}

const usualUrl = 'http://127.0.0.1:4000';

/** The address without a slash at its end. Throws CliError. */
export function toUrl(given: string): string {
  if (!/^https?:\/\/[^/]/.test(given) || !URL.canParse(given))
    throw new CliError(`${given} is not a URL: give one such as https://sluice.example`);
  return given.replace(/\/+$/, '').replace(/\/api$/, '');
}

/** An option wins over the environment, and the environment over the profile. */
export async function readSettings(
  options: GlobalOptions,
  env: Record<string, string | undefined>,
): Promise<Settings> {
  const { profile = 'default', json = false } = options;
  const kept = await readProfile(env, profile);
  if (!kept && options.profile)
    throw new CliError(`there is no profile ${profile}: \`sluice login --profile ${profile}\` makes it`);
  const url = toUrl(options.url ?? env.SLUICE_URL ?? kept?.url ?? usualUrl);
  // The token and the application of a profile belong to its server alone.
  const own = kept?.url === url ? kept : undefined;
  const token = options.token ?? (env.SLUICE_TOKEN || own?.token);
  return {
    url,
    profile,
    json,
    token,
    isLoggedIn: (options.url ?? env.SLUICE_URL ?? kept ?? token) !== undefined,
    app: options.app ?? (env.SLUICE_APP || own?.app),
  };
}
