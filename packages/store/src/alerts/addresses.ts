import { createHash, randomBytes } from 'node:crypto';
import { Binary, type Db, ObjectId } from 'mongodb';
import { fromNow } from '../lease.ts';

export const addressesName = 'addresses';

/** The e-mail of a user. `pending` is not confirmed yet. */
export interface Address {
  address?: string;
  pending?: string;
}

interface AddressDocument {
  /** Of the user. */
  _id: ObjectId;
  address?: string;
  pending?: { address: string; hash?: Binary; expiresAt?: Date };
}

/** The code is random, so nothing slower is needed. */
const hashOf = (code: string) => new Binary(createHash('sha256').update(code).digest());

export type AddressStore = ReturnType<typeof addressStore>;

/** E-mail addresses of users, apart from the users, so that no list of users has them. */
export function addressStore(db: Db) {
  const addresses = db.collection<AddressDocument>(addressesName);
  const of = (user: string) => ({ _id: new ObjectId(user) });

  return {
    async of(user: string): Promise<Address> {
      const { address, pending } = (await addresses.findOne(of(user))) ?? {};
      return { ...(address && { address }), ...(pending && { pending: pending.address }) };
    },

    /** An address that the user has still to confirm. The one before stays until then. */
    async ask(user: string, address: string): Promise<void> {
      await addresses.updateOne(of(user), { $set: { pending: { address } } }, { upsert: true });
    },

    /** A code that confirms the pending address, once, within `lifeMs`. Earlier ones are gone. Undefined: nothing is pending. */
    async issueCode(user: string, lifeMs: number): Promise<{ code: string; address: string } | undefined> {
      const code = randomBytes(24).toString('base64url');
      const issued = await addresses.findOneAndUpdate(
        { ...of(user), pending: { $exists: true } },
        [{ $set: { 'pending.hash': hashOf(code), 'pending.expiresAt': fromNow(lifeMs) } }],
        { returnDocument: 'after' },
      );
      return issued?.pending && { code, address: issued.pending.address };
    },

    /** The user whose address it confirmed; undefined for a code that is wrong, used or expired. */
    async confirm(code: string): Promise<string | undefined> {
      const found = await addresses.findOneAndUpdate(
        { 'pending.hash': hashOf(code), $expr: { $gt: ['$pending.expiresAt', '$$NOW'] } },
        [{ $set: { address: '$pending.address' } }, { $unset: 'pending' }],
        { returnDocument: 'after' },
      );
      return found?._id.toHexString();
    },

    /** For an address that the operator vouches for. */
    async set(user: string, address: string): Promise<void> {
      await addresses.updateOne(of(user), { $set: { address } }, { upsert: true });
    },

    /** False when the user had none. */
    remove: async (user: string): Promise<boolean> =>
      (await addresses.deleteOne(of(user))).deletedCount === 1,
  };
}
