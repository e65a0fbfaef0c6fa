import { type Db, ObjectId } from 'mongodb';
import { type Saved, savedStore } from '../saved.ts';

export const questionsName = 'questions';

export interface SavedQuestion extends Saved {
  sql: string;
}

/** Questions that the members of an application share. */
export function savedQuestions(db: Db) {
  const questions = savedStore<SavedQuestion>(db, questionsName);
  const of = (application: string) => ({ application: new ObjectId(application) });

  return {
    create: (application: string, fields: Pick<SavedQuestion, 'name' | 'sql' | 'createdBy'>, limit: number) =>
      questions.create(of(application), fields, limit),
    list: (application: string) => questions.list(of(application)),
    remove: (application: string, id: string) => questions.remove(of(application), id),
  };
}
