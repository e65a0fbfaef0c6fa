import { expect, it } from 'vitest';
import { nameSchemas } from './name-schemas.ts';

const using = (...schemas: object[]) => ({
  paths: {
    '/a': {
      get: { responses: { 200: { content: { 'application/json': { schema: { anyOf: schemas } } } } } },
    },
  },
});

it('moves schemas with a title to the components, those within them too', () => {
  const user = { title: 'User', type: 'object', properties: { locale: { title: 'Locale', enum: ['en'] } } };
  const { paths, components } = nameSchemas(using(user, { type: 'array', items: user }));
  const $ref = '#/components/schemas/User';
  expect(paths).toEqual(using({ $ref }, { type: 'array', items: { $ref } }).paths);
  expect(components?.schemas).toEqual({
    Locale: { enum: ['en'] },
    User: { type: 'object', properties: { locale: { $ref: '#/components/schemas/Locale' } } },
  });
});

it('names the object where a value has one of several types', () => {
  const { paths, components } = nameSchemas(using({ title: 'Any', type: ['object', 'string'] }));
  const anyOf = [{ $ref: '#/components/schemas/Any' }, { type: 'string' }];
  expect(paths).toEqual(using({ anyOf }).paths);
  expect(components?.schemas).toEqual({ Any: { type: 'object', additionalProperties: true } });
});

it('keeps a description that only one of the places has', () => {
  const { components } = nameSchemas(
    using({ title: 'Kind', enum: ['a'] }, { title: 'Kind', enum: ['a'], description: 'What it is.' }),
  );
  expect(components?.schemas).toEqual({ Kind: { enum: ['a'], description: 'What it is.' } });
});

it('leaves examples as they are, and refuses one title for two schemas', () => {
  const example = { examples: [{ title: 'A book' }] };
  expect(nameSchemas(using(example)).paths).toEqual(using(example).paths);
  const two = using({ title: 'Kind', enum: ['a'] }, { title: 'Kind', enum: ['b'] });
  expect(() => nameSchemas(two)).toThrow('two different schemas have the title Kind');
});
