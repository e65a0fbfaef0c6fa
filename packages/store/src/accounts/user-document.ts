import { type Binary, ObjectId, type Timestamp } from 'mongodb';
import { type Revision, toRevision } from '../changes.ts';
import type { SecondFactor } from './second-factors.ts';

/** A browser that is signed in. One that an earlier version signed in has only `id` and `expiresAt`. */
export interface Session {
  id: string;
  expiresAt: Date;
  /** How its user signed in. */
  via?: 'password' | 'oidc';
  browser?: string;
  /** Of its last request. */
  network?: string;
  since?: Date;
  /** Exact to five minutes. */
  lastSeen?: Date;
}

/** Who somebody is for an OpenID provider. An e-mail address is not: another person may get it. */
export interface Identity {
  issuer: string;
  subject: string;
}

export interface UserRecord {
  id: string;
  revision: Revision;
  username: string;
  locale: string;
  /** Absent until an invited user has set a password. */
  passwordHash?: string;
  /** By which the user signs in through the provider. */
  identity?: Identity;
  /** Tokens of an earlier version are no longer valid. */
  tokenVersion: number;
  createdAt: Date;
  lastModifiedAt: Date;
  /** A disabled user cannot log in, and nobody can upload to their applications. */
  disabledAt?: Date;
  secondFactor?: SecondFactor;
  /** Tokens of a session that is not here are no longer valid. */
  sessions?: Session[];
}

export interface UserDocument extends Omit<UserRecord, 'id' | 'revision'> {
  _id: ObjectId;
  usernameKey: string;
  /** Registered with the code for the first user. An index lets one user have it. */
  first?: true;
  /** Sets a password, once. */
  code?: { hash: Binary; expiresAt: Date };
  /** See `changing`. */
  changedAt?: Timestamp;
}

export const keyOf = (username: string) => username.toLowerCase();

export function newUser(
  user: Pick<UserRecord, 'username' | 'locale' | 'passwordHash' | 'identity'> & Pick<UserDocument, 'first'>,
): UserDocument {
  const now = new Date();
  return {
    _id: new ObjectId(),
    ...user,
    usernameKey: keyOf(user.username),
    tokenVersion: 1,
    createdAt: now,
    lastModifiedAt: now,
  };
}

export const toRecord = ({
  _id,
  usernameKey: _,
  code: __,
  first: ___,
  changedAt,
  ...rest
}: UserDocument): UserRecord => ({
  id: _id.toHexString(),
  revision: toRevision(changedAt),
  ...rest,
});
