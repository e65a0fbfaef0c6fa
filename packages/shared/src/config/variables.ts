import * as kinds from './kinds.ts';

const { duration, flag, integer, rate, secret, sizeUpTo } = kinds;

/** Every environment variable, declared once. The table in docs/reference.md is made from this file. */
export const Common = {
  NODE_ENV: kinds
    .choice('development', 'production', 'test')
    .or('development', '`production` refuses weak settings at start.'),
  LOG_LEVEL: kinds
    .choice('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent')
    .or('info', 'Lowest level that is logged.'),
  MONGODB_URL: secret(
    kinds.mongodbUrl.required(
      'Connection string of a MongoDB replica set. The path names the database; default `sluice`.',
    ),
  ),
  REDIS_URL: secret(kinds.redisUrl.required('Redis or Valkey, `redis://` or `rediss://`.')),
  REDIS_PREFIX: kinds.redisPrefix.or(
    'sluice',
    'Prefix of all Redis keys, so that several installations can share one Redis.',
  ),
  MONGODB_TIMEOUT: duration('1s', '1h').or(
    '10s',
    'Time limit of one MongoDB operation, server selection included.',
  ),
  REDIS_TIMEOUT: duration('1s', '1h').or(
    '1s',
    'How long a request waits for Redis. After that each process counts rates by itself; exports and imports get 503.',
  ),
  SHUTDOWN_TIMEOUT: duration('1s', '1h').or(
    '20s',
    'How long a process may take to stop after SIGTERM. Keep it below the grace period of the container.',
  ),
  MONITORING_PORT: integer(0, 65_535).or(
    '0',
    'Port on which each process answers `GET /metrics` and `GET /health/live`, on all addresses; 0 for none. Compose sets 9464; `npm start` ignores it.',
  ),
  METRICS_TOKEN: secret(
    kinds.token.optional(
      'Token that `GET /metrics` requires as `Authorization: Bearer`, at least 16 characters. If it is set, the API also answers on `PORT`.',
    ),
  ),
};

export const Api = {
  OUTBOUND_ALLOW: kinds.allowed.or(
    'none',
    'Names, addresses and networks that webhooks, imports from a URL and archives may reach although they are private, by commas, such as `hooks.internal,10.0.0.0/8`. Its old name `WEBHOOK_ALLOW` is read too.',
  ),
  SECRETS_KEY: secret(
    kinds.secrets.optional(
      'Encrypts the keys of buckets and the secrets of second factors in MongoDB; at least 32 bytes in production. It can be a list, separated by commas: the first encrypts, all decrypt. Without it archives go into no bucket, and nobody can set up a second factor. Export workers read it too.',
    ),
  ),
  SECOND_FACTOR: kinds
    .choice('optional', 'required')
    .or(
      'optional',
      '`required`: whoever signs in with a password must have a [second factor](sign-in.md#a-second-factor), and sets it up at the next sign-in. Needs `SECRETS_KEY`.',
    ),
  ARCHIVE_FOLDER: kinds.folder.optional(
    'Where archives without a bucket and files for questions are: a folder, or a [bucket](operations.md#files-for-questions-in-a-bucket) such as `s3://lake/sluice?region=eu-central-1`. Export workers and query workers read it too, and need the same.',
  ),
  HOST: kinds.text.or('127.0.0.1', 'Address the API listens on.'),
  PORT: integer(0, 65_535).or('4000', 'Port the API listens on; 0 picks a free one.'),
  PUBLIC_URL: kinds.origin.optional(
    'Address of Sluice in browsers, such as `https://sluice.example`. Links to the console begin with it.',
  ),
  OIDC_ISSUER: kinds.httpUrl.optional(
    'Address of an OpenID provider through which people [sign in](single-sign-on.md), such as `https://id.example/realms/main`. It needs `PUBLIC_URL`.',
  ),
  OIDC_CLIENT_ID: kinds.text.optional('Name of Sluice at the provider.'),
  OIDC_CLIENT_SECRET: secret(kinds.text.optional('Its secret there.')),
  OIDC_NAME: kinds.text.or('single sign-on', 'Name of the provider on the button of the sign-in page.'),
  OIDC_GROUPS: kinds.names.optional(
    'Groups of the provider, by commas. Only their members may enter. Without it everyone may whom the provider lets in.',
  ),
  PASSWORD_LOGIN: flag.or(
    'on',
    'Whether people may sign in with passwords. `off` leaves the provider and tokens.',
  ),
  MAIL_FROM: kinds.mailbox.optional(
    'Sender of mails, such as `Sluice <sluice@example.com>`. Without it there are no mails. It needs `PUBLIC_URL`. Ingest workers read both too.',
  ),
  JWT_SECRET: secret(
    kinds.secrets.required(
      'Signs tokens; at least 32 bytes in production. It can be a list, separated by commas: the first signs, all verify.',
    ),
  ),
  JWT_TOKEN_DURATION: duration('1s', '3650d').or(
    '12h',
    'How long a token, or the sign-in of a browser, is valid.',
  ),
  REGISTRATION_OPEN: flag.or('off', 'Whether anyone who reaches the API may register.'),
  USERS_VISIBLE: flag.or(
    'on',
    'Whether the list of users has everyone, or only users who share an application with the caller.',
  ),
  TRUST_PROXY: kinds.trust.or(
    'off',
    'Proxies whose `X-Forwarded-For` is believed: `off`, their number, or a list of addresses, networks, `loopback`, `linklocal` and `uniquelocal`. Compose sets 1, for its HAProxy.',
  ),
  REGISTER_RATE: rate.or(
    '20/1h',
    'Registrations per address, as `<count>/<duration>`, or `off`. `npm start` on a loopback address sets `off`.',
  ),
  LOGIN_RATE: rate.or(
    '60/1m',
    'Logins per address, in the same form. `npm start` on a loopback address sets `off`.',
  ),
  UPLOAD_RATE: rate.or('off', 'Uploaded entries per application, such as `10000/1m`, or `off`.'),
  APPLICATION_QUOTA: integer(1, 1_000_000).or('1000', 'Applications per owner.'),
  JOB_QUOTA: integer(1, 100_000).or('100', 'Unfinished exports and imports per owner.'),
  ENTRY_QUOTA: kinds.quota.or(
    'off',
    'Entries per owner in all applications together, such as `10000000`, or `off`.',
  ),
  BYTE_QUOTA: kinds.sizeQuota.or(
    'off',
    'Bytes of payloads per owner, as BSON before compression, such as `100GiB`, or `off`.',
  ),
  BCRYPT_COST: integer(4, 15).or('12', 'Cost of a password hash (2^cost rounds).'),
  BODY_LIMIT: sizeUpTo('8MiB').or('1MiB', 'Largest upload, at most 8MiB.'),
  BATCH_LIMIT: sizeUpTo('64MiB').or('16MiB', 'Largest batch, at most 64MiB.'),
  IMPORT_LIMIT: sizeUpTo('1TiB').or(
    '10GiB',
    'Largest import as it is sent, at most 1TiB. Decompressed it may be 10 times as large.',
  ),
  IMPORT_QUOTA: sizeUpTo('1TiB').or(
    '20GiB',
    'Bytes that unfinished and failed imports of one owner may take in MongoDB, compressed, at most 1TiB.',
  ),
  REQUEST_TIMEOUT: duration('1s', '1d').or('30s', 'Time a client has to send a whole request.'),
  MAX_CONNECTIONS: integer(10, 1_000_000).or(
    '5000',
    'Connections per API process. More are closed without an answer.',
  ),
  DRAIN_DELAY: duration('0s', '1h').or(
    '0s',
    'How long an API keeps serving after SIGTERM, so that the proxy sees that it is not ready. It must be shorter than `SHUTDOWN_TIMEOUT`.',
  ),
  QUERY_URL: kinds.httpUrl.optional(
    'Address of query workers, such as `http://query-worker:4100`. Without it questions get 503.',
  ),
  CONSOLE: flag.or('on', 'Whether the API serves the console, the pages for browsers, at `/`.'),
  CORS_ORIGINS: kinds.origins.or(
    '',
    'Origins whose web pages may call the API, separated by commas; `*` for all.',
  ),
  AUDIT_RETENTION: duration('0s', '3650d').or(
    '365d',
    'How long new records of the audit log are kept. Ingest workers read it too.',
  ),
  DELETION_GRACE: duration('0s', '3650d').or(
    '7d',
    'How long the owner of a deleted application can restore it; then it is purged. 0: it is purged at once.',
  ),
};

