import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { type CleanedEnv, cleanEnv, EnvMissingError, type ValidatorSpec } from 'envalid';
import { nearest } from '../nearest.ts';
import type { FolderBucket } from './kinds.ts';
import { archiveFolderOf, localSecretsKeys, localUrl } from './local-stores.ts';
import { fileSetting, secretsAmong, withSecretFiles } from './secret-files.ts';
import {
  Api,
  ArchiveKey,
  Common,
  ExportWorker,
  groups,
  IngestWorker,
  Local,
  Mail,
  Query,
  QueryWorker,
  Workers,
} from './variables.ts';

/** A setting is missing or wrong. The message has a line for each, fit to be shown as it is. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

type Env = Record<string, string | undefined>;

/** The environment, with defaults from `.env`. */
export function environment(): Env {
  try {
    return { ...parseEnv(readFileSync('.env', 'utf8').replace(/^\ufeff/, '')), ...process.env };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return process.env;
  }
}

/** A setting under its old name. */
export const renamed = (env: Env): Env =>
  env.OUTBOUND_ALLOW === undefined && env.WEBHOOK_ALLOW !== undefined
    ? { ...env, OUTBOUND_ALLOW: env.WEBHOOK_ALLOW }
    : env;

/** Throws ConfigError with all faults: wrong settings, faults from `check`, and misspelt names. */
function read<S extends Record<string, ValidatorSpec<unknown>>>(
  given: Env,
  settings: S,
  check: (vars: Partial<CleanedEnv<S>>) => string[] = () => [],
): CleanedEnv<S> {
  const { env, faults } = withSecretFiles(renamed(given), secretsAmong(settings));
  const reporter: Reporter = ({ errors, env: vars }) => {
    const wrong = Object.entries(errors).map(([name, error]) => [
      name,
      error instanceof EnvMissingError ? `${name} is not set` : `${name} ${error?.message}`,
    ]);
    const lines: string[] = Object.values({ ...Object.fromEntries(wrong), ...faults });
    lines.push(...check(vars as Partial<CleanedEnv<S>>), ...unknown(given));
    if (lines.length > 0) throw new ConfigError(lines.join('\n'));
  };
  return cleanEnv(env, settings, { reporter });
}

type Reporter = (found: { errors: Record<string, Error | undefined>; env: unknown }) => void;

const secrets = groups.flatMap(({ settings }) => secretsAmong(settings));
const names = groups.flatMap(({ settings }) => Object.keys(settings)).concat(secrets.map(fileSetting));
/** Other programs use these or similar names. */
const stores = ['MONGODB_URL', 'REDIS_URL'];
const usual = ['HOST', 'PORT', 'NODE_ENV', 'LOG_LEVEL', 'DATA_DIR', ...stores, ...stores.map(fileSetting)];

/** Faults for names close to settings that are not set. */
function unknown(env: Env): string[] {
  const unset = names.filter((name) => !usual.includes(name) && env[name] === undefined);
  return Object.keys(env).flatMap((name) => {
    const meant = names.includes(name) ? undefined : nearest(name, unset);
    return meant ? [`\`${name}\` is unknown, did you mean \`${meant}\`?`] : [];
  });
}

function weakSecrets({
  NODE_ENV,
  JWT_SECRET: secrets = [],
  SECRETS_KEY: keys = [],
}: Partial<CleanedEnv<typeof Common & typeof Api>>) {
  if (NODE_ENV !== 'production') return [];
  return Object.entries({ JWT_SECRET: secrets, SECRETS_KEY: keys }).flatMap(([name, list]) => {
    if (list.every((secret) => Buffer.byteLength(secret) >= 32)) return [];
    const which = list.length > 1 ? ', in each secret of the list' : '';
    return [`${name} must have at least 32 bytes in production${which}`];
  });
}

/** The process ends with the shutdown timeout, even if it still drains. */
function longDrain({ DRAIN_DELAY, SHUTDOWN_TIMEOUT }: Partial<CleanedEnv<typeof Common & typeof Api>>) {
  if (DRAIN_DELAY === undefined || SHUTDOWN_TIMEOUT === undefined || DRAIN_DELAY < SHUTDOWN_TIMEOUT)
    return [];
  return ['DRAIN_DELAY must be shorter than SHUTDOWN_TIMEOUT, which includes it'];
}

