import { readPayload } from '@sluice/bson/read-payload.ts';

/** A payload as the reader of uploads passes it on. */
export function payloadOf(payload: object | string): { json: Buffer; bson: Buffer } {
  const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
  const reading = readPayload(Buffer.from(text));
  if (!reading.ok || !reading.bson) throw new TypeError('not a payload');
  const { json, bson } = reading;
  return { json, bson };
}
