import { join } from 'node:path';
import { expect, it } from 'vitest';
import { configFolder, stateFolder } from './folders.ts';

it.each([
  ['linux', {}, '.config/sluice', '.local/state/sluice'],
  ['darwin', {}, 'Library/Application Support/sluice', 'Library/Application Support/sluice'],
  ['win32', { APPDATA: '/home/ada/r', LOCALAPPDATA: '/home/ada/l' }, 'r/sluice', 'l/sluice'],
  ['darwin', { XDG_CONFIG_HOME: '/home/ada/c', XDG_STATE_HOME: '/home/ada/s' }, 'c/sluice', 's/sluice'],
])('on %s with %j has its files where the system has them', (system, env, config, state) => {
  const all = { HOME: '/home/ada', ...env };
  expect(configFolder(all, system)).toBe(join('/home/ada', config));
  expect(stateFolder(all, system)).toBe(join('/home/ada', state));
});
