import type { FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import { takeParameters } from './media-type.ts';

const take = (type: string | undefined, known?: string[]) =>
  Object.fromEntries(takeParameters({ headers: { 'content-type': type } } as FastifyRequest, known));

describe('the parameters of Content-Type', () => {
  it.each([
    [undefined, {}],
    ['application/json', {}],
    ['application/json;', {}],
    ['application/json; charset=utf-8', { charset: 'utf-8' }],
    ['Application/JSON;charset=UTF-8', { charset: 'UTF-8' }],
    ['application/json; charset="utf-8" ;', { charset: 'utf-8' }],
    ['application/json; Charset = utf8', { charset: 'utf8' }],
    ['application/json; charset=utf8; Charset="utf8"', { charset: 'utf8' }],
    ['text/csv; charset=us-ascii; header=absent', { charset: 'us-ascii', header: 'absent' }],
    ['text/csv; header="pre\\sent"', { header: 'present' }],
  ])('are taken: %s', (type, found) => {
    expect(take(type, ['header'])).toEqual(found);
  });

  it.each([
    ['application/json; charset=latin1', 'only UTF-8 is taken here; charset latin1 is not: convert the body'],
    ['text/csv; charset=', 'the parameters of Content-Type cannot be read: charset='],
    [
      'text/csv; charset=utf-8; charset=latin1',
      'the parameter charset of Content-Type is there twice, with two values',
    ],
    ['text/csv; header=absent', 'the parameter header of Content-Type is not taken here: remove it'],
    ['application/json; boundary=x', 'the parameter boundary of Content-Type is not taken here: remove it'],
    ['application/json; charset="utf-8', 'cannot be read: charset="utf-8'],
    ['application/json; utf-8', 'cannot be read: utf-8'],
    ['application/json, application/json;a', 'cannot be read'],
  ])('are refused by name: %s', (type, message) => {
    expect(() => take(type)).toThrow(message);
  });
});
