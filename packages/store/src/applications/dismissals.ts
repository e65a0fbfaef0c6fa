import { type Db, ObjectId } from 'mongodb';
import type { Reason } from '../refused/refused-records.ts';
import type { ApplicationDocument } from './application-document.ts';

/** As many as there are groups in an answer. The oldest go first. */
const mostDismissed = 100;

/** The groups of refused uploads that an owner dismissed. */
export function dismissals(db: Db) {
  const applications = db.collection<ApplicationDocument>('applications');

  return {
    /** Dismisses a group; without `at`, it is open again. */
    async dismiss(id: string, { path, keyword, property }: Reason, at?: Date): Promise<void> {
      const _id = new ObjectId(id);
      const named = property ?? { $exists: false };
      await applications.updateOne({ _id }, { $pull: { dismissed: { path, keyword, property: named } } });
      if (!at) return;
      const $each = [{ path, keyword, ...(property && { property }), at }];
      await applications.updateOne({ _id }, { $push: { dismissed: { $each, $slice: -mostDismissed } } });
    },
  };
}
