import { expect, it } from 'vitest';
import { failureOf, faultAt } from './failure.ts';

const response = (status: number) => new Response(null, { status, headers: { 'x-request-id': 'r-1' } });

it('a failure has what the API says, and the request id', () => {
  const details = [{ in: 'body', path: '/name', keyword: 'minLength', message: 'must not be blank' }];
  const error = {
    name: 'InvalidRequestError',
    description: 'd',
    message: 'body/name must not be blank',
    details,
  };
  const failure = failureOf(response(400), { success: false, status: 400, error });
  expect(failure).toMatchObject({ kind: 'InvalidRequestError', status: 400, requestId: 'r-1', details });
  expect(failure.message).toBe('body/name must not be blank');
  expect([faultAt(failure, '/name'), faultAt(failure, '/type')]).toEqual(['must not be blank', undefined]);
});

it.each([undefined, {}, '<html>', { error: {} }])(
  'an answer that is not of the API is told by its status: %j',
  (body) => {
    const failure = failureOf(response(502), body);
    expect(failure.message).toContain('502');
    expect(failure.details).toEqual([]);
  },
);
