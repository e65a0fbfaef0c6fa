/** Every limit on what clients ask for, by its kind. `npm run docs:config` prints these tables in docs/operations.md. */
const mib = 1024 ** 2;
const hour = 3_600;

/** One client may take this part of a capacity. */
export const sharePerClient = 3 / 4;

export interface CapacityLimit {
  /** What is in hand. */
  what: string;
  limit: number;
  unit?: 'bytes';
  client: 'address' | 'application' | 'owner';
  /** What has waited longer when its turn comes is refused: its client has given up, or soon will. */
  waitMs?: number;
  retryAfterSeconds: number;
  /** Ends the message of a refusal. */
  advice: string;
  /** Only for the documentation. */
  note?: string;
}

const stored = 'nothing was stored';

/** An upload that waits counts at least this: small ones take memory too. */
export const uploadBytes = 8 * 1024;
/** A page counts at least this, from the request to the end of its answer. */
export const pageBytes = 128 * 1024;

/** How much one API process has in hand. */
export const capacities = {
  uploads: {
    what: 'uploads',
    limit: 32 * mib,
    unit: 'bytes',
    client: 'application',
    waitMs: 5_000,
    retryAfterSeconds: 1,
    advice: stored,
    note: 'that wait to be stored; one counts at least 8 KiB, so there are at most 4,096',
  },
  largeUploads: {
    what: 'large uploads',
    limit: 128 * mib,
    unit: 'bytes',
    client: 'owner',
    waitMs: 5_000,
    retryAfterSeconds: 1,
    advice: stored,
    note: 'over 128 KiB, or over 16 KiB with more than 1,500 names or 6,000 values, or over 20,000 steps of validation',
  },
  batches: {
    what: 'batches',
    limit: 128 * mib,
    unit: 'bytes',
    client: 'address',
    retryAfterSeconds: 1,
    advice: stored,
  },
  imports: {
    what: 'imports',
    limit: 32,
    client: 'owner',
    retryAfterSeconds: 5,
    advice: stored,
    note: 'while their files arrive',
  },
  schemas: {
    what: 'schemas',
    limit: 256,
    client: 'owner',
    retryAfterSeconds: 1,
    advice: 'nothing was compiled',
    note: 'to compile',
  },
  passwords: {
    what: 'passwords',
    limit: 64,
    client: 'address',
    retryAfterSeconds: 2,
    advice: 'none was looked at',
    note: 'of logins, registrations and changes, to hash',
  },
  pages: {
    what: 'pages of entries',
    limit: 128 * mib,
    unit: 'bytes',
    client: 'owner',
    retryAfterSeconds: 1,
    advice: 'read one to its end first',
    note: 'as they are stored; one counts at least 128 KiB, so there are at most 1,024',
  },
  pageReads: {
    what: 'pages read from MongoDB',
    limit: 12,
    client: 'owner',
    waitMs: 10_000,
    retryAfterSeconds: 1,
    advice: 'ask for smaller ones, or for one after the other',
  },
  lists: {
    what: 'lists of applications',
    limit: 128 * mib,
    unit: 'bytes',
    client: 'owner',
    retryAfterSeconds: 1,
    advice: 'read one to its end first',
    note: 'each at most 1.5 MiB where no application is over 256 KiB',
  },
  listParts: {
    what: 'parts of these lists that are written',
    limit: 1,
    client: 'owner',
    waitMs: Number.POSITIVE_INFINITY,
    retryAfterSeconds: 1,
    advice: '',
  },
  downloads: {
    what: 'downloads',
    limit: 384 * mib,
    unit: 'bytes',
    client: 'owner',
    retryAfterSeconds: 5,
    advice: 'end one first',
    note: 'a file counts as its size, at most as three of its parts (some 3 MiB each), a streamed export as 12 MiB',
  },
  followers: {
    what: 'followed jobs',
    limit: 256,
    client: 'owner',
    retryAfterSeconds: 5,
    advice: 'end one first, or ask for the job instead',
    note: '`…/events`',
  },
} satisfies Record<string, CapacityLimit>;

export type CapacityName = keyof typeof capacities;

/** How often. Those with a setting have their numbers from there. */
export const rates = {
  registrations: { what: 'registrations', client: 'address', setting: 'REGISTER_RATE' },
  logins: { what: 'logins', client: 'address', setting: 'LOGIN_RATE' },
  uploads: { what: 'uploaded entries', client: 'application', setting: 'UPLOAD_RATE' },
  /** Beyond the count there is a wait, twice as long each time. */
  wrongPasswords: {
    what: 'wrong passwords for one user',
    client: 'address',
    count: 5,
    seconds: hour,
    longestWaitSeconds: 900,
  },
  /** From all addresses that are not known for this long. */
  wrongPasswordsOfUser: {
    what: 'wrong passwords',
    client: 'user',
    count: 100,
    seconds: hour,
    knownSeconds: 21 * 24 * hour,
  },
} as const;

interface QuotaLimit {
  what: string;
  /** Begins the message of a refusal. */
  who: 'you have' | 'this application has' | 'the owner of this application has';
  /** Where the operator sets it, or what it is. */
  limit: { setting: string } | { count: number };
  advice: string;
}

/** How much is kept. */
export const quotas = {
  applications: {
    what: 'applications',
    who: 'you have',
    limit: { setting: 'APPLICATION_QUOTA' },
    advice: 'delete one',
  },
  keys: { what: 'ingest keys', who: 'this application has', limit: { count: 100 }, advice: 'revoke one' },
  jobs: {
    what: 'unfinished exports and imports',
    who: 'you have',
    limit: { setting: 'JOB_QUOTA' },
    advice: 'wait for one or delete one',
  },
  storedExports: {
    what: 'stored exports',
    who: 'you have',
    limit: { setting: 'STORED_EXPORT_QUOTA' },
    advice: 'delete one, wait until one expires, or stream the export',
  },
  importBytes: {
    what: 'bytes of unfinished and failed imports',
    who: 'you have',
    limit: { setting: 'IMPORT_QUOTA' },
    advice: 'wait for one or delete one',
  },
  entries: {
    what: 'entries',
    who: 'the owner of this application has',
    limit: { setting: 'ENTRY_QUOTA' },
    advice: 'delete an application',
  },
  bytes: {
    what: 'bytes of payloads',
    who: 'the owner of this application has',
    limit: { setting: 'BYTE_QUOTA' },
    advice: 'delete an application',
  },
} satisfies Record<string, QuotaLimit>;

export type QuotaName = keyof typeof quotas;
