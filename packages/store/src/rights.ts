import type { Document } from 'mongodb';

export const unauthorized = 13;

/** Some users may not ask everything: then nothing is known. */
export function ifAllowed(error: { code?: unknown }): Document {
  if (error.code !== unauthorized) throw error;
  return {};
}
