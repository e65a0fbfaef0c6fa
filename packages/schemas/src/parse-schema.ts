import { parseExactJson } from '@sluice/json/parse-json.ts';

/** The text of a schema that was checked. */
export const parseSchema = (raw: string) => parseExactJson(raw) as Record<string, unknown>;
