import type { Ajv } from 'ajv';
import envSchema from 'env-schema';
import Type, { type Static, type TObject } from 'typebox';
import {
  parseDuration,
  parseFlag,
  parseQuota,
  parseRate,
  parseSize,
  parseSizeQuota,
  parseTrust,
  type Rate,
} from './units.ts';
import { Api, Common, ExportWorker, IngestWorker, Local, Workers } from './variables.ts';

interface Format {
  says: string;
  accepts: (text: string) => boolean;
}

const sizeUpTo = (most: string): Format => ({
  says: `must be a number of bytes or a size such as 512KiB, at most ${most}`,
  accepts: (text) => {
    const bytes = parseSize(text);
    return bytes !== undefined && bytes >= 1 && bytes <= (parseSize(most) as number);
  },
});

const formats: Record<string, Format> = {
  flag: {
    says: 'must be one of true, false, 1, 0, yes, no, on, off',
    accepts: (text) => parseFlag(text) !== undefined,
  },
  'duration-words': {
    says: 'must be a number of seconds or a duration such as 15m, 12h, 7d',
    accepts: (text) => parseDuration(text) !== undefined,
  },
  size: sizeUpTo('8MiB'),
  'batch-size': sizeUpTo('64MiB'),
  'import-size': sizeUpTo('1TiB'),
  rate: {
    says: 'must be a count and a duration of at most 7d such as 20/1h or 60/1m, or off',
    accepts: (text) => parseRate(text) !== undefined,
  },
  quota: {
    says: 'must be a whole number from 1, or off',
    accepts: (text) => parseQuota(text) !== undefined,
  },
  'size-quota': {
    says: 'must be a number of bytes or a size such as 10GiB, or off',
    accepts: (text) => parseSizeQuota(text) !== undefined,
  },
  'proxy-trust': {
    says: 'must be off, a number of proxies from 1 to 99, or addresses such as 10.0.0.0/8, ::1, loopback, uniquelocal, separated by commas',
    accepts: (text) => parseTrust(text) !== undefined,
  },
  'mongodb-url': {
    says: 'must begin with mongodb:// or mongodb+srv://',
    accepts: (text) => /^mongodb(\+srv)?:\/\/./.test(text),
  },
  'redis-url': {
    says: 'must begin with redis:// or rediss://, and be a URL: what is special in a password is written %40',
    accepts: (text) => /^rediss?:\/\/./.test(text) && URL.canParse(text),
  },
};

/** A setting is missing or wrong. The message has a line for each, fit to be shown as it is. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

type Env = Record<string, string | undefined>;

/** Reads the variables of `schema` from the environment, then `.env`, then their defaults. */
function read<T extends TObject>(schema: T, env?: Env): Static<T> {
  const tolerant = { ...schema, additionalProperties: true };
  try {
    return envSchema({
      schema: JSON.parse(JSON.stringify(tolerant)),
      dotenv: env === undefined,
      env: env === undefined,
      data: { ...env },
      ajv: { customOptions: addFormats },
    }) as Static<T>;
  } catch (error) {
    const issues = (error as { errors?: Issue[] }).errors;
    if (!issues) throw error;
    throw new ConfigError([...new Set(issues.map(explain))].join('\n'));
  }
}

function addFormats(ajv: Ajv): Ajv {
  for (const [name, { accepts }] of Object.entries(formats)) ajv.addFormat(name, accepts);
  ajv.opts.allErrors = true;
  return ajv;
}

interface Issue {
  instancePath: string;
  keyword: string;
  message?: string;
  params: Record<string, unknown>;
}

/** The value is not repeated: it may be a secret. */
function explain({ instancePath, keyword, message, params }: Issue): string {
  if (keyword === 'required') return `${params.missingProperty} is not set`;
  const name = instancePath.slice(1);
  if (keyword === 'format') return `${name} ${formats[params.format as string]?.says ?? message}`;
  if (keyword === 'minLength') return `${name} must not be empty`;
  if (keyword === 'enum') return `${name} must be one of ${(params.allowedValues as string[]).join(', ')}`;
  return `${name} ${message}`;
}

const ms = (text: string) => parseDuration(text) as number;

const unlessOff = <T>(parsed: T | 'off' | undefined): T | undefined =>
  parsed === 'off' ? undefined : parsed;
const rate = (text: string): Rate | undefined => unlessOff(parseRate(text));

function common(vars: Common) {
  return {
    environment: vars.NODE_ENV,
    log: { level: vars.LOG_LEVEL, pretty: parseFlag(vars.LOG_PRETTY) === true },
    mongodb: { url: vars.MONGODB_URL, timeoutMs: ms(vars.MONGODB_TIMEOUT) },
    redis: { url: vars.REDIS_URL, prefix: vars.REDIS_PREFIX, timeoutMs: ms(vars.REDIS_TIMEOUT) },
    shutdownTimeoutMs: ms(vars.SHUTDOWN_TIMEOUT),
  };
}

/** The secrets of tokens: the first signs, all verify. */
function secretsOf({ NODE_ENV, JWT_SECRET }: Pick<Common & Api, 'NODE_ENV' | 'JWT_SECRET'>): string[] {
  const secrets = JWT_SECRET.split(',').map((secret) => secret.trim());
  if (secrets.includes('')) throw new ConfigError('JWT_SECRET has an empty secret: look at its commas');
  if (NODE_ENV === 'production' && secrets.some((secret) => Buffer.byteLength(secret) < 32)) {
    const which = secrets.length > 1 ? ', in each secret of the list' : '';
    throw new ConfigError(`JWT_SECRET must have at least 32 bytes in production${which}`);
  }
  return secrets;
}

