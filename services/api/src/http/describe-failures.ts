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

const nameOf = (status: number) => `Failure${status}`;

const component = (status: number) => ({
  description: errorsOf(status)
    .map(({ name, description }) => `\`${name}\`: ${description}`)
    .join(' '),
  ...(headers[status] && { headers: headers[status] }),
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Failure' } } },
});

function statusesOf(path: string, method: string, { security = [] }: Operation): number[] {
  return [
    ...always,
    ...(security.some((scheme) => 'bearer' in scheme) ? withToken : []),
    ...(path.includes('{') ? withPath : []),
    ...(method === 'get' ? [] : withBody),
  ];
}

/** Says no more than that it is a failure. */
const isPlain = (response: object) => 'description' in response && response.description === plainFailure;

function describe(path: string, method: string, operation: Operation) {
  const own = Object.entries(operation.responses ?? {});
  const named = own.filter(([status, response]) => isPlain(response) && !status.endsWith('XX'));
  const statuses = [...named.map(([status]) => Number(status)), ...statusesOf(path, method, operation)];
  const refer = (status: number) => [status, { $ref: `#/components/responses/${nameOf(status)}` }] as const;
  return {
    ...operation,
    responses: Object.fromEntries<object>([
      ...statuses.map(refer),
      ...own.filter(([, response]) => !isPlain(response)),
    ]),
  };
}

const mapValues = <From, To>(record: Record<string, From>, change: (value: From, key: string) => To) =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));

/** Names the failures of each route: those that it says itself, and those that all routes of its kind have. */
export function describeFailures(description: Description) {
  const paths = mapValues(description.paths ?? {}, (item, path) =>
    mapValues(item, (operation, method) => describe(path, method, operation)),
  );
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  const responses = operations.flatMap((operation) => Object.entries(operation.responses));
  const failures = new Set(responses.filter(([, it]) => '$ref' in it).map(([status]) => Number(status)));
  return {
    ...description,
    paths,
    components: {
      ...description.components,
      schemas: { ...description.components?.schemas, Failure },
      responses: Object.fromEntries([...failures].map((status) => [nameOf(status), component(status)])),
    },
  };
}
