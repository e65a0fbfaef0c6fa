import Type, { type Static } from 'typebox';

const Password = Type.String({
  minLength: 8,
  format: 'bcrypt-password',
  description: 'At least 8 characters and at most 72 bytes of UTF-8, which is what bcrypt looks at; no NUL.',
});
const Locale = Type.Enum(['en'], { description: 'Language of messages.' });
export const Username = Type.String({
  minLength: 3,
  maxLength: 20,
  pattern: '^[A-Za-z0-9._-]*$',
  description: 'May contain letters, digits, `.`, `_`, `-`; 3 to 20 of them; unique without regard to case.',
});
const strict = { additionalProperties: false };

export const Registration = Type.Object({ username: Username, password: Password, locale: Locale }, strict);
/** Login checks nothing but types: a wrong shape of a password is a wrong password. */
export const Credentials = Type.Object({ username: Type.String(), password: Type.String() }, strict);
export const PasswordChange = Type.Object({ old_password: Type.String(), new_password: Password }, strict);
export const UserUpdate = Type.Object({ locale: Type.Optional(Locale) }, strict);

export const User = Type.Object({
  username: Type.String(),
  locale: Type.String(),
  createdAt: Type.String({ format: 'date-time' }),
  lastModifiedAt: Type.String({ format: 'date-time' }),
});

export type User = Static<typeof User>;
export type UserUpdate = Static<typeof UserUpdate>;
export type Registration = Static<typeof Registration>;
export type PasswordChange = Static<typeof PasswordChange>;
