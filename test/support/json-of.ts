/** A payload as it comes from a client. */
export const jsonOf = (payload: object): Buffer => Buffer.from(JSON.stringify(payload));
