import type { AuditPlace } from '@sluice/store/accounts/audit.ts';
import { notACursor } from '../entries/cursor.ts';

const timeBytes = 6;
const idBytes = 12;

export function toCursor({ at, id }: AuditPlace): string {
  const bytes = Buffer.alloc(timeBytes + idBytes);
  bytes.writeUIntBE(at.getTime(), 0, timeBytes);
  bytes.write(id, timeBytes, 'hex');
  return bytes.toString('base64url');
}

/** Throws when it is none that `toCursor` made. */
export function fromCursor(cursor: string): AuditPlace {
  const bytes = Buffer.from(cursor, 'base64url');
  if (bytes.length !== timeBytes + idBytes || bytes.toString('base64url') !== cursor) throw notACursor();
  return { at: new Date(bytes.readUIntBE(0, timeBytes)), id: bytes.toString('hex', timeBytes) };
}
