import Type, { type Static } from 'typebox';

/** Every environment variable, declared once. The table in docs/operations.md is made from this file. */
export const Common = Type.Object({
  NODE_ENV: Type.Enum(['development', 'production', 'test'], {
    default: 'development',
    description: '`production` refuses weak settings at start.',
  }),
  LOG_LEVEL: Type.Enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
    default: 'info',
    description: 'Least severe level that is logged.',
  }),
  LOG_PRETTY: Type.String({
    format: 'flag',
    default: 'off',
    description: 'Readable logs instead of JSON lines.',
  }),
  MONGODB_URL: Type.String({
    format: 'mongodb-url',
    description:
      'MongoDB replica set, as a connection string. The database is its path, `sluice` when it has none.',
  }),
  REDIS_URL: Type.String({ format: 'redis-url', description: 'Redis or Valkey, `redis://` or `rediss://`.' }),
  REDIS_PREFIX: Type.String({
    pattern: '^[A-Za-z0-9_-]{1,40}$',
    default: 'sluice',
    description: 'Begins every Redis key, so that several installations can share one Redis.',
  }),
  MONGODB_TIMEOUT: Type.String({
    format: 'duration-words',
    default: '10s',
    description: 'Time limit of one MongoDB operation, server selection included.',
  }),
  REDIS_TIMEOUT: Type.String({
    format: 'duration-words',
    default: '1s',
    description:
      'How long a request waits for Redis. Then rate limits count in the process itself, and exports and imports are answered 503.',
  }),
  SHUTDOWN_TIMEOUT: Type.String({
    format: 'duration-words',
    default: '20s',
    description:
      'After SIGTERM the process ends by then, finished or not. Keep it below the grace period of the container.',
  }),
});

export const Api = Type.Object({
  HOST: Type.String({ minLength: 1, default: '127.0.0.1', description: 'Address the API listens on.' }),
  PORT: Type.Integer({
    minimum: 0,
    maximum: 65_535,
    default: 4000,
    description: 'Port the API listens on; 0 picks a free one.',
  }),
  REUSE_PORT: Type.String({
    format: 'flag',
    default: 'off',
    description:
      'Several processes on one machine listen on the same port, and the system spreads connections.',
  }),
  JWT_SECRET: Type.String({
    minLength: 1,
    description:
      'Signs the tokens. At least 32 bytes in production. Several, separated by commas: the first signs, all verify.',
  }),
  JWT_TOKEN_DURATION: Type.String({
    format: 'duration-words',
    default: '12h',
    description: 'How long a token is valid.',
  }),
  REGISTRATION_OPEN: Type.String({
    format: 'flag',
    default: 'off',
    description: 'Whether anyone who reaches the API may register.',
  }),
  TRUST_PROXY: Type.String({
    format: 'proxy-trust',
    default: 'off',
    description:
      "Whose `X-Forwarded-For` tells a client's address: `off`, the number of proxies in front, or their addresses and networks, separated by commas (also `loopback`, `linklocal`, `uniquelocal`). Compose sets 1, for its HAProxy.",
  }),
  REGISTER_RATE: Type.String({
    format: 'rate',
    default: '20/1h',
    description:
      'Registrations one address may ask for, `<count>/<duration>`, or `off`. `npm start` on a loopback address: `off`.',
  }),
  LOGIN_RATE: Type.String({
    format: 'rate',
    default: '60/1m',
    description: 'The same for logins.',
  }),
  UPLOAD_RATE: Type.String({
    format: 'rate',
    default: 'off',
    description: 'Entries that may be uploaded to one application, such as `10000/1m`, or `off`.',
  }),
  APPLICATION_QUOTA: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 1_000,
    description: 'Applications one owner may have.',
  }),
  JOB_QUOTA: Type.Integer({
    minimum: 1,
    maximum: 100_000,
    default: 100,
    description: 'Unfinished exports and imports one owner may have.',
  }),
  STORED_EXPORT_QUOTA: Type.Integer({
    minimum: 1,
    maximum: 100_000,
    default: 500,
    description:
      'Exports one owner may have that are kept: finished, failed and unfinished ones; streamed ones do not count.',
  }),
  ENTRY_QUOTA: Type.String({
    format: 'quota',
    default: 'off',
    description:
      'Entries that all applications of one owner may have together, such as `10000000`, or `off`.',
  }),
  BYTE_QUOTA: Type.String({
    format: 'size-quota',
    default: 'off',
    description:
      'What the payloads of these entries may be together, as BSON, before MongoDB compresses it, such as `100GiB`, or `off`.',
  }),
  BCRYPT_COST: Type.Integer({
    minimum: 4,
    maximum: 15,
    default: 12,
    description: 'Cost of a password hash (2^cost rounds).',
  }),
  BODY_LIMIT: Type.String({
    format: 'size',
    default: '1MiB',
    description: 'Largest body of an upload. At most 8MiB.',
  }),
  BATCH_LIMIT: Type.String({
    format: 'batch-size',
    default: '16MiB',
    description: 'Largest body of a batch. At most 64MiB.',
  }),
  BATCH_LINES: Type.Integer({
    minimum: 1,
    maximum: 100_000,
    default: 10_000,
    description: 'Most lines of a batch.',
  }),
  IMPORT_LIMIT: Type.String({
    format: 'import-size',
    default: '10GiB',
    description:
      'Largest body of an import as it comes; decompressed it may be 10 times as large. At most 1TiB.',
  }),
  IMPORT_QUOTA: Type.String({
    format: 'import-size',
    default: '20GiB',
    description:
      'What the unfinished and failed imports of one owner may hold in MongoDB, compressed, before more are refused. At most 1TiB.',
  }),
  SCHEMA_CACHE_SIZE: Type.Integer({
    minimum: 1,
    maximum: 100_000,
    default: 5_000,
    description: 'Compiled schemas kept in memory by one API process.',
  }),
  REQUEST_TIMEOUT: Type.String({
    format: 'duration-words',
    default: '30s',
    description: 'Time a client has to send a whole request.',
  }),
  MAX_CONNECTIONS: Type.Integer({
    minimum: 10,
    maximum: 1_000_000,
    default: 5_000,
    description: 'Connections one API process holds. One more is closed at once, without an answer.',
  }),
  DRAIN_DELAY: Type.String({
    format: 'duration-words',
    default: '0s',
    description:
      'After SIGTERM: how long to serve on, no longer ready, so that the proxy stops sending first.',
  }),
  CORS_ORIGINS: Type.String({
    default: '',
    description: 'Origins whose pages may call the API, separated by commas; `*` for all. Empty: none.',
  }),
  EXPORT_WAIT: Type.String({
    format: 'duration-words',
    default: '8s',
    description: 'How long `GET …/export` waits for a worker to begin before it answers 503.',
  }),
  AUDIT_RETENTION: Type.String({
    format: 'duration-words',
    default: '365d',
    description: 'How long a record of the audit log is kept that is made from now on.',
  }),
});

