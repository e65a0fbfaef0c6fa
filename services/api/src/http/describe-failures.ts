import { type ErrorName, errorOf } from '@sluice/shared/errors.ts';
import { Failure } from './answers.ts';
import { type Body, type Description, mapOperations, type Operation } from './description.ts';

/** The failures of every route. */
const always: ErrorName[] = [
  'InvalidRequestError',
  'RequestTimeoutError',
  'ExpectationFailedError',
  'RequestHeaderFieldsTooLargeError',
  'InternalServerError',
  'ServiceUnavailableError',
];
const withToken: ErrorName[] = ['UnauthorizedRequestError'];
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
