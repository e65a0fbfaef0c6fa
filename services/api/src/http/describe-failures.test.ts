import { Failure, FailureWith } from '@sluice/shared/contracts/envelope.ts';
import Type from 'typebox';
import { expect, it } from 'vitest';
import { describeFailures } from './describe-failures.ts';

const always = ['400', '408', '417', '431', '500', '503'];

function statuses(path: string, method: string, operation: object): string[] {
  const { paths } = describeFailures({ paths: { [path]: { [method]: operation } } });
  return Object.keys(paths[path]?.[method]?.responses ?? {});
}

it.each([
  ['a route that is open', '/users', 'get', {}, []],
  ['one that takes a token', '/users', 'get', { security: [{ bearer: [] }] }, ['401']],
  ['one that takes a key', '/users', 'get', { security: [{}, { ingestKey: [] }] }, []],
  ['one about something', '/users/{username}', 'get', {}, ['404']],
  ['one that reads bodies', '/users', 'post', {}, ['413', '415']],
  ['one with failures of its own', '/users', 'get', { responses: { 409: Failure } }, ['409']],
])('names the failures of %s', (_what, path, method, operation, more) => {
  expect(statuses(path, method, operation)).toEqual([...always, ...more].sort());
});

it('has what routes say of a status in place of what all say, and no classes of statuses', () => {
  const special = FailureWith(Type.Object({}), 'The batch is wrong.');
  const responses = { 200: { description: 'Done.' }, 422: special, '4XX': Failure, '5XX': Failure };
  const { paths, components } = describeFailures({ paths: { '/a': { get: { responses } } } });
  const described = paths['/a']?.get?.responses ?? {};
  expect(Object.keys(described)).toEqual(['200', ...always, '422'].sort());
  expect(described['422']).toBe(special);
  expect(Object.keys(components.responses)).toEqual(always.map((status) => `Failure${status}`));
});

it('tells the headers that come with a status', () => {
  const { components } = describeFailures({ paths: { '/a': { get: { security: [{ bearer: [] }] } } } });
  expect(components.responses.Failure401).toMatchObject({
    description: expect.stringContaining('bearer token'),
    headers: { 'WWW-Authenticate': { required: true } },
  });
});
