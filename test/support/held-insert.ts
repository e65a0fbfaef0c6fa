import { setImmediate as turn } from 'node:timers/promises';
import type { NewEntry, Outcome } from '@sluice/store/entries/entries.ts';
import { payloadOf } from './payload-of.ts';

export interface HeldCommand {
  /** The `n` of the payloads, in the order of the command. */
  numbers: number[];
  /** Without outcomes everything is stored. */
  answer(outcomes?: Outcome[]): Promise<void>;
  fail(error: unknown): Promise<void>;
}

/** Entries whose payloads are numbered from `first`. */
export const numbered = (first: number, count = 1, application = 'a'.repeat(24)): NewEntry[] =>
  Array.from({ length: count }, (_, i) => ({ application, ...payloadOf({ n: first + i }) }));

/** As long as anything goes on by itself: every command takes one turn of the event loop to begin. */
export async function settled(): Promise<void> {
  for (let i = 0; i < 10; i++) await turn();
}

const read = ({ json }: NewEntry) => JSON.parse(json.toString());

/**
 * An `insert` whose commands stay under way until the test answers them. Of entries whose payload is `bad` the
 * command throws at once, as the driver does for what it cannot send.
 */
export function createHeldInsert() {
  const commands: HeldCommand[] = [];
  const underWay: HeldCommand[] = [];

  function insert(entries: NewEntry[]): Promise<Outcome[]> {
    if (entries.some((entry) => read(entry).bad)) return Promise.reject(new TypeError('cannot be sent'));
    return new Promise((resolve, reject) => {
      const end = async () => {
        underWay.splice(underWay.indexOf(command), 1);
        await settled();
      };
      const command: HeldCommand = {
        numbers: entries.map((entry) => read(entry).n),
        answer(outcomes = entries.map(() => 'stored')) {
          resolve(outcomes);
          return end();
        },
        fail(error) {
          reject(error);
          return end();
        },
      };
      commands.push(command);
      underWay.push(command);
    });
  }

  return { insert, commands, underWay };
}
