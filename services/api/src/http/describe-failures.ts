import { Failure, plainFailure } from '@sluice/shared/contracts/envelope.ts';
import { errorsOf } from '@sluice/shared/errors.ts';

interface Operation {
  security?: Record<string, unknown>[];
  responses?: Record<string, object>;
}

/** Of OpenAPI, what is looked at here. */
export interface Description {
  paths?: Record<string, Record<string, Operation>>;
  components?: { schemas?: object };
}

/** How a request can fail, whatever its route. */
const always = [400, 408, 417, 431, 500, 503];
const withToken = [401];
const withPath = [404];
/** Whether the route wants one or not. */
const withBody = [413, 415];

const text = { type: 'string' };
const headers: Record<number, object> = {
  401: { 'WWW-Authenticate': { required: true, schema: text } },
  416: { 'Content-Range': { required: true, description: 'How long the file is.', schema: text } },
  503: { 'Retry-After': { required: true, description: 'Seconds to wait.', schema: { type: 'integer' } } },
};

const component = (status: number) => ({
  description: errorsOf(status)
    .map(({ name, description }) => `\`${name}\`: ${description}`)
    .join(' '),
  ...(headers[status] && { headers: headers[status] }),
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Failure' } } },
});

const ofAll = (path: string, method: string, { security = [] }: Operation): number[] => [
  ...always,
  ...(security.some((scheme) => 'bearer' in scheme) ? withToken : []),
  ...(path.includes('{') ? withPath : []),
  ...(method === 'get' ? [] : withBody),
];

/** Says no more than that it is a failure. */
const isPlain = (response: object) => 'description' in response && response.description === plainFailure;

/** Names the failures of each route: those that it says itself, and those that all routes of its kind have. */
export function describeFailures(description: Description) {
  const named = new Set<number>();

  function refer(status: number): [string, object] {
    named.add(status);
    return [`${status}`, { $ref: `#/components/responses/Failure${status}` }];
  }

  function describe(path: string, method: string, operation: Operation) {
    const own = Object.entries(operation.responses ?? {});
    const plain = own.filter(([status, response]) => isPlain(response) && !status.endsWith('XX'));
    const statuses = [...plain.map(([status]) => Number(status)), ...ofAll(path, method, operation)];
    const special = own.filter(([, response]) => !isPlain(response));
    return { ...operation, responses: Object.fromEntries<object>([...statuses.map(refer), ...special]) };
  }

  const paths = mapValues(description.paths ?? {}, (item, path) =>
    mapValues(item, (operation, method) => describe(path, method, operation)),
  );
  const responses = Object.fromEntries([...named].map((status) => [`Failure${status}`, component(status)]));
  const { schemas } = description.components ?? {};
  const components = { ...description.components, schemas: { ...schemas, Failure }, responses };
  return { ...description, paths, components };
}

const mapValues = <From, To>(record: Record<string, From>, change: (value: From, key: string) => To) =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));
