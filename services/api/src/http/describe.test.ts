import { expect, it } from 'vitest';
import { describeFailures, type Operation } from './describe.ts';
import { overRate, ownFailures } from './route-parts.ts';

const always = ['400', '408', '417', '431', '500', '503'];

const asDescribed = (responses: object): Operation['responses'] =>
  Object.fromEntries(
    Object.entries(responses).map(([status, schema]) => [
      status,
      { content: { 'application/json': { schema } } },
    ]),
  );

function describe(path: string, method: string, operation: Partial<Operation>) {
  const paths = { [path]: { [method]: { responses: {}, ...operation } } };
  const described = describeFailures({ paths });
  return {
    responses: described.paths?.[path]?.[method]?.responses ?? {},
    components: described.components?.responses as Record<string, object>,
  };
}

it.each([
  ['a route that is open', '/users', 'get', {}, []],
  ['one that takes a token', '/users', 'get', { security: [{ bearer: [] }] }, ['401', '403']],
  ['one that takes a key', '/users', 'get', { security: [{}, { ingestKey: [] }] }, []],
  ['one about something', '/users/{username}', 'get', {}, ['404']],
  ['one that reads bodies', '/users', 'post', {}, ['413', '415']],
  [
    'one with failures of its own',
    '/users',
    'get',
    { responses: asDescribed(ownFailures('ResourceConflictError')) },
    ['409'],
  ],
])('names the failures of %s', (_what, path, method, operation, more) => {
  expect(Object.keys(describe(path, method, operation).responses)).toEqual([...always, ...more].sort());
});

it('names the errors of a status that a route can have, and no others', () => {
  const responses = asDescribed(ownFailures('InvalidCredentialsError'));
  const login = describe('/login', 'post', { responses });
  expect(login.responses['401']).toEqual({ $ref: '#/components/responses/InvalidCredentials' });
  expect(login.responses['400']).toEqual({ $ref: '#/components/responses/InvalidRequestOrMalformedBody' });
  const password = describe('/password', 'put', { responses, security: [{ bearer: [] }] });
  expect(password.components.UnauthorizedRequestOrInvalidCredentials).toMatchObject({
    description: expect.stringMatching(/`UnauthorizedRequestError`: .* `InvalidCredentialsError`: /),
  });
});

it('has what routes say of a status in place of what all say, and no classes of statuses', () => {
  const special = { description: 'The batch is wrong.' };
  const responses = { 200: { description: 'Done.' }, 422: special, '4XX': {}, '5XX': {} };
  const described = describe('/a', 'get', { responses });
  expect(Object.keys(described.responses)).toEqual(['200', ...always, '422'].sort());
  expect(described.responses['422']).toBe(special);
  expect(Object.keys(described.components)).toHaveLength(always.length);
});

it('names a response that routes with the same limit share', () => {
  const responses = asDescribed(overRate);
  const described = describe('/login', 'post', { responses });
  expect(described.responses['429']).toEqual({ $ref: '#/components/responses/TooManyRequests' });
  expect(described.components.TooManyRequests).toHaveProperty(
    'content.application/json.schema.title',
    'Failure',
  );
});

it('tells the headers that come with a status', () => {
  const { components } = describe('/a', 'get', { security: [{ bearer: [] }] });
  expect(components.UnauthorizedRequest).toMatchObject({
    description: expect.stringContaining('bearer token'),
    headers: { 'WWW-Authenticate': { required: true } },
  });
});
