import { RE2JS, RE2JSException } from 're2js';
import { spend } from '../budget.ts';
import { limits } from '../limits.ts';
import { Refused } from '../refusal.ts';
import { createSharing } from '../sharing.ts';
import { translatePattern } from './pattern.ts';

export type LinearRegExp = { test(text: string): boolean; toString(): string };

interface Input {
  endPos(): number;
}

interface Machine {
  step(running: { size: number }, ...others: unknown[]): void;
}

/** Internals of RE2JS that `account` changes. A test fails if an update moves them. */
type Engine = {
  prefilter: unknown;
  prefixComplete: boolean;
  /** Has the machine that is at rest. */
  machinePool: Machine[];
  doExecuteNFA(input: Input, pos: number, anchor: number, captures: number): unknown;
  dfa: {
    numClasses: number;
    stateBudget: number;
    memBudget: number;
    closure(pcs: number[], flag: number): { pcs: number[]; needflags: number };
    match(input: Input, pos: number, anchor: number): boolean | null;
  };
};

// A pattern that was used takes 12 KB, and many schemas have the same ones.
const shared = createSharing<LinearRegExp>();

/** A pattern that is matched in linear time, and spends steps for it. It is built at its first use. */
export const linearRegExp = (source: string): LinearRegExp =>
  shared(source, () => {
    let built: RE2JS | undefined;
    return {
      test(text) {
        built ??= account(buildPattern(source).pattern);
        spend(10 + text.length * 4);
        return built.test(text);
      },
      // Ajv treats patterns with the same text as one pattern.
      toString: () => `/${source}/u`,
    };
  });

/** Throws Refused. `size` is in RE2 instructions: large classes count as several. */
export function buildPattern(source: string): { pattern: RE2JS; size: number } {
  const translated = translatePattern(source);
  const classes = translated.length >> 9;
  try {
    if (classes > limits.patternInstructions) throw new Refused(tooLarge);
    const pattern = RE2JS.compile(translated);
    const size = pattern.programSize() + classes;
    if (size > limits.patternInstructions) throw new Refused(tooLarge);
    return { pattern, size };
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    // The translation is right, so only its size can be wrong.
    throw new Refused(`is too large (${error.message})`);
  }
}

const tooLarge = `is too large (its repetitions and properties expand to over ${limits.patternInstructions} steps)`;

/**
 * Makes the engine spend steps where it is slow: for each new state, and for a search for which the state cache is too small.
 * `test` already paid for known states, which cost one step a character.
 */
function account(built: RE2JS): RE2JS {
  const engine = built.re2() as unknown as Engine;
  const { dfa } = engine;
  // Both search for literals, and no hook here could count their cost.
  engine.prefilter = null;
  engine.prefixComplete = false;
  dfa.stateBudget = dfa.memBudget = limits.patternCacheBytes;

  const closure = dfa.closure.bind(dfa);
  dfa.closure = (pcs, flag) => {
    const found = closure(pcs, flag);
    spend(20 + (found.pcs.length + pcs.length) * 4 + (dfa.numClasses >> 3));
    return found;
  };
  const match = dfa.match.bind(dfa);
  let isCounted = false;
  dfa.match = (input, pos, anchor) => {
    const result = match(input, pos, anchor);
    if (result !== null) return result;
    if (!isCounted) countMachine(engine, input);
    isCounted = true;
    return engine.doExecuteNFA(input, pos, anchor, 0) !== null;
  };
  return built;
}

/** The machine that the engine falls back to. It pays for each instruction that it is at, with each character. */
function countMachine(engine: Engine, input: Input): void {
  // At its end there is nothing to match, but the engine makes the machine.
  engine.doExecuteNFA(input, input.endPos(), 0, 0);
  const [machine] = engine.machinePool as [Machine];
  const { step } = machine;
  machine.step = (running, ...others) => {
    spend(10 + running.size * stepsAnInstruction);
    return step.call(machine, running, ...others);
  };
}

const stepsAnInstruction = 4;
