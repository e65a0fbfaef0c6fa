/** Every rate, quota and capacity. Sizes of bodies are settings. `npm run docs:config` prints it in docs/reference.md, with the notes. */
const mib = 1024 ** 2;
const hour = 3_600;

type Client = 'address' | 'application' | 'e-mail' | 'key' | 'owner' | 'user' | 'webhook';

/** One client may take this part of a capacity. */
export const sharePerClient = 3 / 4;
/** The `Retry-After` of a capacity. */
export const retryAfterSeconds = 2;

export interface CapacityLimit {
  what: string;
  client: Client;
  /** Bytes where it is a MiB and more. */
  limit: number;
  /** After a longer wait, work is refused when its turn comes: its client has given up, or soon will. */
  waitMs?: number;
  note?: string;
}

/** A waiting upload counts at least this: small ones take memory too. */
export const uploadBytes = 8 * 1024;
/** As objects and as JSON, a page takes so many times the bytes of its BSON. */
const pageWeight = 3;
/** A page counts at least this, from the request to the end of its answer. */
export const pageBytes = pageWeight * 128 * 1024;
export const weighPage = (bsonBytes: number) => pageWeight * bsonBytes;

const largeNote = 'over 128 KiB, or many values, or many steps of validation';

/** How much one API process works on at once. */
export const capacities = {
  uploads: {
    what: 'uploads',
    client: 'owner',
    limit: 32 * mib,
    waitMs: 5_000,
    note: 'waiting to be stored; each counts at least 8 KiB',
  },
  largeUploads: { what: 'large uploads', client: 'owner', limit: 128 * mib, waitMs: 5_000, note: largeNote },
  batches: { what: 'batches', client: 'address', limit: 128 * mib },
  imports: { what: 'imports', client: 'owner', limit: 32, note: 'while the file arrives' },
  schemas: { what: 'schemas', client: 'owner', limit: 256, note: 'being compiled' },
  dryRuns: {
    what: 'dry runs of schemas and replays',
    client: 'owner',
    limit: 1,
    waitMs: 10_000,
    note: 'while they validate entries or refused uploads; the others wait',
  },
  passwords: { what: 'passwords', client: 'address', limit: 64, note: 'being hashed or compared' },
  answers: {
    what: 'pages, lists and downloads',
    client: 'owner',
    limit: 384 * mib,
    note: 'while they are read and sent; see below',
  },
  pageReads: { what: 'pages read from MongoDB', client: 'owner', limit: 12, waitMs: 10_000 },
  listParts: {
    what: 'parts of lists of applications',
    client: 'owner',
    limit: 1,
    note: 'read one at a time; the others wait',
  },
  followers: { what: 'followers', client: 'owner', limit: 256, note: '`…/events` and `…/data/live`' },
} satisfies Record<string, CapacityLimit>;

export type CapacityName = keyof typeof capacities;

/** How often. A name in capitals is a setting, `upload_rate` is set for each key. */
export const rates = {
  registrations: { what: 'registrations', client: 'address', limit: 'REGISTER_RATE', note: '' },
  logins: { what: 'logins', client: 'address', limit: 'LOGIN_RATE', note: '' },
  uploads: { what: 'uploaded entries', client: 'application', limit: 'UPLOAD_RATE', note: '' },
  uploadsOfKey: { what: 'uploaded entries', client: 'key', limit: 'upload_rate', note: '' },
  wrongPasswords: {
    what: 'wrong passwords or codes for one user',
    client: 'address',
    limit: 5,
    seconds: hour,
    longestWaitSeconds: 900,
    note: 'then a wait of 1 s, which doubles each time up to 15 min',
  },
  wrongPasswordsOfUser: {
    what: 'wrong passwords or codes',
    client: 'user',
    limit: 100,
    seconds: hour,
    knownSeconds: 21 * 24 * hour,
    note: 'from addresses without a login of that user in three weeks',
  },
} as const;

interface QuotaLimit {
  what: string;
  client: Client;
  limit: string | number;
  /** What the client can do. */
  advice: string;
}

export const quotas = {
  applications: { what: 'applications', client: 'owner', limit: 'APPLICATION_QUOTA', advice: 'delete one' },
  keys: { what: 'ingest keys', client: 'application', limit: 100, advice: 'revoke one' },
  members: { what: 'members', client: 'application', limit: 100, advice: 'remove one' },
  tokens: { what: 'personal tokens', client: 'user', limit: 100, advice: 'revoke one' },
  confirmations: {
    what: 'e-mail addresses to confirm per hour',
    client: 'user',
    limit: 5,
    advice: 'wait an hour',
  },
  confirmationsOfEmail: {
    what: 'mails that confirm it per hour',
    client: 'e-mail',
    limit: 3,
    advice: 'wait an hour',
  },
  webhooks: { what: 'webhooks', client: 'application', limit: 10, advice: 'delete one' },
  archives: { what: 'archives', client: 'application', limit: 3, advice: 'delete one' },
  questions: { what: 'saved questions', client: 'application', limit: 100, advice: 'delete one' },
  views: { what: 'shared views', client: 'application', limit: 100, advice: 'delete one' },
  privateViews: { what: 'private views of an application', client: 'user', limit: 100, advice: 'delete one' },
  secrets: {
    what: 'secrets that sign',
    client: 'webhook',
    limit: 50,
    advice: 'wait until one ends, 24 hours after its rotation',
  },
  versions: {
    what: 'versions of its schema',
    client: 'application',
    limit: 200,
    advice: 'create an application',
  },
  jobs: { what: 'unfinished jobs', client: 'owner', limit: 'JOB_QUOTA', advice: 'delete one' },
  storedExports: {
    what: 'stored exports',
    client: 'owner',
    limit: 500,
    advice: 'delete one, wait until one expires, or stream the export',
  },
  importBytes: {
    what: 'bytes of unfinished and failed imports',
    client: 'owner',
    limit: 'IMPORT_QUOTA',
    advice: 'delete one',
  },
  entries: { what: 'entries', client: 'owner', limit: 'ENTRY_QUOTA', advice: 'delete some' },
  bytes: { what: 'bytes of payloads', client: 'owner', limit: 'BYTE_QUOTA', advice: 'delete entries' },
} as const satisfies Record<string, QuotaLimit>;

export type QuotaName = keyof typeof quotas;

/** Lines of a batch, without blank ones. */
export const batchLines = 10_000;