export const Workers = {
  WORKER_CONCURRENCY: integer(1, 64).or(
    '2',
    'Jobs that one worker does at once. One purge runs beside those of an ingest worker.',
  ),
  EXPORT_RETENTION: duration('0s', '3650d').or(
    '7d',
    'How long exports and imports are kept after they end, with their files.',
  ),
};

export const Mail = {
  SMTP_URL: secret(
    kinds.smtpUrl.optional(
      'Server that takes mails, such as `smtps://user:password@smtp.example.com`. It needs `MAIL_FROM`.',
    ),
  ),
};

/** Of ARCHIVE_FOLDER. */
export const ArchiveKey = {
  ARCHIVE_ACCESS_KEY_ID: kinds.text.optional(
    'Access key id of the bucket in `ARCHIVE_FOLDER`, which may list, read, write and delete objects there.',
  ),
  ARCHIVE_SECRET_ACCESS_KEY: secret(kinds.text.optional('Its secret access key.')),
};

export const Query = {
  QUERY_HOST: kinds.text.or('127.0.0.1', 'Address a query worker listens on, for APIs alone.'),
  QUERY_PORT: integer(0, 65_535).or('4100', 'Port a query worker listens on; 0 picks a free one.'),
  QUERY_COPIES: sizeUpTo('1TiB').or(
    '10GiB',
    'Room in the folder of temporary files for copies of what `ARCHIVE_FOLDER` has, if that is a bucket.',
  ),
};

const { ARCHIVE_FOLDER, AUDIT_RETENTION, JWT_SECRET, MAIL_FROM, OUTBOUND_ALLOW, PUBLIC_URL, SECRETS_KEY } =
  Api;
export const IngestWorker = {
  ...Common,
  ...Workers,
  AUDIT_RETENTION,
  OUTBOUND_ALLOW,
  ...Mail,
  MAIL_FROM,
  PUBLIC_URL,
};
export const ExportWorker = {
  ...Common,
  ...Workers,
  OUTBOUND_ALLOW,
  SECRETS_KEY,
  ARCHIVE_FOLDER,
  ...ArchiveKey,
};

export const QueryWorker = {
  ...Common,
  ...Query,
  JWT_SECRET,
  ARCHIVE_FOLDER: kinds.folder.required('Place of files for questions.'),
  ...ArchiveKey,
};

export const Local = {
  DATA_DIR: kinds.text.or('.sluice', 'Where `npm start` keeps its data, logs and secret.'),
};

/** Groups in the order of the documentation, with who reads them. */
export const groups = [
  { title: 'All services', settings: Common },
  { title: 'API', settings: Api },
  { title: 'Workers', settings: Workers },
  { title: 'Ingest workers', settings: Mail },
  { title: 'Export workers and query workers', settings: ArchiveKey },
  { title: 'Query workers', settings: Query },
  { title: '`npm start`', settings: Local },
];
