import type { ClientSession, Db } from 'mongodb';

/** Does `work` in a transaction of a session of its own, or of one that is given. It may be called again. */
export function inTransaction<T>(
  db: Db,
  work: (session: ClientSession) => Promise<T>,
  given?: ClientSession,
): Promise<T> {
  const run = (session: ClientSession) => session.withTransaction(() => work(session));
  return given ? run(given) : db.client.withSession(run);
}
