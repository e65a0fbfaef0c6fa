/** Under which the ingest keys of an application are kept. */
export const keysKey = (domain: string) => ['keys', domain];
