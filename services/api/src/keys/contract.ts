import Type, { type Static } from 'typebox';
import { Name } from '../applications/contract.ts';
import { Named, Strict } from '../http/schemas.ts';

export const NewKey = Strict('NewKey', { name: Type.String({ ...Name, examples: ['Roof sensor'] }) });

const fields = {
  id: Type.String({ examples: ['66f1c2a4e8b5d70912345678'] }),
  name: Type.String({ examples: ['Roof sensor'] }),
  prefix: Type.String({
    description: 'The first characters of the key, to tell it from others.',
    examples: ['sk_4fQ2'],
  }),
  createdAt: Type.String({ format: 'date-time', description: 'When it was created or last rotated.' }),
};

export const Key = Type.Object(fields, { title: 'Key' });

export const IssuedKey = Named('IssuedKey', {
  ...fields,
  key: Type.String({
    description: 'The key itself, shown only once: Sluice stores its hash.',
    examples: ['sk_4fQ2vLr8m1ZtY0cKxN7bWdE5'],
  }),
});

export type Key = Static<typeof Key>;
