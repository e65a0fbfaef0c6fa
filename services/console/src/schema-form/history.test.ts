import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../../../../test/support/runs.ts';
import { addField, setLimit, setRequired } from './edits.ts';
import { type History, redo, undo, write } from './history.ts';

const names = fc.constantFrom('a', 'b', 'c');
/** Changes of a text, by the form and by hand. */
const change = fc.oneof(
  names.map((name) => (text: string) => addField(text, [], name)),
  fc.tuple(names, fc.boolean()).map(
    ([name, on]) =>
      (text: string) =>
        setRequired(text, [], name, on),
  ),
  fc.nat(99).map((value) => (text: string) => setLimit(text, [], 'minimum', String(value))),
  fc.string().map((text) => () => text),
);
const act = fc.oneof(
  fc.record({ change, continues: fc.boolean() }),
  fc.constant('undo' as const),
  fc.constant('redo' as const),
);

it('any edits, undone and redone, give the texts that were there', () => {
  fc.assert(
    fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
      const first = '{ "type": "object" }';
      let history: History<string> = { past: [], now: first, future: [] };
      // All texts that a user can come back to, and which of them is shown.
      let texts = [first];
      let at = 0;
      for (const each of acts) {
        if (each === 'undo') {
          history = undo(history);
          at = Math.max(0, at - 1);
        } else if (each === 'redo') {
          history = redo(history);
          at = Math.min(texts.length - 1, at + 1);
        } else {
          const next = each.change(history.now);
          history = write(history, next, each.continues);
          if (next !== texts[at]) {
            texts = [...texts.slice(0, each.continues && at > 0 ? at : at + 1), next];
            at = texts.length - 1;
          }
        }
        expect(history.now).toBe(texts[at]);
      }
      for (const text of texts.slice(0, at).reverse()) {
        history = undo(history);
        expect(history.now).toBe(text);
      }
      for (const text of texts.slice(1)) {
        history = redo(history);
        expect(history.now).toBe(text);
      }
      expect(redo(history)).toEqual(history);
    }),
    runs(300, 5_000),
  );
});
