import { LRUCache } from 'lru-cache';
import { OutOfSteps } from '../budget.ts';
import type { Generated } from '../compile/generate.ts';
import { limits } from '../limits.ts';
import { createRun, type Run } from './run.ts';

interface Made {
  generated: Generated;
  run(): Run;
}

/** What the engine takes for any code, as characters. */
const leastSize = 4_000;

/** The code that was used last, of all schemas. */
const held = new LRUCache<object, Made>({
  maxSize: limits.heldCode,
  sizeCalculation: ({ generated }) => leastSize + generated.code.length,
});

/**
 * One form of a schema's code. Unless it is given, it is generated when it is needed, and held while it is used.
 * `generate` resolves with undefined if it never can be.
 */
export function createForm(generate: () => Promise<Generated | undefined>, given?: Generated) {
  const key = {};
  const always = given && make(given);
  let generating: Promise<Made | undefined> | undefined;

  async function makeNow(): Promise<Made | undefined> {
    let isImpossible = false;
    try {
      const generated = await generate();
      isImpossible = generated === undefined;
      const made = generated && make(generated);
      if (made) held.set(key, made);
      return made;
    } finally {
      if (!isImpossible) generating = undefined;
    }
  }

  return {
    /** Throws OutOfSteps if there is no code now. */
    now(): Made {
      const made = always ?? held.get(key);
      if (!made) throw new OutOfSteps();
      return made;
    },
    async get(): Promise<Made | undefined> {
      const made = always ?? held.get(key);
      if (made) return made;
      generating ??= makeNow();
      return generating;
    },
  };
}

function make(generated: Generated): Made {
  let run: Run | undefined;
  return {
    generated,
    run() {
      run ??= createRun(generated.code);
      return run;
    },
  };
}
