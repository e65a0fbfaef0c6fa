import { Binary, type Collection, ObjectId } from 'mongodb';
import { hasMatched } from '../lease.ts';
import type { UserDocument } from './user-document.ts';

/** An authenticator app of a user. Logins need its codes once it is confirmed. */
export interface SecondFactor {
  /** Sealed with SECRETS_KEY. */
  secret: string;
  /** SHA-256 of the recovery codes that are left. */
  recoveryHashes: Binary[];
  confirmedAt?: Date;
  /** The time step of the latest code that was used. Neither this code nor an earlier one is good again. */
  usedStep?: number;
}

/** Each change is one command that names the secret, so of several requests at once one succeeds. */
export const secondFactors = (users: Collection<UserDocument>) => {
  const confirmed = (id: string, secret: string) => ({
    _id: new ObjectId(id),
    'secondFactor.secret': secret,
    'secondFactor.confirmedAt': { $exists: true },
  });

  return {
    /** Replaces one that is not confirmed. False when one is. */
    beginSecondFactor: (id: string, secret: string, recoveryHashes: Buffer[]): Promise<boolean> =>
      hasMatched(
        users.updateOne(
          { _id: new ObjectId(id), 'secondFactor.confirmedAt': { $exists: false } },
          {
            $set: {
              secondFactor: { secret, recoveryHashes: recoveryHashes.map((hash) => new Binary(hash)) },
            },
          },
        ),
      ),

    /** Uses up the code of this step. False when it is confirmed already, or was replaced. */
    confirmSecondFactor: (id: string, secret: string, step: number): Promise<boolean> =>
      hasMatched(
        users.updateOne(
          {
            _id: new ObjectId(id),
            'secondFactor.secret': secret,
            'secondFactor.confirmedAt': { $exists: false },
          },
          { $set: { 'secondFactor.confirmedAt': new Date(), 'secondFactor.usedStep': step } },
        ),
      ),

    /** False when this code or a later one was used. `sealed`: the same secret, perhaps sealed anew. */
    useStep: (id: string, secret: string, step: number, sealed: string): Promise<boolean> =>
      hasMatched(
        users.updateOne(
          { ...confirmed(id, secret), 'secondFactor.usedStep': { $lt: step } },
          { $set: { 'secondFactor.usedStep': step, 'secondFactor.secret': sealed } },
        ),
      ),

    /** False when the user has no such code, or it was used. */
    useRecoveryCode: (id: string, secret: string, hash: Buffer): Promise<boolean> =>
      hasMatched(
        users.updateOne(
          { ...confirmed(id, secret), 'secondFactor.recoveryHashes': new Binary(hash) },
          { $pull: { 'secondFactor.recoveryHashes': new Binary(hash) } },
        ),
      ),

    /** False when none is confirmed. */
    removeSecondFactor: (id: string): Promise<boolean> =>
      hasMatched(
        users.updateOne(
          { _id: new ObjectId(id), 'secondFactor.confirmedAt': { $exists: true } },
          { $unset: { secondFactor: '' } },
        ),
      ),
  };
};
