import { type Body, type Description, mapOperations, mapValues, type Schema } from './description.ts';

/** An example made from the parts' examples; undefined if a required part has none. Optional times are left out. */
function exampleOf(schema: Schema, isOptional = false): unknown {
  const { examples, properties, items, required = [], format } = schema;
  if (Array.isArray(examples)) return examples[0];
  if ('const' in schema) return schema.const;
  if (format === 'date-time') return isOptional ? undefined : '2026-11-21T04:00:00.000Z';
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (items) {
    const item = exampleOf(items as Schema);
    return item === undefined ? undefined : [item];
  }
  if (!properties) return undefined;
  const isRequired = (name: string) => (required as string[]).includes(name);
  const parts = Object.entries(properties)
    .map(([name, part]) => [name, exampleOf(part, !isRequired(name))] as const)
    .filter(([name, part]) => part !== undefined || isRequired(name));
  return parts.some(([, part]) => part === undefined) ? undefined : Object.fromEntries(parts);
}

/** Sets the status in the example of an envelope. */
const ofStatus = (example: unknown, status: string): unknown =>
  status && typeof example === 'object' && example && 'status' in example
    ? { ...example, status: Number(status) }
    : example;

/** A response has the description itself. */
function withoutCaption({ description: _, ...schema }: Schema): Schema {
  return schema;
}

function describeBody(body: Body, status = ''): Body {
  if (!body.content) return body;
  const content = mapValues(body.content, (media) => {
    const schema = status ? withoutCaption(media.schema) : media.schema;
    if (/^[45]/.test(status)) return { schema };
    const example = ofStatus(media.example ?? exampleOf(schema), status);
    return { schema, ...(example !== undefined && { example }) };
  });
  return { ...body, content };
}

/** Puts parameters of the path first, adds examples to requests and successes, and names PUT apart from PATCH. */
export function describeOperations(description: Description): Description {
  return mapOperations(description, (_path, method, operation) => {
    const { operationId, parameters, requestBody, responses, security = [] } = operation;
    const isOfPath = (parameter: { in: string }) => Number(parameter.in !== 'path');
    return {
      ...operation,
      operationId: method === 'put' ? operationId?.replace(/^update/, 'put') : operationId,
      security,
      ...(parameters && { parameters: parameters.toSorted((a, b) => isOfPath(a) - isOfPath(b)) }),
      ...(requestBody && { requestBody: describeBody(requestBody) }),
      responses: mapValues(responses, describeBody),
    } as typeof operation;
  });
}
