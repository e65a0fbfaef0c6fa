import { type ErrorName, errorOf } from '@sluice/shared/errors.ts';
import { Failure } from './answers.ts';

export type DescribedSchema = Record<string, unknown>;

interface Media {
  schema: DescribedSchema;
  example?: unknown;
}

interface Body {
  description?: string;
  headers?: object;
  content?: Record<string, Media>;
}

export interface Operation {
  operationId?: string;
  security?: Record<string, unknown>[];
  parameters?: { in: string }[];
  requestBody?: Body;
  responses: Record<string, Body>;
}

/** The parts of an OpenAPI document that are changed. */
export interface Description {
  paths?: Record<string, Record<string, Operation>>;
  components?: { schemas?: object; responses?: object };
}

export const mapValues = <From, To>(
  record: Record<string, From>,
  change: (value: From, key: string) => To,
): Record<string, To> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));

const mapOperations = (
  description: Description,
  change: (path: string, method: string, operation: Operation) => Operation,
): Description => ({
  ...description,
  paths: mapValues(description.paths ?? {}, (item, path) =>
    mapValues(item, (operation, method) => change(path, method, operation)),
  ),
});

/** The failures of every route. */
const always: ErrorName[] = [
  'InvalidRequestError',
  'RequestTimeoutError',
  'ExpectationFailedError',
  'RequestHeaderFieldsTooLargeError',
  'InternalServerError',
  'ServiceUnavailableError',
];
const withToken: ErrorName[] = ['UnauthorizedRequestError', 'ForbiddenRequestError'];
const withPath: ErrorName[] = ['ResourceNotFoundError'];
/** Also if the route takes no body. */
const withBody: ErrorName[] = ['MalformedBodyError', 'PayloadTooLargeError', 'UnsupportedMediaTypeError'];

const text = { type: 'string' };
const headers: Record<string, object> = {
  401: { 'WWW-Authenticate': { required: true, schema: text } },
  416: { 'Content-Range': { required: true, description: 'The length of the file.', schema: text } },
  503: { 'Retry-After': { required: true, description: 'Seconds to wait.', schema: { type: 'integer' } } },
};

const ofAll = (path: string, method: string, { security = [] }: Operation): ErrorName[] => [
  ...always,
  ...(security.some((scheme) => 'bearer' in scheme) ? withToken : []),
  ...(path.includes('{') ? withPath : []),
  ...(method === 'get' ? [] : withBody),
];

/** `InvalidRequestError` and `MalformedBodyError` → `InvalidRequestOrMalformedBody`. */
const nameOf = (names: ErrorName[]) => names.map((name) => name.replace(/Error$/, '')).join('Or');

const captionOf = (status: string, names: ErrorName[]) => ({
  description: names.map((name) => `\`${name}\`: ${errorOf(name).description}`).join(' '),
  ...(headers[status] && { headers: headers[status] }),
});

/** What route-parts.ts says about a failure: the names of its errors, or the name of a response with its own text. */
function saidOf({ content }: Body): { errors?: ErrorName[]; response?: string } {
  const { 'x-errors': errors, 'x-response': response } = content?.['application/json']?.schema ?? {};
  return { errors: errors as ErrorName[], response: response as string };
}

/** Names the failures of each route: its own, and those of all similar routes. Equal sets of errors share a response. */
export function describeFailures(description: Description): Description {
  const responses: Record<string, object> = {};

  function refer(status: string, name: string, response: object): [string, object] {
    responses[name] ??= { ...response, content: { 'application/json': { schema: Failure } } };
    return [status, { $ref: `#/components/responses/${name}` }];
  }

  function referSpecial([status, body]: [string, Body]): [string, object] {
    const { response } = saidOf(body);
    return response ? refer(status, response, body) : [status, body];
  }

  function describe(path: string, method: string, operation: Operation): Operation {
    const own = Object.entries(operation.responses).filter(([status]) => !status.endsWith('XX'));
    const special = own.filter(([, body]) => !saidOf(body).errors).map(referSpecial);
    const names = new Set([
      ...ofAll(path, method, operation),
      ...own.flatMap(([, body]) => saidOf(body).errors ?? []),
    ]);
    const byStatus = Object.groupBy(names, (name) => errorOf(name).status);
    const plain = Object.entries(byStatus).map(([status, some = []]) =>
      refer(status, nameOf(some), captionOf(status, some)),
    );
    return { ...operation, responses: Object.fromEntries<object>([...plain, ...special]) };
  }

  const described = mapOperations(description, describe);
  return { ...described, components: { ...described.components, responses } };
}

/** An example made from the parts' examples; undefined if a required part has none. Optional times are left out. */
function exampleOf(schema: DescribedSchema, isOptional = false): unknown {
  const { examples, properties, items, required = [], format } = schema;
  if (Array.isArray(examples)) return examples[0];
  if ('const' in schema) return schema.const;
  if (format === 'date-time') return isOptional ? undefined : '2026-11-21T04:00:00.000Z';
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (items) {
    const item = exampleOf(items as DescribedSchema);
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
function withoutCaption({ description: _, ...schema }: DescribedSchema): DescribedSchema {
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

/** A PUT that does what PATCH does would need another name, and generated clients would have both. */
function withoutTwin(item: Record<string, Operation>): Record<string, Operation> {
  const { put, ...others } = item;
  return put?.operationId === item.patch?.operationId ? others : item;
}

/** Puts parameters of the path first, and adds examples to requests and successes. */
export function describeOperations({ paths = {}, ...rest }: Description): Description {
  const description = { ...rest, paths: mapValues(paths, withoutTwin) };
  return mapOperations(description, (_path, _method, operation) => {
    const { parameters, requestBody, responses, security = [] } = operation;
    const isOfPath = (parameter: { in: string }) => Number(parameter.in !== 'path');
    return {
      ...operation,
      security,
      ...(parameters && { parameters: parameters.toSorted((a, b) => isOfPath(a) - isOfPath(b)) }),
      ...(requestBody && { requestBody: describeBody(requestBody) }),
      responses: mapValues(responses, describeBody),
    } as typeof operation;
  });
}
