import { parseExactJson } from '@sluice/json/parse-json.ts';

export type Schema = Record<string, unknown>;

/** The text of a schema that was checked. */
export const parseSchema = (raw: string) => parseExactJson(raw) as Schema;
