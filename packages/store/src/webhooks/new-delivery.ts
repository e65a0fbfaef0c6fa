import type { WebhookEvent } from '@sluice/shared/webhook-events.ts';
import { Binary, ObjectId } from 'mongodb';
import { entryIdBytes } from '../entries/entry-id.ts';
import type { Content, DeliveryDocument, StoredContent, WebhookRecord } from './webhook-records.ts';

export interface NewDelivery {
  type: WebhookEvent | 'ping';
  content: Content;
}

const packed = (content: Content): StoredContent =>
  'data' in content ? content : { ids: new Binary(Buffer.from(content.entries.join(''), 'hex')) };

export function unpacked(content: StoredContent): Content {
  if ('data' in content) return content;
  const hex = content.ids.toString('hex');
  return { entries: hex.match(new RegExp(`.{${2 * entryIdBytes}}`, 'g')) ?? [] };
}

export const newDelivery = (
  { id, application }: Pick<WebhookRecord, 'id' | 'application'>,
  { type, content }: NewDelivery,
): DeliveryDocument => ({
  _id: new ObjectId(),
  webhook: new ObjectId(id),
  application: new ObjectId(application),
  type,
  content: packed(content),
  state: 'waiting',
  attempts: 0,
  createdAt: new Date(),
});

/** The update after which a delivery waits as if it had never been tried. */
export const waitsAgain = () => ({
  $set: { state: 'waiting' as const, attempts: 0, askedAt: new Date() },
  $unset: { triedSince: '' as const },
});
