import { type Db, ObjectId } from 'mongodb';
import { isDuplicate } from '../faults.ts';
import { type Saved, type SavedScope, savedStore } from '../saved.ts';

export const viewsName = 'views';

export interface SavedView extends Saved {
  /** Of the address of the page of entries. */
  query: string;
  /** Whether all members see it; else only the user who made it does. */
  isShared: boolean;
}

type Chosen = Pick<SavedView, 'name' | 'query' | 'isShared'>;
/** Null: the view is shared. */
type OfUser = { user: ObjectId | null };

const toView = ({ user, ...view }: Omit<SavedView, 'isShared'> & OfUser): SavedView => ({
  ...view,
  isShared: user === null,
});

/** Views of entries that members of an application keep for themselves, or share. */
export function savedViews(db: Db) {
  const views = db.collection<SavedScope & { name: string; query: string }>(viewsName);
  const saved = savedStore<Omit<SavedView, 'isShared'>>(db, viewsName);
  const scopeOf = (application: string, user: string, isShared: boolean) => ({
    application: new ObjectId(application),
    user: isShared ? null : new ObjectId(user),
  });
  /** All that a member sees. */
  const seenBy = (application: string, user: string) => ({
    application: new ObjectId(application),
    user: { $in: [null, new ObjectId(user)] },
  });

  return {
    /** `limit` holds for the shared views of an application, and for the private ones of each member. */
    async create(
      application: string,
      user: string,
      { isShared, ...fields }: Chosen & Pick<SavedView, 'createdBy'>,
      limit: number,
    ): Promise<SavedView | 'taken' | 'full'> {
      const scope = scopeOf(application, user, isShared);
      const made = await saved.create(scope, fields, limit);
      return typeof made === 'string' ? made : toView({ ...made, ...scope });
    },

    /** By name: the shared ones, and those of the user. */
    async list(application: string, user: string): Promise<SavedView[]> {
      return (await saved.list(seenBy(application, user))).map((each) =>
        toView(each as typeof each & OfUser),
      );
    },

    /** Undefined: the user has no such view. */
    async get(application: string, user: string, id: string): Promise<SavedView | undefined> {
      const found = await saved.get(seenBy(application, user), id);
      return found && toView(found as typeof found & OfUser);
    },

    /** Undefined: the user has no such view. The rest is as for `create`. */
    async update(
      application: string,
      user: string,
      id: string,
      { isShared, ...fields }: Chosen,
      limit: number,
    ): Promise<'updated' | 'taken' | 'full' | undefined> {
      const one = { ...seenBy(application, user), _id: new ObjectId(id) };
      const scope = scopeOf(application, user, isShared);
      try {
        const before = await views.findOneAndUpdate(one, { $set: { ...fields, user: scope.user } });
        if (!before) return undefined;
        if ((await views.countDocuments(scope)) <= limit) return 'updated';
        const { name, query, user: of = null } = before;
        await views.updateOne(one, { $set: { name, query, user: of } });
        return 'full';
      } catch (error) {
        if (isDuplicate(error)) return 'taken';
        throw error;
      }
    },

    /** False when the user has no such view. */
    remove: (application: string, user: string, id: string) => saved.remove(seenBy(application, user), id),

    /** Removes the private views of a user; without `application`, those in all. */
    async removeOf(user: string, application?: string): Promise<void> {
      const own = { user: new ObjectId(user) };
      await views.deleteMany(application ? { ...own, application: new ObjectId(application) } : own);
    },
  };
}
