import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { loadApiConfig, loadExportWorkerConfig, loadLocalConfig } from './load.ts';

const dir = mkdtempSync(join(tmpdir(), 'sluice-secrets-'));
afterAll(() => rmSync(dir, { recursive: true }));

const env = { MONGODB_URL: 'mongodb://a', REDIS_URL: 'redis://b', JWT_SECRET: 'x'.repeat(32) };
const withoutSecret = { ...env, JWT_SECRET: undefined };

function fileWith(content: string): string {
  const file = join(dir, randomUUID());
  writeFileSync(file, content);
  return file;
}

it('reads every secret from a file', () => {
  const config = loadApiConfig({
    MONGODB_URL_FILE: fileWith('mongodb://of-a-file\n'),
    REDIS_URL_FILE: fileWith('redis://of-a-file'),
    JWT_SECRET_FILE: fileWith('new,old'),
  });
  expect([config.mongodb.url, config.redis.url]).toEqual(['mongodb://of-a-file', 'redis://of-a-file']);
  expect(config.jwt.secrets).toEqual(['new', 'old']);
});

it.each([
  ['a', 'a'],
  ['a\n', 'a'],
  ['a\r\n', 'a'],
  [' a\n\n', 'a\n'],
])('removes one line end from %j', (content, url) => {
  const MONGODB_URL_FILE = fileWith(`mongodb://${content.trimStart()}`);
  expect(loadApiConfig({ ...env, MONGODB_URL: undefined, MONGODB_URL_FILE }).mongodb.url).toBe(
    `mongodb://${url}`,
  );
});

it('removes a byte order mark', () => {
  const MONGODB_URL_FILE = fileWith('\ufeffmongodb://a\r\n');
  expect(loadApiConfig({ ...env, MONGODB_URL: undefined, MONGODB_URL_FILE }).mongodb.url).toBe('mongodb://a');
});

it.each([
  [
    'a file that is not there',
    join(dir, 'none'),
    `JWT_SECRET_FILE: cannot read ${join(dir, 'none')}: no such file or directory`,
  ],
  ['a directory', dir, `JWT_SECRET_FILE: cannot read ${dir}: illegal operation on a directory`],
  ['no file', '', 'JWT_SECRET_FILE: cannot read : no such file or directory'],
  ['an empty file', fileWith('\n'), 'JWT_SECRET must not be empty, nor have nothing before or after a comma'],
])('does not start with %s, and says so in one line', (_what, JWT_SECRET_FILE, message) => {
  const error = expect.objectContaining({ name: 'ConfigError', message });
  expect(() => loadApiConfig({ ...withoutSecret, JWT_SECRET_FILE })).toThrow(error);
});

it('does not start with a weak secret of a file, and does not repeat it', () => {
  const given = { ...withoutSecret, NODE_ENV: 'production', JWT_SECRET_FILE: fileWith('hunter2') };
  expect(() => loadApiConfig(given)).toThrow(/^JWT_SECRET must have at least 32 bytes in production$/);
});

it('does not start with both the secret and its file', () => {
  const given = { ...env, JWT_SECRET_FILE: fileWith('hunter2') };
  expect(() => loadApiConfig(given)).toThrow(
    /^JWT_SECRET and JWT_SECRET_FILE are both set: remove one of them$/,
  );
});

it('knows what JWT_SECRETS_FILE is a slip of', () => {
  expect(() => loadApiConfig({ ...env, JWT_SECRETS_FILE: '/a' })).toThrow(
    '`JWT_SECRETS_FILE` is unknown, did you mean `JWT_SECRET_FILE`?',
  );
});

it('takes MONGODB_URI_FILE as a name of something else', () => {
  expect(loadApiConfig({ ...env, MONGODB_URI_FILE: '/a' }).mongodb.url).toBe('mongodb://a');
});

it('does not have a worker read the secret of the API', () => {
  const given = { ...withoutSecret, JWT_SECRET_FILE: join(dir, 'none') };
  expect(loadExportWorkerConfig(given).mongodb.url).toBe('mongodb://a');
});

it('hands the secret of a file to the services that npm start runs', () => {
  const given = { JWT_SECRET_FILE: fileWith('of-a-file') };
  expect(loadLocalConfig(given).env).toEqual({ JWT_SECRET: 'of-a-file' });
});
