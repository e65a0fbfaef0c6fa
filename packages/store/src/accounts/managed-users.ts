import { createHash, randomBytes } from 'node:crypto';
import { Binary, type Collection, type Filter, ObjectId } from 'mongodb';
import { changing } from '../changes.ts';
import { isDuplicate } from '../faults.ts';
import { fromNow, hasMatched } from '../lease.ts';
import { keyOf, newUser, toRecord, type UserDocument, type UserRecord } from './user-document.ts';

/** A user as the operator sees them. `invited`: without a way to sign in yet. */
export interface UserOverview {
  username: string;
  state: 'active' | 'invited' | 'disabled';
  applications: number;
  createdAt: Date;
}

interface Issued {
  code: string;
  expiresAt: Date;
}

const newCode = () => randomBytes(24).toString('base64url');
/** The code is random, so nothing slower is needed. */
const hashOf = (code: string) => new Binary(createHash('sha256').update(code).digest());

/** The operator's actions on users, and the codes by which users set a password. */
export const managedUsers = (users: Collection<UserDocument>) => {
  const withCode = (username: string, code: string): Filter<UserDocument> => ({
    usernameKey: keyOf(username),
    'code.hash': hashOf(code),
    $expr: { $gt: ['$code.expiresAt', '$$NOW'] },
  });

  return {
    /** By name. */
    overview: (): Promise<UserOverview[]> =>
      users
        .aggregate<UserOverview>([
          { $sort: { usernameKey: 1 } },
          {
            $lookup: {
              from: 'applications',
              localField: '_id',
              foreignField: 'owner.id',
              pipeline: [{ $match: { deletedAt: { $exists: false } } }, { $project: { _id: 1 } }],
              as: 'own',
            },
          },
          {
            $project: {
              _id: 0,
              username: 1,
              state: {
                $cond: [
                  { $ifNull: ['$disabledAt', false] },
                  'disabled',
                  { $cond: [{ $ifNull: ['$passwordHash', '$identity', false] }, 'active', 'invited'] },
                ],
              },
              applications: { $size: '$own' },
              createdAt: 1,
            },
          },
        ])
        .toArray(),

    /** A new user without a password, with a code by which they set one. Undefined when the username is taken. */
    async invite(
      user: Pick<UserRecord, 'username' | 'locale'>,
      lifeMs: number,
    ): Promise<(Issued & { user: UserRecord }) | undefined> {
      const { _id, ...fields } = newUser(user);
      const code = newCode();
      try {
        // One command: a user whose code nobody knows would keep the name.
        const made = await users.findOneAndUpdate(
          { _id },
          [{ $set: { ...fields, code: { hash: hashOf(code), expiresAt: fromNow(lifeMs) } } }],
          { upsert: true, returnDocument: 'after' },
        );
        return made?.code && { code, expiresAt: made.code.expiresAt, user: toRecord(made) };
      } catch (error) {
        if (isDuplicate(error)) return undefined;
        throw error;
      }
    },

    /** A new code by which a user sets a password, once, within `lifeMs`. Earlier ones of this user are gone. Undefined without such a user. */
    async issueCode(id: string, lifeMs: number): Promise<Issued | undefined> {
      const code = newCode();
      const issued = await users.findOneAndUpdate(
        { _id: new ObjectId(id) },
        [{ $set: { code: { hash: hashOf(code), expiresAt: fromNow(lifeMs) } } }],
        { returnDocument: 'after' },
      );
      return issued?.code && { code, expiresAt: issued.code.expiresAt };
    },

    /** Whether this is the user's code, and has not expired. */
    hasCode: async (username: string, code: string): Promise<boolean> =>
      (await users.countDocuments(withCode(username, code))) === 1,

    /** Uses the code up; earlier tokens are no longer valid. False when it is not the user's, was used or has expired. */
    setPasswordByCode: (username: string, code: string, passwordHash: string): Promise<boolean> =>
      hasMatched(
        users.updateOne(
          withCode(username, code),
          changing({
            $set: { passwordHash, lastModifiedAt: new Date() },
            $inc: { tokenVersion: 1 },
            $unset: { code: '' },
          }),
        ),
      ),

    /** Ends all tokens. False when the user is disabled already, or gone. */
    disable: (id: string): Promise<boolean> =>
      hasMatched(
        users.updateOne(
          { _id: new ObjectId(id), disabledAt: { $exists: false } },
          changing({ $currentDate: { disabledAt: true }, $inc: { tokenVersion: 1 } }),
        ),
      ),

    /** False when the user is not disabled. */
    enable: (id: string): Promise<boolean> =>
      hasMatched(
        users.updateOne(
          { _id: new ObjectId(id), disabledAt: { $exists: true } },
          changing({ $unset: { disabledAt: '' } }),
        ),
      ),

    /** Which of these users are disabled, or gone. */
    async disabledAmong(ids: string[]): Promise<Set<string>> {
      const active = users
        .find({ _id: { $in: ids.map((id) => new ObjectId(id)) }, disabledAt: { $exists: false } })
        .project<{ _id: ObjectId }>({ _id: 1 });
      const among = new Set(ids);
      for (const { _id } of await active.toArray()) among.delete(_id.toHexString());
      return among;
    },

    /** Call `disable` first, and end the user's sessions: this notifies nobody. */
    async remove(id: string): Promise<void> {
      await users.deleteOne({ _id: new ObjectId(id) });
    },
  };
};
