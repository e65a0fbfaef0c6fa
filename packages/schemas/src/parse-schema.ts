import { parseJson } from '@sluice/json/parse-json.ts';

/** The text of a schema that was checked. */
export const parseSchema = (raw: string) => parseJson(raw) as Record<string, unknown>;
