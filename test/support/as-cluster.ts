import type { Db } from 'mongodb';

/** The same database with commands sent another way. */
export const withCommands = (
  db: Db,
  command: (given: Record<string, unknown>, options?: object) => unknown,
) =>
  new Proxy(db, {
    get: (target, name) => (name === 'command' ? command : Reflect.get(target, name, target)),
  });

/** The same database, taken for one of a cluster. */
export const asCluster = (db: Db): Db =>
  withCommands(db, (given, options) =>
    given.hello ? Promise.resolve({ msg: 'isdbgrid' }) : db.command(given, options),
  );