type ApiVars = Partial<CleanedEnv<typeof Common & typeof Api>>;

/** Faults that would let nobody in, or would let secrets travel without TLS. */
function wrongSignIn(vars: ApiVars): string[] {
  const { OIDC_ISSUER: issuer, PASSWORD_LOGIN, NODE_ENV } = vars;
  if (!issuer) return PASSWORD_LOGIN === false ? ['PASSWORD_LOGIN is off: set OIDC_ISSUER too'] : [];
  const others = ['PUBLIC_URL', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const;
  const missing = others.filter((name) => vars[name] === undefined);
  return [
    ...missing.map((name) => `OIDC_ISSUER is set: set ${name} too`),
    ...(NODE_ENV === 'production' && !issuer.startsWith('https:')
      ? ['OIDC_ISSUER must begin with https:// in production']
      : []),
  ];
}

/** Undefined without a provider. */
const toOidc = (vars: CleanedEnv<typeof Api>) =>
  vars.OIDC_ISSUER === undefined
    ? undefined
    : {
        issuer: vars.OIDC_ISSUER,
        clientId: vars.OIDC_CLIENT_ID ?? '',
        clientSecret: vars.OIDC_CLIENT_SECRET ?? '',
        name: vars.OIDC_NAME,
        groups: vars.OIDC_GROUPS,
      };

/** A second factor that nobody could set up. */
const unsealed = ({ SECOND_FACTOR, SECRETS_KEY }: Partial<CleanedEnv<typeof Api>>) =>
  SECOND_FACTOR === 'required' && SECRETS_KEY === undefined
    ? ['SECOND_FACTOR=required needs SECRETS_KEY, which encrypts the secrets of second factors']
    : [];

/** Mails have links, and a sender. */
function halfMail({
  SMTP_URL,
  MAIL_FROM,
  PUBLIC_URL,
}: Partial<CleanedEnv<Pick<typeof Api, 'MAIL_FROM' | 'PUBLIC_URL'> & typeof Mail>>) {
  if (SMTP_URL && !MAIL_FROM) return ['SMTP_URL is set: set MAIL_FROM too'];
  return MAIL_FROM && !PUBLIC_URL
    ? ['MAIL_FROM is set: set PUBLIC_URL too, with which links in mails begin']
    : [];
}

/** The same for services that send mails: where nothing sends mails, none may wait. */
const halfSending = (vars: Parameters<typeof halfMail>[0]) => [
  ...halfMail(vars),
  ...(vars.MAIL_FROM && !vars.SMTP_URL ? ['MAIL_FROM is set: set SMTP_URL too'] : []),
];

type ArchiveVars = CleanedEnv<Pick<typeof Api, 'ARCHIVE_FOLDER'> & typeof ArchiveKey>;

const hasKey = (vars: Partial<ArchiveVars>) =>
  Boolean(vars.ARCHIVE_ACCESS_KEY_ID && vars.ARCHIVE_SECRET_ACCESS_KEY);

const keyless = (vars: Partial<ArchiveVars>): string[] =>
  typeof vars.ARCHIVE_FOLDER !== 'object' || hasKey(vars)
    ? []
    : ['ARCHIVE_FOLDER is a bucket: set ARCHIVE_ACCESS_KEY_ID and ARCHIVE_SECRET_ACCESS_KEY too'];

/** The path, or the bucket with its key. */
const toFolder = (folder: string | FolderBucket, vars: Partial<ArchiveVars>) =>
  typeof folder === 'string'
    ? folder
    : {
        ...folder,
        accessKeyId: vars.ARCHIVE_ACCESS_KEY_ID ?? '',
        secretAccessKey: vars.ARCHIVE_SECRET_ACCESS_KEY ?? '',
      };

function common(vars: CleanedEnv<typeof Common>) {
  return {
    log: { level: vars.LOG_LEVEL, pretty: !vars.isProduction && process.stdout.isTTY },
    mongodb: { url: vars.MONGODB_URL, timeoutMs: vars.MONGODB_TIMEOUT },
    redis: { url: vars.REDIS_URL, prefix: vars.REDIS_PREFIX, timeoutMs: vars.REDIS_TIMEOUT },
    shutdownTimeoutMs: vars.SHUTDOWN_TIMEOUT,
    metrics: { port: vars.MONITORING_PORT, token: vars.METRICS_TOKEN },
  };
}

export function loadApiConfig(env = environment()) {
  const vars = read(env, { ...Common, ...Api }, (given) => [
    ...weakSecrets(given),
    ...longDrain(given),
    ...wrongSignIn(given),
    ...unsealed(given),
    ...halfMail(given),
  ]);
  return {
    ...common(vars),
    host: vars.HOST,
    port: vars.PORT,
    /** An origin. */
    publicUrl: vars.PUBLIC_URL,
    /** Whether mails are sent. */
    hasMail: vars.MAIL_FROM !== undefined,
    /** The first signs, all verify. */
    jwt: { secrets: vars.JWT_SECRET, durationMs: vars.JWT_TOKEN_DURATION },
    oidc: toOidc(vars),
    passwordLogin: vars.PASSWORD_LOGIN,
    registrationOpen: vars.REGISTRATION_OPEN,
    usersVisible: vars.USERS_VISIBLE,
    bcryptCost: vars.BCRYPT_COST,
    trustProxy: vars.TRUST_PROXY,
    registerRate: vars.REGISTER_RATE || undefined,
    loginRate: vars.LOGIN_RATE || undefined,
    uploadRate: vars.UPLOAD_RATE || undefined,
    applicationQuota: vars.APPLICATION_QUOTA,
    jobQuota: vars.JOB_QUOTA,
    entryQuota: vars.ENTRY_QUOTA || undefined,
    byteQuota: vars.BYTE_QUOTA || undefined,
    bodyLimit: vars.BODY_LIMIT,
    batchLimit: vars.BATCH_LIMIT,
    importLimit: vars.IMPORT_LIMIT,
    importQuota: vars.IMPORT_QUOTA,
    requestTimeoutMs: vars.REQUEST_TIMEOUT,
    maxConnections: vars.MAX_CONNECTIONS,
    drainDelayMs: vars.DRAIN_DELAY,
    console: vars.CONSOLE,
    corsOrigins: vars.CORS_ORIGINS,
    outboundAllow: vars.OUTBOUND_ALLOW,
    secretsKeys: vars.SECRETS_KEY,
    secondFactor: vars.SECOND_FACTOR,
    archiveFolder: vars.ARCHIVE_FOLDER,
    queryUrl: vars.QUERY_URL,
    deletionGraceMs: vars.DELETION_GRACE,
    auditRetentionMs: vars.AUDIT_RETENTION,
  };
}

function workers(vars: CleanedEnv<typeof Common & typeof Workers>) {
  return { ...common(vars), retentionMs: vars.EXPORT_RETENTION, concurrency: vars.WORKER_CONCURRENCY };
}

export function loadExportWorkerConfig(env = environment()) {
  const vars = read(env, ExportWorker, (given) => [...weakSecrets(given), ...keyless(given)]);
  return {
    ...workers(vars),
    outboundAllow: vars.OUTBOUND_ALLOW,
    secretsKeys: vars.SECRETS_KEY,
    archiveFolder: vars.ARCHIVE_FOLDER && toFolder(vars.ARCHIVE_FOLDER, vars),
  };
}

export function loadQueryWorkerConfig(env = environment()) {
  const vars = read(env, QueryWorker, (given) => [...weakSecrets(given), ...keyless(given)]);
  return {
    ...common(vars),
    host: vars.QUERY_HOST,
    port: vars.QUERY_PORT,
    secrets: vars.JWT_SECRET,
    archiveFolder: toFolder(vars.ARCHIVE_FOLDER, vars),
    copiesBytes: vars.QUERY_COPIES,
  };
}

export function loadIngestWorkerConfig(env = environment()) {
  const vars = read(env, IngestWorker, halfSending);
  const { SMTP_URL: url, MAIL_FROM: from, PUBLIC_URL: publicUrl } = vars;
  return {
    ...workers(vars),
    /** Undefined: mails are not sent. */
    mail: url && from && publicUrl ? { url, from, publicUrl } : undefined,
    auditRetentionMs: vars.AUDIT_RETENTION,
    outboundAllow: vars.OUTBOUND_ALLOW,
  };
}

/** Settings of `npm start`, and `env` for the services. Throws ConfigError. */
export function loadLocalConfig(env = environment()) {
  const own = {
    MONGODB_URL: { ...Common.MONGODB_URL, default: undefined },
    REDIS_URL: { ...Common.REDIS_URL, default: undefined },
    JWT_SECRET: { ...Api.JWT_SECRET, default: undefined },
  };
  const settings = { ...Common, ...Api, ...Workers, ...Mail, ...ArchiveKey, ...Query, ...Local, ...own };
  const vars = read(env, settings, (given) => [...longDrain(given), ...halfSending(given)]);
  return {
    dataDir: vars.DATA_DIR,
    console: vars.CONSOLE,
    host: vars.HOST,
    port: vars.PORT,
    mongodbUrl: vars.MONGODB_URL,
    redisUrl: vars.REDIS_URL,
    env: withSecretFiles(env, secrets).env,
  };
}

/** Settings of `sluice-admin`. The default stores are those that `npm start` runs. Throws ConfigError. */
export function loadAdminConfig(env = environment()) {
  const { MONGODB_TIMEOUT, MONGODB_URL, REDIS_URL, REDIS_PREFIX, REDIS_TIMEOUT } = Common;
  const { BCRYPT_COST, AUDIT_RETENTION, MAIL_FROM, OUTBOUND_ALLOW, PUBLIC_URL, SECRETS_KEY, ARCHIVE_FOLDER } =
    Api;
  const settings = {
    MONGODB_TIMEOUT,
    REDIS_PREFIX,
    REDIS_TIMEOUT,
    BCRYPT_COST,
    AUDIT_RETENTION,
    OUTBOUND_ALLOW,
    SECRETS_KEY,
    ARCHIVE_FOLDER,
    ...ArchiveKey,
    ...Local,
    MAIL_FROM,
    PUBLIC_URL,
    MONGODB_URL: { ...MONGODB_URL, default: undefined },
    REDIS_URL: { ...REDIS_URL, default: undefined },
  };
  const vars = read(env, settings, halfMail);
  const notRunning = (name: string, what: string) =>
    new ConfigError(`${name} is not set, and \`npm start\` runs no ${what} in ${vars.DATA_DIR}`);
  const url = vars.MONGODB_URL ?? localUrl(vars.DATA_DIR, 'mongod');
  if (!url) throw notRunning('MONGODB_URL', 'MongoDB');
  return {
    mongodb: { url, timeoutMs: vars.MONGODB_TIMEOUT },
    /** Only for commands that use Redis. Throws ConfigError. */
    redis() {
      const redisUrl = vars.REDIS_URL ?? localUrl(vars.DATA_DIR, 'redis');
      if (!redisUrl) throw notRunning('REDIS_URL', 'Redis');
      return { url: redisUrl, prefix: vars.REDIS_PREFIX, timeoutMs: vars.REDIS_TIMEOUT };
    },
    bcryptCost: vars.BCRYPT_COST,
    /** Whether mails are sent. */
    hasMail: vars.MAIL_FROM !== undefined,
    auditRetentionMs: vars.AUDIT_RETENTION,
    outboundAllow: vars.OUTBOUND_ALLOW,
    secretsKeys: vars.SECRETS_KEY ?? localSecretsKeys(vars.DATA_DIR),
    /** Only for commands that use archives. Throws ConfigError. */
    archiveFolder() {
      const [fault] = keyless(vars);
      if (fault) throw new ConfigError(fault);
      return toFolder(vars.ARCHIVE_FOLDER ?? archiveFolderOf(vars.DATA_DIR), vars);
    },
  };
}

export type ApiConfig = ReturnType<typeof loadApiConfig>;
export type WorkerConfig = ReturnType<typeof workers>;
export type ExportWorkerConfig = ReturnType<typeof loadExportWorkerConfig>;
export type QueryWorkerConfig = ReturnType<typeof loadQueryWorkerConfig>;
export type IngestWorkerConfig = ReturnType<typeof loadIngestWorkerConfig>;
export type LocalConfig = ReturnType<typeof loadLocalConfig>;
export type AdminConfig = ReturnType<typeof loadAdminConfig>;
