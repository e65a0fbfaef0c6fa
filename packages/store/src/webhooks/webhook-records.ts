import type { WebhookEvent } from '@sluice/shared/webhook-events.ts';
import type { SenderMeta } from '@sluice/tables/columns.ts';
import type { Binary, ObjectId } from 'mongodb';
import type { EntryId } from '../entries/entry-id.ts';

/** `disabled`: Sluice gave up, for `reason`. */
export type WebhookState = 'active' | 'paused' | 'disabled';

/** How many refused uploads within how many minutes are told. */
export interface Threshold {
  count: number;
  minutes: number;
}

export interface WebhookRecord {
  id: string;
  application: string;
  url: string;
  events: WebhookEvent[];
  name?: string;
  refusals?: Threshold;
  /** After how many minutes without an entry silence is told. */
  silence?: number;
  /** What its entries say of their senders. */
  meta?: SenderMeta[];
  state: WebhookState;
  reason?: string;
  /** When it is tried again, if the last try failed. */
  nextTryAt?: Date;
  createdAt: Date;
  /** Username. */
  createdBy: string;
  lastModifiedAt: Date;
}

export interface Progress {
  /** Of entries. */
  entries: EntryId;
  /** When the latest job ended that was told; before the first one, when jobs were first to be told. */
  jobsSince: Date;
  /** Jobs of about that time that were told, each with the time of its end. */
  jobsTold?: string[];
  /** Version of the schema. */
  version: number;
  /** Whether the threshold was reached at the last look. */
  isOver?: boolean;
  /** Begin of the last silence that was told: see `SourceRecord.sinceMs`. */
  toldSilence?: number | null;
  /** The archives and webhooks of which an alert told that they fail. */
  toldFailing?: string[];
}

/** A secret signs until `until`; the first one has no end. */
export interface Secret {
  secret: string;
  until?: Date;
}

/** A webhook that a worker has taken. Only the last fence may write. */
export interface TakenWebhook extends WebhookRecord {
  /** Since when each of its events is told. */
  since: { event: WebhookEvent; at: Date }[];
  fence: number;
  secrets: Secret[];
  progress: Progress;
  /** The owner of the application, when a worker saw it last. */
  owner: string;
  /** How often it was woken, and had news. */
  wakes: number;
  news: number;
}

export interface WebhookDocument extends Omit<TakenWebhook, 'id' | 'application' | 'owner'> {
  _id: ObjectId;
  application: ObjectId;
  owner: ObjectId;
  /** The last try failed. */
  isFailing?: true;
  /** When a worker looks next. */
  dueAt: Date;
  leaseUntil: Date;
  /** Deliveries of the last progress, which may not be placed yet. */
  made?: DeliveryDocument[];
}

export type DeliveryState = 'waiting' | 'delivered';

/** The last try of a delivery. `body`: the first KiB of the answer. */
export interface Attempt {
  at: Date;
  ms: number;
  status?: number;
  error?: string;
  body?: string;
}

export interface DeliveryRecord {
  id: string;
  type: WebhookEvent | 'ping';
  state: DeliveryState;
  attempts: number;
  createdAt: Date;
  last?: Attempt;
}

/** What to send. Entries are read again, so that each is stored once; they never change. */
export type Content = { entries: EntryId[] } | { data: Record<string, unknown> };

/** `ids`: the ids of the entries, in order and without a gap. */
export type StoredContent = { ids: Binary } | { data: Record<string, unknown> };

export interface DeliveryDocument extends Omit<DeliveryRecord, 'id'> {
  _id: ObjectId;
  webhook: ObjectId;
  application: ObjectId;
  content: StoredContent;
  /** Of the first try since it began to wait. */
  triedSince?: Date;
  /** When somebody asked for it again. */
  askedAt?: Date;
}

export const toWebhook = ({
  _id,
  application,
  url,
  events,
  name,
  refusals,
  silence,
  meta,
  state,
  reason,
  isFailing,
  dueAt,
  createdAt,
  createdBy,
  lastModifiedAt,
}: WebhookDocument): WebhookRecord => ({
  id: _id.toHexString(),
  application: application.toHexString(),
  url,
  events,
  ...(name !== undefined && { name }),
  ...(refusals && { refusals }),
  ...(silence !== undefined && { silence }),
  ...(meta && { meta }),
  state,
  ...(reason !== undefined && { reason }),
  ...(state === 'active' && isFailing && { nextTryAt: dueAt }),
  createdAt,
  createdBy,
  lastModifiedAt,
});

export const toDelivery = ({
  _id,
  webhook: _,
  application: __,
  content: ___,
  triedSince: ____,
  askedAt: _____,
  ...rest
}: DeliveryDocument): DeliveryRecord => ({ ...rest, id: _id.toHexString() });
