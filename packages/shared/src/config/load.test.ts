import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  ConfigError,
  loadAdminConfig,
  loadApiConfig,
  loadExportWorkerConfig,
  loadIngestWorkerConfig,
  loadQueryWorkerConfig,
} from './load.ts';
import { portFileOf } from './local-stores.ts';

const env = { MONGODB_URL: 'mongodb://a', REDIS_URL: 'redis://b', JWT_SECRET: 'x'.repeat(32) };

function complaint(more: Record<string, string | undefined>): string {
  try {
    loadApiConfig({ ...env, ...more });
    return '';
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
}

describe('settings', () => {
  it('SECOND_FACTOR=required wants SECRETS_KEY, whatever else is wrong', () => {
    const SECOND_FACTOR = 'required';
    expect(complaint({ SECOND_FACTOR, PORT: 'x' })).toContain('SECOND_FACTOR=required needs SECRETS_KEY');
    expect(complaint({ SECOND_FACTOR, SECRETS_KEY: 'x'.repeat(32) })).toBe('');
    expect(complaint({ SECOND_FACTOR: 'off' })).toContain('SECOND_FACTOR must be one of optional, required');
  });

  it.each(['true', 'TRUE', '1', 'yes', 'Yes', 'on', 'oN'])(
    'REGISTRATION_OPEN=%s opens',
    (REGISTRATION_OPEN) => {
      expect(loadApiConfig({ ...env, REGISTRATION_OPEN }).registrationOpen).toBe(true);
    },
  );

  it.each(['false', 'False', '0', 'no', 'off', 'OFF', undefined])(
    'REGISTRATION_OPEN=%s closes',
    (REGISTRATION_OPEN) => {
      expect(
        loadApiConfig({ ...env, ...(REGISTRATION_OPEN && { REGISTRATION_OPEN }) }).registrationOpen,
      ).toBe(false);
    },
  );

  it.each(['maybe', '', '2', 'y'])('REGISTRATION_OPEN=%j stops the start', (REGISTRATION_OPEN) => {
    expect(complaint({ REGISTRATION_OPEN })).toMatch(/^REGISTRATION_OPEN must be one of true, false, /);
  });

  it.each([
    ['90', 90_000],
    ['45s', 45_000],
    ['15m', 900_000],
    ['12h', 43_200_000],
    ['7d', 604_800_000],
  ])('JWT_TOKEN_DURATION=%s is %i ms', (JWT_TOKEN_DURATION, ms) => {
    expect(loadApiConfig({ ...env, JWT_TOKEN_DURATION }).jwt.durationMs).toBe(ms);
  });

  it.each([
    ['20/1h', { count: 20, durationMs: 3_600_000 }],
    ['60/1m', { count: 60, durationMs: 60_000 }],
    ['1000/30', { count: 1_000, durationMs: 30_000 }],
    ['5/7d', { count: 5, durationMs: 604_800_000 }],
    ['off', undefined],
    ['OFF', undefined],
  ])('a rate of %s is %j', (given, rate) => {
    const config = loadApiConfig({ ...env, REGISTER_RATE: given, LOGIN_RATE: given, UPLOAD_RATE: given });
    expect([config.registerRate, config.loginRate, config.uploadRate]).toEqual([rate, rate, rate]);
  });

  it.each(['', '20', '20/', '/1h', '0/1h', '20/0s', '20/8d', '1.5/1h', '-1/1h', 'on', '20/1h/1h', '20 / 1h'])(
    'a rate of %j stops the start',
    (given) => {
      for (const name of ['REGISTER_RATE', 'LOGIN_RATE', 'UPLOAD_RATE'])
        expect(complaint({ [name]: given })).toBe(
          `${name} must be a count and a duration of at most 7d such as 20/1h or 60/1m, or off`,
        );
    },
  );

  it.each([
    [undefined, undefined, undefined, undefined],
    ['OFF', undefined, 'off', undefined],
    ['1', 1, '512', 512],
    ['1000000000', 1_000_000_000, '2GiB', 2 * 1024 ** 3],
  ])('ENTRY_QUOTA=%s is %j, BYTE_QUOTA=%s is %j', (ENTRY_QUOTA, entryQuota, BYTE_QUOTA, byteQuota) => {
    const given = { ...(ENTRY_QUOTA && { ENTRY_QUOTA }), ...(BYTE_QUOTA && { BYTE_QUOTA }) };
    const config = loadApiConfig({ ...env, ...given });
    expect([config.entryQuota, config.byteQuota]).toEqual([entryQuota, byteQuota]);
  });

  it.each([
    [{ ENTRY_QUOTA: '0' }, /^ENTRY_QUOTA must be a whole number from 1, or off$/],
    [{ ENTRY_QUOTA: '1GiB' }, /^ENTRY_QUOTA must be/],
    [{ ENTRY_QUOTA: '' }, /^ENTRY_QUOTA must be/],
    [{ BYTE_QUOTA: '0' }, /^BYTE_QUOTA must be a number of bytes or a size such as 10GiB, or off$/],
    [{ BYTE_QUOTA: 'many' }, /^BYTE_QUOTA must be/],
    [{ JOB_QUOTA: '0' }, /^JOB_QUOTA must be a whole number from 1 to 100000$/],
  ])('%j stops the start', (given, message) => {
    expect(complaint(given)).toMatch(message);
  });

  it.each([
    [undefined, false],
    ['off', false],
    ['1', 1],
    ['12', 12],
    ['10.1.2.3', ['10.1.2.3']],
    ['10.0.0.0/8, ::1,fd00::/8', ['10.0.0.0/8', '::1', 'fd00::/8']],
    ['loopback,uniquelocal', ['loopback', 'uniquelocal']],
  ])('TRUST_PROXY=%s is %j', (given, trusted) => {
    expect(loadApiConfig({ ...env, ...(given && { TRUST_PROXY: given }) }).trustProxy).toEqual(trusted);
  });

  it.each([
    '',
    'on',
    'true',
    '0',
    '-1',
    '100',
    '1.5',
    '10.0.0',
    '10.0.0.0/33',
    '10.0.0.0/0',
    '::1/129',
    'loopback/8',
    'a.example',
    '1,',
    '10.0.0.1;10.0.0.2',
  ])('TRUST_PROXY=%j stops the start', (TRUST_PROXY) => {
    expect(complaint({ TRUST_PROXY })).toMatch(/^TRUST_PROXY must be off, a number of proxies/);
  });

  it.each([
    [{ JWT_TOKEN_DURATION: '1w' }, /^JWT_TOKEN_DURATION must be/],
    [{ JWT_TOKEN_DURATION: '0' }, /^JWT_TOKEN_DURATION must be .*, from 1s to 3650d$/],
    [{ JWT_TOKEN_DURATION: '99999999d' }, /^JWT_TOKEN_DURATION must be .*, from 1s to 3650d$/],
    [{ SHUTDOWN_TIMEOUT: '0' }, /^SHUTDOWN_TIMEOUT must be .*, from 1s to 1h$/],
    // A timer of Node for longer than 24 days fires at once.
    [{ SHUTDOWN_TIMEOUT: '25d' }, /^SHUTDOWN_TIMEOUT must be .*, from 1s to 1h$/],
    [{ MONGODB_TIMEOUT: '0' }, /^MONGODB_TIMEOUT must be .*, from 1s to 1h$/],
    [{ REDIS_TIMEOUT: '0' }, /^REDIS_TIMEOUT must be .*, from 1s to 1h$/],
    [{ REQUEST_TIMEOUT: '0' }, /^REQUEST_TIMEOUT must be .*, from 1s to 1d$/],
    [{ AUDIT_RETENTION: '99999999d' }, /^AUDIT_RETENTION must be .*, from 0s to 3650d$/],
    [{ DELETION_GRACE: '99999999d' }, /^DELETION_GRACE must be .*, from 0s to 3650d$/],
    [{ DRAIN_DELAY: '21s' }, /^DRAIN_DELAY must be shorter than SHUTDOWN_TIMEOUT, which includes it$/],
    [{ DRAIN_DELAY: '5s', SHUTDOWN_TIMEOUT: '5s' }, /^DRAIN_DELAY must be shorter than SHUTDOWN_TIMEOUT/],
    [{ PORT: 'http' }, /^PORT must be a whole number from 0 to 65535$/],
    [{ PORT: '70000' }, /^PORT must be a whole number from 0 to 65535$/],
    [{ BODY_LIMIT: '9MiB' }, /^BODY_LIMIT must be/],
    [{ REDIS_URL: 'redis://user:pass/word@cache' }, /^REDIS_URL must begin with/],
    [{ MONGODB_URL: 'localhost' }, /^MONGODB_URL must begin with/],
    [{ LOG_LEVEL: 'loud' }, /^LOG_LEVEL must be one of fatal, /],
    [{ JWT_SECRET: '' }, /^JWT_SECRET must not be empty/],
    [{ JWT_SECRET: 'one,,two' }, /^JWT_SECRET must not be empty, nor have nothing before or after a comma$/],
    [{ JWT_SECRET: 'one,' }, /^JWT_SECRET must not be empty, nor have nothing before or after a comma$/],
    [
      { NODE_ENV: 'production', JWT_SECRET: `${'x'.repeat(32)},${'y'.repeat(31)}` },
      /^JWT_SECRET must have at least 32 bytes in production, in each secret/,
    ],
    [
      { NODE_ENV: 'production', JWT_SECRET: 'x'.repeat(31) },
      /^JWT_SECRET must have at least 32 bytes in production/,
    ],
  ])('%j stops the start with a clear message', (more, message) => {
    expect(complaint(more)).toMatch(message);
  });

  it('takes a list of secrets, the first of which signs', () => {
    expect(loadApiConfig({ ...env, JWT_SECRET: 'new, old' }).jwt.secrets).toEqual(['new', 'old']);
  });

  it('names all that is missing, and repeats no value', () => {
    expect(complaint({ MONGODB_URL: undefined, JWT_SECRET: undefined }).split('\n').sort()).toEqual([
      'JWT_SECRET is not set',
      'MONGODB_URL is not set',
    ]);
    expect(complaint({ JWT_SECRET: 'hunter2', NODE_ENV: 'production' })).not.toContain('hunter2');
    expect(complaint({ JWT_SECRET: 'hunter2,' })).not.toContain('hunter2');
  });

  it('names all that is wrong at once', () => {
    const given = {
      NODE_ENV: 'production',
      JWT_SECRET: 'short',
      MONGODB_URL: undefined,
      PORT: 'http',
      BATCH_LIMIT: '1GiB',
      BODY_LIMT: '1MiB',
    };
    expect(complaint(given).split('\n').sort()).toEqual([
      expect.stringMatching(/^BATCH_LIMIT must be .* at most 64MiB$/),
      'JWT_SECRET must have at least 32 bytes in production',
      'MONGODB_URL is not set',
      'PORT must be a whole number from 0 to 65535',
      '`BODY_LIMT` is unknown, did you mean `BODY_LIMIT`?',
    ]);
  });

  it.each([
    ['BODY_LIMT', 'BODY_LIMIT'],
    ['UPLOAD_RATES', 'UPLOAD_RATE'],
    ['Trust_Proxy', 'TRUST_PROXY'],
    ['WORKER_CONCURENCY', 'WORKER_CONCURRENCY'],
  ])('%s stops the start of every service, as %s is meant', (name, meant) => {
    const message = `\`${name}\` is unknown, did you mean \`${meant}\`?`;
    expect(complaint({ [name]: '1' })).toBe(message);
    expect(() => loadExportWorkerConfig({ ...env, [name]: '1' })).toThrow(message);
  });

  it.each([
    ['PATH', '/bin'],
    ['HOME', '/root'],
    ['HOSTS', 'a'],
    ['POST', '1'],
    ['MONGO_IMAGE', 'mongo:8'],
    ['MAX_CONNECTIONS_PER_ADDRESS', '9'],
    ['MONGODB_URI', 'mongodb://a'],
    ['LOGLEVEL', 'loud'],
  ])('%s is the name of something else', (name, value) => {
    expect(complaint({ [name]: value })).toBe('');
  });

  it('takes a name beside the one that it is near to', () => {
    expect(complaint({ BODY_LIMITS: 'any', BODY_LIMIT: '1MiB' })).toBe('');
  });

  it.each([
    ['mongodb://sluice:p%40ss@db1,db2/sluice?replicaSet=rs0&authSource=admin&tls=true&tlsCAFile=/ca.pem'],
    ['mongodb+srv://sluice:secret@cluster.example/sluice?authSource=admin'],
  ])('takes MONGODB_URL=%s', (MONGODB_URL) => {
    expect(loadApiConfig({ ...env, MONGODB_URL }).mongodb.url).toBe(MONGODB_URL);
  });

  it.each([
    ['redis://:p%40ss@cache:6379'],
    ['rediss://sluice:secret@cache.example:6380/1'],
    ['rediss://[::1]:6380'],
  ])('takes REDIS_URL=%s', (REDIS_URL) => {
    expect(loadApiConfig({ ...env, REDIS_URL }).redis.url).toBe(REDIS_URL);
  });

  it.each([
    ['the API', loadApiConfig],
    ['export workers', loadExportWorkerConfig],
    ['ingest workers', loadIngestWorkerConfig],
  ])('reads OUTBOUND_ALLOW for %s, and else its old name', (_who, load) => {
    const namesOf = (set: object) => [...load({ ...env, ...set }).outboundAllow.names];
    expect(namesOf({ WEBHOOK_ALLOW: 'old' })).toEqual(['old']);
    expect(namesOf({ WEBHOOK_ALLOW: 'old', OUTBOUND_ALLOW: 'new' })).toEqual(['new']);
  });

  it.each([
    ['the API', loadApiConfig],
    ['export workers', loadExportWorkerConfig],
  ])('reads SECRETS_KEY for %s, a list without a weak key in production', (_who, load) => {
    const keysOf = (SECRETS_KEY?: string) =>
      load({ ...env, NODE_ENV: 'production', SECRETS_KEY }).secretsKeys;
    const [strong, other] = ['x'.repeat(32), 'y'.repeat(32)];
    expect(keysOf(`${strong},${other}`)).toEqual([strong, other]);
    expect(keysOf()).toBeUndefined();
    expect(() => keysOf(`${strong},short`)).toThrow(
      'SECRETS_KEY must have at least 32 bytes in production, in each secret of the list',
    );
  });

  it.each(['https://sluice.example', 'https://sluice.example/', 'https://Sluice.Example:443'])(
    'takes PUBLIC_URL=%s',
    (PUBLIC_URL) => {
      expect(loadApiConfig({ ...env, PUBLIC_URL }).publicUrl).toBe('https://sluice.example');
    },
  );

  it.each([
    '',
    'sluice.example',
    'ftp://sluice.example',
    'https://sluice.example/console',
    'https://sluice.example/?a',
    'https://ada@sluice.example',
  ])('refuses PUBLIC_URL=%j', (PUBLIC_URL) => {
    expect(complaint({ PUBLIC_URL })).toMatch(/^PUBLIC_URL must be an address without a path/);
  });

  const oidc = {
    PUBLIC_URL: 'https://sluice.example',
    OIDC_ISSUER: 'https://id.example/realms/main',
    OIDC_CLIENT_ID: 'sluice',
    OIDC_CLIENT_SECRET: 'a secret',
  };
  const strong = { NODE_ENV: 'production', JWT_SECRET: 'x'.repeat(32) };

  it('read an OpenID provider, or none', () => {
    expect(loadApiConfig({ ...env, OIDC_CLIENT_ID: 'unused' })).toMatchObject({
      oidc: undefined,
      passwordLogin: true,
    });
    const given = { ...env, ...strong, ...oidc, PASSWORD_LOGIN: 'off' };
    expect(loadApiConfig(given)).toMatchObject({
      oidc: {
        issuer: 'https://id.example/realms/main',
        clientId: 'sluice',
        clientSecret: 'a secret',
        name: 'single sign-on',
        groups: undefined,
      },
      passwordLogin: false,
    });
    expect(loadApiConfig({ ...given, OIDC_GROUPS: 'staff, board' }).oidc?.groups).toEqual(['staff', 'board']);
  });

  it.each<[Record<string, string | undefined>, string]>([
    [{ PASSWORD_LOGIN: 'off' }, 'PASSWORD_LOGIN is off: set OIDC_ISSUER too'],
    [{ ...oidc, PUBLIC_URL: undefined }, 'OIDC_ISSUER is set: set PUBLIC_URL too'],
    [{ ...oidc, OIDC_CLIENT_ID: undefined }, 'OIDC_ISSUER is set: set OIDC_CLIENT_ID too'],
    [{ ...oidc, OIDC_CLIENT_SECRET: undefined }, 'OIDC_ISSUER is set: set OIDC_CLIENT_SECRET too'],
    [{ ...oidc, OIDC_ISSUER: 'id.example' }, 'OIDC_ISSUER must begin with http:// or https://, and be a URL'],
    [
      { ...oidc, ...strong, OIDC_ISSUER: 'http://id.example' },
      'OIDC_ISSUER must begin with https:// in production',
    ],
    [{ ...oidc, OIDC_GROUPS: 'staff,' }, 'OIDC_GROUPS must be names by commas, none of them empty'],
  ])('stop the start where people could not sign in safely: %j', (given, message) => {
    expect(complaint(given)).toBe(message);
  });

  const mail = {
    SMTP_URL: 'smtps://sluice:p%40ss@smtp.example.com',
    MAIL_FROM: 'Sluice <sluice@example.com>',
    PUBLIC_URL: 'https://sluice.example',
  };

  it('reads the settings of mails', () => {
    expect(loadIngestWorkerConfig({ ...env, ...mail }).mail).toEqual({
      url: mail.SMTP_URL,
      from: { name: 'Sluice', address: 'sluice@example.com' },
      publicUrl: mail.PUBLIC_URL,
    });
    expect(loadIngestWorkerConfig(env).mail).toBeUndefined();
    expect(loadApiConfig({ ...env, ...mail }).hasMail).toBe(true);
    expect(loadApiConfig(env).hasMail).toBe(false);
  });

  it.each(['a@b', ' a@b ', '<a@b>', 'Ada L. <a@b>'])('takes MAIL_FROM=%j', (MAIL_FROM) => {
    expect(complaint({ ...mail, MAIL_FROM })).toBe('');
  });

  it.each(['', 'a', 'a@b@c', 'A <a@b', 'A <a@b> <c@d>', 'A\n <a@b>', '"A" <a@b>', 'a@b,c@d'])(
    'refuses MAIL_FROM=%j',
    (MAIL_FROM) => {
      expect(complaint({ ...mail, MAIL_FROM })).toMatch(/^MAIL_FROM must be an address such as/);
    },
  );

  it.each([
    [{ SMTP_URL: 'https://smtp.example.com' }, 'SMTP_URL must begin with smtp:// or smtps://'],
    [{ SMTP_URL: 'smtp://' }, 'SMTP_URL must begin with smtp:// or smtps://'],
    [{ MAIL_FROM: undefined }, 'SMTP_URL is set: set MAIL_FROM too'],
    [{ SMTP_URL: undefined }, 'MAIL_FROM is set: set SMTP_URL too'],
    [{ PUBLIC_URL: undefined }, 'MAIL_FROM is set: set PUBLIC_URL too'],
  ])('refuses half of the settings of mails: %j', (change, message) => {
    expect(() => loadIngestWorkerConfig({ ...env, ...mail, ...change })).toThrow(message);
  });

  const key = { ARCHIVE_ACCESS_KEY_ID: 'id', ARCHIVE_SECRET_ACCESS_KEY: 'a/b+c' };
  const withKey = { accessKeyId: 'id', secretAccessKey: 'a/b+c' };

  it.each([
    ['/var/lib/archive', '/var/lib/archive'],
    ['s3-files', 's3-files'],
    ['s3://lake', { bucket: 'lake', prefix: '', ...withKey }],
    ['s3://lake/a/b?region=eu-1', { bucket: 'lake', prefix: 'a/b', region: 'eu-1', ...withKey }],
    [
      's3://lake/a?endpoint=http://minio.svc:9000',
      { bucket: 'lake', prefix: 'a', endpoint: 'http://minio.svc:9000', ...withKey },
    ],
  ])('takes ARCHIVE_FOLDER=%s', (ARCHIVE_FOLDER, folder) => {
    for (const load of [loadExportWorkerConfig, loadQueryWorkerConfig])
      expect(load({ ...env, ARCHIVE_FOLDER, ...key }).archiveFolder).toEqual(folder);
    const admin = loadAdminConfig({ ...env, ARCHIVE_FOLDER, ...key });
    expect(admin.archiveFolder()).toEqual(folder);
    expect(loadApiConfig({ ...env, ARCHIVE_FOLDER }).archiveFolder).toBeDefined();
  });

  it.each([
    's3://',
    's3:lake',
    's3://Lake/a',
    's3://id:key@lake/a',
    's3://lake/a?endpoint=minio',
    's3://lake?key=x',
  ])('refuses ARCHIVE_FOLDER=%s', (ARCHIVE_FOLDER) => {
    expect(complaint({ ARCHIVE_FOLDER })).toMatch(
      /^ARCHIVE_FOLDER must be a folder, or a bucket such as s3:/,
    );
  });

  it('wants the key of a bucket where files are read or written', () => {
    const missing = { ...env, ARCHIVE_FOLDER: 's3://lake', ARCHIVE_ACCESS_KEY_ID: 'id' };
    const message = 'ARCHIVE_FOLDER is a bucket: set ARCHIVE_ACCESS_KEY_ID and ARCHIVE_SECRET_ACCESS_KEY too';
    for (const load of [
      loadExportWorkerConfig,
      loadQueryWorkerConfig,
      (given: typeof missing) => loadAdminConfig(given).archiveFolder(),
    ])
      expect(() => load(missing)).toThrow(new ConfigError(message));
  });

  it('does not ask a worker for the secret of the API', () => {
    expect(loadExportWorkerConfig({ ...env, JWT_SECRET: undefined }).retentionMs).toBe(604_800_000);
  });
});

describe('the settings of sluice-admin', () => {
  function dataDir(): string {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-config-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    return folder;
  }

  it('name the MongoDB that npm start runs, unless another one is set', () => {
    const DATA_DIR = dataDir();
    const file = portFileOf(DATA_DIR, 'mongod');
    mkdirSync(dirname(file));
    writeFileSync(file, '12345');
    expect(loadAdminConfig({ DATA_DIR }).mongodb.url).toBe(
      'mongodb://127.0.0.1:12345/?directConnection=true',
    );
    expect(loadAdminConfig({ DATA_DIR, MONGODB_URL: 'mongodb://a' }).mongodb.url).toBe('mongodb://a');
  });

  it('are wrong when there is neither', () => {
    const load = () => loadAdminConfig({ DATA_DIR: dataDir() });
    expect(load).toThrow(ConfigError);
    expect(load).toThrow(/^MONGODB_URL is not set, and `npm start` runs no MongoDB in /);
  });
});