/** Settings of the API. Throws ConfigError. */
export function loadApiConfig(env?: Env) {
  const vars = read(Type.Object({ ...Common.properties, ...Api.properties }), env);
  return {
    ...common(vars),
    host: vars.HOST,
    port: vars.PORT,
    reusePort: parseFlag(vars.REUSE_PORT) === true,
    jwt: { secrets: secretsOf(vars), durationMs: ms(vars.JWT_TOKEN_DURATION) },
    registrationOpen: parseFlag(vars.REGISTRATION_OPEN) === true,
    bcryptCost: vars.BCRYPT_COST,
    trustProxy: parseTrust(vars.TRUST_PROXY) as false | number | string[],
    registerRate: rate(vars.REGISTER_RATE),
    loginRate: rate(vars.LOGIN_RATE),
    uploadRate: rate(vars.UPLOAD_RATE),
    applicationQuota: vars.APPLICATION_QUOTA,
    jobQuota: vars.JOB_QUOTA,
    storedExportQuota: vars.STORED_EXPORT_QUOTA,
    entryQuota: unlessOff(parseQuota(vars.ENTRY_QUOTA)),
    byteQuota: unlessOff(parseSizeQuota(vars.BYTE_QUOTA)),
    bodyLimit: parseSize(vars.BODY_LIMIT) as number,
    batchLimit: parseSize(vars.BATCH_LIMIT) as number,
    batchLines: vars.BATCH_LINES,
    importLimit: parseSize(vars.IMPORT_LIMIT) as number,
    importQuota: parseSize(vars.IMPORT_QUOTA) as number,
    schemaCacheSize: vars.SCHEMA_CACHE_SIZE,
    requestTimeoutMs: ms(vars.REQUEST_TIMEOUT),
    maxConnections: vars.MAX_CONNECTIONS,
    drainDelayMs: ms(vars.DRAIN_DELAY),
    corsOrigins: vars.CORS_ORIGINS.split(',')
      .map((origin) => origin.trim())
      .filter(Boolean),
    exportWaitMs: ms(vars.EXPORT_WAIT),
    auditRetentionMs: ms(vars.AUDIT_RETENTION),
  };
}

/** Settings of an export worker. Throws ConfigError. */
export function loadExportWorkerConfig(env?: Env) {
  const vars = read(
    Type.Object({ ...Common.properties, ...ExportWorker.properties, ...Workers.properties }),
    env,
  );
  return {
    ...common(vars),
    concurrency: vars.EXPORT_CONCURRENCY,
    retentionMs: ms(vars.EXPORT_RETENTION),
    healthPort: vars.HEALTH_PORT,
  };
}

/** Settings of an ingest worker. Throws ConfigError. */
export function loadIngestWorkerConfig(env?: Env) {
  const vars = read(
    Type.Object({ ...Common.properties, ...IngestWorker.properties, ...Workers.properties }),
    env,
  );
  return {
    ...common(vars),
    concurrency: vars.INGEST_CONCURRENCY,
    retentionMs: ms(vars.EXPORT_RETENTION),
    healthPort: vars.HEALTH_PORT,
  };
}

/** Settings of `npm start`: those that are set stay as they are, the rest it makes itself. Throws ConfigError. */
export function loadLocalConfig(env?: Env) {
  const { MONGODB_URL, REDIS_URL } = Common.properties;
  const { JWT_SECRET, REGISTRATION_OPEN, REGISTER_RATE, LOGIN_RATE, HOST, PORT } = Api.properties;
  const vars = read(
    Type.Object({
      ...Local.properties,
      HOST,
      PORT,
      MONGODB_URL: Type.Optional(MONGODB_URL),
      REDIS_URL: Type.Optional(REDIS_URL),
      JWT_SECRET: Type.Optional(JWT_SECRET),
      REGISTRATION_OPEN: Type.Optional(Type.String({ ...REGISTRATION_OPEN, default: undefined })),
      REGISTER_RATE: Type.Optional(Type.String({ ...REGISTER_RATE, default: undefined })),
      LOGIN_RATE: Type.Optional(Type.String({ ...LOGIN_RATE, default: undefined })),
    }),
    env,
  );
  return {
    dataDir: vars.DATA_DIR,
    mongodBinary: vars.MONGOD_BINARY,
    redisBinary: vars.REDIS_BINARY,
    mongoImage: vars.MONGO_IMAGE,
    redisImage: vars.REDIS_IMAGE,
    host: vars.HOST,
    port: vars.PORT,
    mongodbUrl: vars.MONGODB_URL,
    redisUrl: vars.REDIS_URL,
    jwtSecret: vars.JWT_SECRET,
    registrationOpen: vars.REGISTRATION_OPEN,
    registerRate: vars.REGISTER_RATE,
    loginRate: vars.LOGIN_RATE,
  };
}

export type ApiConfig = ReturnType<typeof loadApiConfig>;
export type ExportWorkerConfig = ReturnType<typeof loadExportWorkerConfig>;
export type IngestWorkerConfig = ReturnType<typeof loadIngestWorkerConfig>;
export type LocalConfig = ReturnType<typeof loadLocalConfig>;
