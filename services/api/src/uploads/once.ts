import { createHash } from 'node:crypto';

/** 16 bytes that are the same for every retry. Uploads and batches have keys of their own. */
export function onceFor(kind: 'upload' | 'batch', applicationId: string, key: string): Buffer {
  return shortHash(`${kind}\0${applicationId}\0${key}`);
}

/** What one line of a batch has in place of a key. */
export function onceForLine(ofBatch: Buffer, line: number): Buffer {
  return shortHash(`${ofBatch.toString('hex')}\0${line}`);
}

const shortHash = (text: string) => createHash('sha256').update(text).digest().subarray(0, 16);
