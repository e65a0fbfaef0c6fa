import type { Db } from 'mongodb';
import { isDuplicate } from '../faults.ts';

export const usedStatesName = 'usedStates';

export type UsedStates = ReturnType<typeof usedStates>;

/** The states of sign-ins through a provider that came back. Each is good once. */
export function usedStates(db: Db) {
  const used = db.collection<{ _id: string; expiresAt: Date }>(usedStatesName);
  return {
    /** False if the state was used before. Kept until `expiresAt`, when its sign-in is over. */
    async use(state: string, expiresAt: Date): Promise<boolean> {
      try {
        await used.insertOne({ _id: state, expiresAt });
        return true;
      } catch (error) {
        if (isDuplicate(error)) return false;
        throw error;
      }
    },
  };
}
