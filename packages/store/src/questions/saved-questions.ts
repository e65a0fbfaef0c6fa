import { type Db, ObjectId } from 'mongodb';
import { isDuplicate } from '../faults.ts';

export const questionsName = 'questions';

export interface SavedQuestion {
  id: string;
  name: string;
  sql: string;
  createdAt: Date;
  /** Username. */
  createdBy: string;
}

type QuestionDocument = Omit<SavedQuestion, 'id'> & { _id: ObjectId; application: ObjectId };

const toSaved = ({ _id, application: _, ...fields }: QuestionDocument): SavedQuestion => ({
  id: _id.toHexString(),
  ...fields,
});

/** Questions that the members of an application share. */
export function savedQuestions(db: Db) {
  const questions = db.collection<QuestionDocument>(questionsName);

  return {
    /** `taken`: another one has this name. `full`: the application has `limit` questions already. */
    async create(
      application: string,
      fields: Pick<SavedQuestion, 'name' | 'sql' | 'createdBy'>,
      limit: number,
    ): Promise<SavedQuestion | 'taken' | 'full'> {
      const made = {
        _id: new ObjectId(),
        application: new ObjectId(application),
        ...fields,
        createdAt: new Date(),
      };
      try {
        await questions.insertOne(made);
      } catch (error) {
        if (isDuplicate(error)) return 'taken';
        throw error;
      }
      // Counted afterwards, so that of several at once none slips through.
      if ((await questions.countDocuments({ application: made.application })) <= limit) return toSaved(made);
      await questions.deleteOne({ _id: made._id });
      return 'full';
    },

    /** By name. */
    async list(application: string): Promise<SavedQuestion[]> {
      const found = questions.find({ application: new ObjectId(application) }).sort({ name: 1 });
      return (await found.toArray()).map(toSaved);
    },

    /** False when there is no such question. */
    async remove(application: string, id: string): Promise<boolean> {
      if (!ObjectId.isValid(id)) return false;
      const one = { _id: new ObjectId(id), application: new ObjectId(application) };
      return (await questions.deleteOne(one)).deletedCount === 1;
    },
  };
}