export const ExportWorker = Type.Object({
  EXPORT_CONCURRENCY: Type.Integer({
    minimum: 1,
    maximum: 64,
    default: 2,
    description: 'Exports one worker makes at once.',
  }),
});

export const IngestWorker = Type.Object({
  INGEST_CONCURRENCY: Type.Integer({
    minimum: 1,
    maximum: 64,
    default: 2,
    description: 'Jobs one ingest worker does at once.',
  }),
});

export const Workers = Type.Object({
  EXPORT_RETENTION: Type.String({
    format: 'duration-words',
    default: '7d',
    description:
      'How long finished exports and imports are kept, with their files, and failed ones with what a retry needs.',
  }),
  HEALTH_PORT: Type.Integer({
    minimum: 0,
    maximum: 65_535,
    default: 0,
    description: 'Port on which a worker answers `GET /health/live`; 0: none.',
  }),
});

export const Local = Type.Object({
  DATA_DIR: Type.String({
    minLength: 1,
    default: '.sluice',
    description: 'Where `npm start` keeps its data, logs and secret.',
  }),
  MONGOD_BINARY: Type.Optional(
    Type.String({ description: 'The mongod that `npm start` and the tests run.' }),
  ),
  REDIS_BINARY: Type.Optional(
    Type.String({ description: 'The redis-server or valkey-server that `npm start` and the tests run.' }),
  ),
  MONGO_IMAGE: Type.String({
    default: 'mongo:8',
    description: 'Image for compose, the tests, and `npm start` where no mongod is found.',
  }),
  REDIS_IMAGE: Type.String({ default: 'redis:8', description: 'The same for Redis.' }),
  XDG_CACHE_HOME: Type.Optional(
    Type.String({ description: 'Where downloaded servers are kept, in `sluice`; `~/.cache` when not set.' }),
  ),
});

/** Groups in the order of the documentation, with who reads them. */
export const groups = [
  { title: 'All services', schema: Common },
  { title: 'API', schema: Api },
  { title: 'Export worker', schema: ExportWorker },
  { title: 'Ingest worker', schema: IngestWorker },
  { title: 'Both workers', schema: Workers },
  { title: '`npm start`', schema: Local },
];

export type Common = Static<typeof Common>;
export type Api = Static<typeof Api>;
export type ExportWorker = Static<typeof ExportWorker>;
export type IngestWorker = Static<typeof IngestWorker>;
export type Workers = Static<typeof Workers>;
export type Local = Static<typeof Local>;
