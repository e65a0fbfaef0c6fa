import { createHash } from 'node:crypto';
import { homedir, platform } from 'node:os';
import { join } from 'node:path';

type Env = Record<string, string | undefined>;

/** The folder of a user for `kind`, as each system has it. */
function folderFor(env: Env, kind: 'config' | 'state', system: string): string {
  const home = env.HOME ?? homedir();
  const chosen = kind === 'config' ? env.XDG_CONFIG_HOME : env.XDG_STATE_HOME;
  if (chosen) return join(chosen, 'sluice');
  if (system === 'darwin') return join(home, 'Library', 'Application Support', 'sluice');
  const windows = kind === 'config' ? env.APPDATA : env.LOCALAPPDATA;
  if (system === 'win32' && windows) return join(windows, 'sluice');
  return join(home, kind === 'config' ? '.config' : '.local/state', 'sluice');
}

/** Where profiles are. */
export const configFolder = (env: Env, system: string = platform()): string =>
  folderFor(env, 'config', system);

/** Where unfinished work is remembered. */
export const stateFolder = (env: Env, system: string = platform()): string => folderFor(env, 'state', system);

/** The file that remembers the progress of a piece of work. */
export const stateFile = (env: Env, work: string): string =>
  join(stateFolder(env), `${createHash('sha256').update(work).digest('hex').slice(0, 32)}.json`);
