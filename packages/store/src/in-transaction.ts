import type { ClientSession, Db } from 'mongodb';

/** Runs `work` in a transaction of the given session, or of a new one. `work` may run again. */
export function inTransaction<T>(
  db: Db,
  work: (session: ClientSession) => Promise<T>,
  given?: ClientSession,
): Promise<T> {
  const run = (session: ClientSession) => session.withTransaction(() => work(session));
  return given ? run(given) : db.client.withSession(run);
}
