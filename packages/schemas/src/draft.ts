/** Oldest first. */
export const drafts = ['04', '06', '07', '2019-09', '2020-12'] as const;

export type Draft = (typeof drafts)[number];

const modern = /^https?:\/\/json-schema\.org\/draft\/(2020-12|2019-09)\/schema#?$/;
/** Some generators write this URI, which names no draft. */
const any = /^https?:\/\/json-schema\.org\/schema#?$/;
const classic = /^https?:\/\/json-schema\.org\/draft-(07|06|04)\/schema#?$/;

export const metaSchemaUris: Record<Draft, string> = {
  '2020-12': 'https://json-schema.org/draft/2020-12/schema',
  '2019-09': 'https://json-schema.org/draft/2019-09/schema',
  '07': 'http://json-schema.org/draft-07/schema',
  '06': 'http://json-schema.org/draft-06/schema',
  '04': 'http://json-schema.org/draft-04/schema',
};

const defaultDraft: Draft = '2020-12';

/** The draft that a `$schema` names; undefined if it is unknown. */
export function draftOf($schema: unknown): Draft | undefined {
  if ($schema === undefined) return defaultDraft;
  if (typeof $schema !== 'string') return undefined;
  if (any.test($schema)) return defaultDraft;
  return (modern.exec($schema) ?? classic.exec($schema))?.[1] as Draft | undefined;
}

export function draftWarnings($schema: unknown): string[] {
  const isAny = typeof $schema === 'string' && any.test($schema);
  return isAny ? [`/$schema names no draft; the schema is read as draft ${defaultDraft}`] : [];
}

/** Up to draft 07, `$ref` hides its siblings. */
export function refStandsAlone(draft: Draft): boolean {
  return draft === '04' || draft === '06' || draft === '07';
}

export function idKeyword(draft: Draft): 'id' | '$id' {
  return draft === '04' ? 'id' : '$id';
}
