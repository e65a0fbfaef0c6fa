import { usernamePattern } from '@sluice/store/accounts/credentials.ts';
import Type, { type Static } from 'typebox';
import { Bool, DateTime, Named, Strict, Text } from '../http/schemas.ts';

const Password = Type.String({
  minLength: 8,
  format: 'bcrypt-password',
  examples: ['correct horse'],
  description: 'At least 8 characters and at most 72 bytes of UTF-8, which is what bcrypt looks at; no NUL.',
});
const Locale = Type.Enum(['en'], { title: 'Locale', description: 'Language of messages.' });
export const Username = Type.String({
  minLength: 3,
  maxLength: 20,
  pattern: usernamePattern,
  examples: ['ada'],
  description: 'May contain letters, digits, `.`, `_`, `-`; 3 to 20 of them; unique without regard to case.',
});

export const Registration = Strict('Registration', {
  username: Username,
  password: Password,
  locale: Locale,
  code: Type.Optional(
    Type.String({
      maxLength: 100,
      description:
        'From the link that `npm start` prints while there is no user. It registers the first one, also while registration is closed.',
    }),
  ),
});
/** Of an app or for recovery. Spaces, dashes and capital letters do not matter. */
export const Code = Type.String({
  maxLength: 40,
  examples: ['492039'],
  description: 'Six digits of your authenticator app, or a recovery code. Each is good once.',
});

/** A login does not check patterns: a malformed password is a wrong password. */
export const Credentials = Strict('Credentials', {
  username: Type.String({ examples: ['ada'] }),
  password: Type.String({ examples: ['correct horse'] }),
  code: Type.Optional(
    Type.String({
      maxLength: 40,
      description: 'Needed by users who have a second factor: see `SecondFactorCode`.',
    }),
  ),
});

export const Token = Named('Token', {
  token: Text('Send it as `Authorization: Bearer …`.', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.3q2-7w'),
});

/** Of a browser that is signed in. */
export const SessionToken = Named('SessionToken', {
  ...Token.properties,
  expires_at: DateTime('When the session ends.'),
  second_factor_missing: Type.Optional(
    Bool('True while a second factor must be set up before anything else.'),
  ),
});

export const SignedOut = Named('SignedOut', {
  message: Text('What was done.', 'you are signed out'),
  url: Type.Optional(Text('A page of the provider. A browser opens it to sign out there too.')),
});

export const PasswordChange = Strict('PasswordChange', {
  old_password: Type.String({ examples: ['correct horse'] }),
  new_password: Type.String({ ...Password, examples: ['staple battery horse'] }),
});
export const PasswordByCode = Strict('PasswordByCode', {
  code: Type.String({
    examples: ['x3J9bT0cQmZ1vK7sWf2LhR8yUeN5aPdG'],
    description: 'The end of the link that `sluice-admin users invite` or `reset-password` prints.',
  }),
  new_password: Type.String({ ...Password, examples: ['staple battery horse'] }),
});
export const UserUpdate = Strict(
  { title: 'UserUpdate', examples: [{ locale: 'en' }] },
  { locale: Type.Optional(Locale) },
);

export const User = Named('User', {
  username: Type.String({ examples: ['ada'] }),
  locale: Type.String({ examples: ['en'] }),
  createdAt: DateTime(),
  lastModifiedAt: DateTime(),
});

/** As only the user sees it. */
export const Profile = Named('Profile', {
  ...User.properties,
  signs_in_by: Type.Array(Type.Enum(['password', 'oidc'], { title: 'WayIn' }), {
    description: 'How you can sign in. `oidc`: through the provider.',
    examples: [['password']],
  }),
  email: Type.Optional(Text('Where mails go; absent without a confirmed one.', 'ada@example.com')),
  email_pending: Type.Optional(Text('An address that you have still to confirm.', 'ada@example.org')),
});

export type User = Static<typeof User>;
export type UserUpdate = Static<typeof UserUpdate>;
export type Registration = Static<typeof Registration>;
export type PasswordChange = Static<typeof PasswordChange>;
