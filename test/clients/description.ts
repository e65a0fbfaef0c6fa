import type { SharedSluice } from '../support/sluice.ts';

interface Media {
  schema: object;
  example?: unknown;
}

export interface Operation {
  method: string;
  path: string;
  operationId: string;
  summary?: string;
  description?: string;
  tags?: string[];
  security?: object[];
  parameters?: { in: string; name: string; description?: string }[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { content?: Record<string, Media> }>;
}

/** The description of the API, and its operations. */
export async function readDescription(sluice: SharedSluice) {
  const { text } = await sluice.request('GET', '/openapi.json');
  const { paths, components, tags } = JSON.parse(text);
  const operations = Object.entries<Record<string, Operation>>(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): Operation => ({ ...operation, method, path })),
  );
  return {
    text,
    operations,
    schemas: Object.keys(components.schemas),
    tags: (tags as { name: string }[]).map(({ name }) => name),
  };
}
