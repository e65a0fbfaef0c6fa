/**
 * The answer to an upload, with the payload as it was sent: it was read as JSON in which nothing could be taken
 * two ways, so this text is the same value, and nothing is serialised again.
 */
export const uploadAnswer = (domain: string, payload: string) =>
  `{"success":true,"status":201,"data":{"domain":"${domain}","payload":${payload}}}`;
