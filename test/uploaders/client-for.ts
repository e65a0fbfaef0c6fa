import { about, makeClient } from '@sluice/clients/client.ts';
import type { Client, Language } from './language.ts';

/** The client that a user of the application downloads. */
export function clientFor(language: Language['name'], domain: string, schema: object): Client {
  const rawSchema = JSON.stringify(schema);
  const { file } = about(language);
  return { file, text: makeClient({ language, domain, rawSchema, version: 1 }) };
}
