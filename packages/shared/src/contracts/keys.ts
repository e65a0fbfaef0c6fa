import Type, { type Static } from 'typebox';
import { Name } from './applications.ts';

export const NewKey = Type.Object({ name: Name }, { additionalProperties: false });

const fields = {
  id: Type.String(),
  name: Type.String(),
  prefix: Type.String({ description: 'How the key begins, to tell it from others.' }),
  createdAt: Type.String({ format: 'date-time', description: 'When it was created, or rotated last.' }),
};

export const Key = Type.Object(fields);

export const IssuedKey = Type.Object({
  ...fields,
  key: Type.String({ description: 'The key itself, shown this once: only its hash is stored.' }),
});

export type Key = Static<typeof Key>;
