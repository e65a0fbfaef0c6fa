/** The API page, with the examples of an application if one is open. */
export const apiDocsOf = (domain?: string): string =>
  domain ? `/api/docs#application=${domain}` : '/api/docs';
