import { stat } from 'node:fs/promises';
import { platform } from 'node:os';
import { join } from 'node:path';
import { configFolder } from './folders.ts';
import { readPrivate, writePrivate } from './private-file.ts';

/** What `sluice login` remembers. */
export interface Profile {
  url: string;
  token?: string;
  app?: string;
}

type Profiles = Record<string, Profile>;
type Env = Record<string, string | undefined>;

export const profilesFile = (env: Env): string => join(configFolder(env), 'profiles.json');

const readProfiles = async (env: Env): Promise<Map<string, Profile>> =>
  new Map(Object.entries((await readPrivate<Profiles>(profilesFile(env))) ?? {}));

export const readProfile = async (env: Env, name: string): Promise<Profile | undefined> =>
  (await readProfiles(env)).get(name);

/** Without a profile, the name is forgotten. */
export async function writeProfile(env: Env, name: string, profile: Profile | undefined): Promise<void> {
  const profiles = await readProfiles(env);
  if (profile) profiles.set(name, profile);
  else profiles.delete(name);
  await writePrivate(profilesFile(env), Object.fromEntries(profiles));
}

/** Whether others may read the tokens. Windows has no such modes. */
export async function canOthersRead(env: Env): Promise<boolean> {
  if (platform() === 'win32') return false;
  const found = await stat(profilesFile(env)).catch(() => undefined);
  return found !== undefined && (found.mode & 0o077) !== 0;
}
