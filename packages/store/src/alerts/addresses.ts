import { createHash, randomBytes } from 'node:crypto';
import { Binary, type Db, ObjectId } from 'mongodb';
import { fromNow } from '../lease.ts';

export const addressesName = 'addresses';

/** The e-mail of a user. `pending` is not confirmed yet. */
export interface Address {
  address?: string;
  pending?: string;
}

const hourMs = 3_600_000;

interface AddressDocument {
  /** Of the user. */
  _id: ObjectId;
  address?: string;
  pending?: { address: string; hash?: Binary; expiresAt?: Date };
  /** Whether the last address was taken. */
  may?: boolean;
  /** When addresses were given within an hour. */
  asked?: Date[];
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

    /** An address that the user has still to confirm. The one before stays until then. False: `limit` were given within an hour. */
    async ask(user: string, address: string, limit: number): Promise<boolean> {
      const lately = {
        $filter: { input: { $ifNull: ['$asked', []] }, cond: { $gt: ['$$this', fromNow(-hourMs)] } },
      };
      const mayAsk = { $lt: [{ $size: lately }, limit] };
      const pending = { $cond: [mayAsk, { $literal: { address } }, '$pending'] };
      const asked = { $cond: [mayAsk, { $concatArrays: [lately, ['$$NOW']] }, lately] };
      const after = await addresses.findOneAndUpdate(of(user), [{ $set: { may: mayAsk, pending, asked } }], {
        upsert: true,
        returnDocument: 'after',
      });
      return after?.may === true;
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

    /** The times of the last addresses stay, so that nobody is sent more mails by deletions. */
    async forget(user: string): Promise<void> {
      await addresses.updateOne(of(user), { $unset: { address: '', pending: '' } });
    },

    /** With the user. */
    remove: async (user: string): Promise<void> => void (await addresses.deleteOne(of(user))),
  };
}
