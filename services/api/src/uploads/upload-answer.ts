const end = Buffer.from('}}');

/**
 * The answer to an upload, with the payload as it was sent: it was read as JSON in which nothing could be taken
 * two ways, so these bytes are the same value, and nothing is serialised again.
 */
export function uploadAnswer(domain: string, body: Buffer): Buffer {
  const begin = Buffer.from(`{"success":true,"status":201,"data":{"domain":"${domain}","payload":`);
  const hasByteOrderMark = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf;
  return Buffer.concat([begin, hasByteOrderMark ? body.subarray(3) : body, end]);
}
