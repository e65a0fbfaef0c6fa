import * as kinds from './kinds.ts';

const { duration, flag, integer, rate, sizeUpTo } = kinds;

/** Every environment variable, declared once. The table in docs/operations.md is made from this file. */
export const Common = {
  NODE_ENV: kinds
    .choice('development', 'production', 'test')
    .or('development', '`production` refuses weak settings at start.'),
  LOG_LEVEL: kinds
    .choice('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent')
    .or('info', 'Least severe level that is logged.'),
  MONGODB_URL: kinds.mongodbUrl.required(
    'MongoDB replica set, as a connection string. The database is its path, `sluice` when it has none.',
  ),
  REDIS_URL: kinds.redisUrl.required('Redis or Valkey, `redis://` or `rediss://`.'),
  REDIS_PREFIX: kinds.redisPrefix.or(
    'sluice',
    'Begins every Redis key, so that several installations can share one Redis.',
  ),
  MONGODB_TIMEOUT: duration.or('10s', 'Time limit of one MongoDB operation, server selection included.'),
  REDIS_TIMEOUT: duration.or(
    '1s',
    'How long a request waits for Redis. Then rate limits count in the process itself, and exports and imports are answered 503.',
  ),
  SHUTDOWN_TIMEOUT: duration.or(
    '20s',
    'After SIGTERM the process ends by then, finished or not. Keep it below the grace period of the container.',
  ),
};

export const Api = {
  HOST: kinds.text.or('127.0.0.1', 'Address the API listens on.'),
  PORT: integer(0, 65_535).or('4000', 'Port the API listens on; 0 picks a free one.'),
  JWT_SECRET: kinds.secrets.required(
    'Signs the tokens. At least 32 bytes in production. Several, separated by commas: the first signs, all verify.',
  ),
  JWT_TOKEN_DURATION: duration.or('12h', 'How long a token is valid.'),
  REGISTRATION_OPEN: flag.or('off', 'Whether anyone who reaches the API may register.'),
  TRUST_PROXY: kinds.trust.or(
    'off',
    "Whose `X-Forwarded-For` tells a client's address: `off`, the number of proxies in front, or their addresses and networks, separated by commas (also `loopback`, `linklocal`, `uniquelocal`). Compose sets 1, for its HAProxy.",
  ),
  REGISTER_RATE: rate.or(
    '20/1h',
    'Registrations one address may ask for, `<count>/<duration>`, or `off`. `npm start` on a loopback address: `off`.',
  ),
  LOGIN_RATE: rate.or('60/1m', 'The same for logins.'),
  UPLOAD_RATE: rate.or(
    'off',
    'Entries that may be uploaded to one application, such as `10000/1m`, or `off`.',
  ),
  APPLICATION_QUOTA: integer(1, 1_000_000).or('1000', 'Applications one owner may have.'),
  JOB_QUOTA: integer(1, 100_000).or('100', 'Unfinished exports and imports one owner may have.'),
  STORED_EXPORT_QUOTA: integer(1, 100_000).or(
    '500',
    'Exports one owner may have that are kept: finished, failed and unfinished ones; streamed ones do not count.',
  ),
  ENTRY_QUOTA: kinds.quota.or(
    'off',
    'Entries that all applications of one owner may have together, such as `10000000`, or `off`.',
  ),
  BYTE_QUOTA: kinds.sizeQuota.or(
    'off',
    'What the payloads of these entries may be together, as BSON, before MongoDB compresses it, such as `100GiB`, or `off`.',
  ),
  BCRYPT_COST: integer(4, 15).or('12', 'Cost of a password hash (2^cost rounds).'),
  BODY_LIMIT: sizeUpTo('8MiB').or('1MiB', 'Largest body of an upload. At most 8MiB.'),
  BATCH_LIMIT: sizeUpTo('64MiB').or('16MiB', 'Largest body of a batch. At most 64MiB.'),
  BATCH_LINES: integer(1, 100_000).or('10000', 'Most lines of a batch.'),
  IMPORT_LIMIT: sizeUpTo('1TiB').or(
    '10GiB',
    'Largest body of an import as it comes; decompressed it may be 10 times as large. At most 1TiB.',
  ),
  IMPORT_QUOTA: sizeUpTo('1TiB').or(
    '20GiB',
    'What the unfinished and failed imports of one owner may hold in MongoDB, compressed, before more are refused. At most 1TiB.',
  ),
  REQUEST_TIMEOUT: duration.or('30s', 'Time a client has to send a whole request.'),
  MAX_CONNECTIONS: integer(10, 1_000_000).or(
    '5000',
    'Connections one API process holds. One more is closed at once, without an answer.',
  ),
  DRAIN_DELAY: duration.or(
    '0s',
    'After SIGTERM: how long to serve on, no longer ready, so that the proxy stops sending first.',
  ),
  CORS_ORIGINS: kinds.origins.or(
    '',
    'Origins whose pages may call the API, separated by commas; `*` for all. Empty: none.',
  ),
  EXPORT_WAIT: duration.or(
    '8s',
    'How long `GET …/export` waits for a worker to begin before it answers 503.',
  ),
  AUDIT_RETENTION: duration.or(
    '365d',
    'How long a record of the audit log is kept that is made from now on.',
  ),
};

export const ExportWorker = {
  EXPORT_CONCURRENCY: integer(1, 64).or('2', 'Exports one worker makes at once.'),
};

export const IngestWorker = {
  INGEST_CONCURRENCY: integer(1, 64).or('2', 'Jobs one ingest worker does at once.'),
};

export const Workers = {
  EXPORT_RETENTION: duration.or(
    '7d',
    'How long finished exports and imports are kept, with their files, and failed ones with what a retry needs.',
  ),
  HEALTH_PORT: integer(0, 65_535).or('0', 'Port on which a worker answers `GET /health/live`; 0: none.'),
};

export const Local = {
  DATA_DIR: kinds.text.or('.sluice', 'Where `npm start` keeps its data, logs and secret.'),
};

/** Groups in the order of the documentation, with who reads them. */
export const groups = [
  { title: 'All services', settings: Common },
  { title: 'API', settings: Api },
  { title: 'Export worker', settings: ExportWorker },
  { title: 'Ingest worker', settings: IngestWorker },
  { title: 'Both workers', settings: Workers },
  { title: '`npm start`', settings: Local },
];
