import { RE2JS, RE2JSException } from 're2js';
import { translatePattern } from '../check/pattern.ts';
import { Refused } from '../check/refusal.ts';
import { limits } from '../limits.ts';
import type { Spend } from './budget.ts';

export type LinearRegExp = { test(text: string): boolean; toString(): string };

/** The parts of RE2JS that the accounting hooks into; a test fails when an update moves them. */
type Engine = {
  prefilter: unknown;
  prefixComplete: boolean;
  prog: { numInst(): number };
  dfa: {
    numClasses: number;
    stateBudget: number;
    memBudget: number;
    closure(pcs: number[], flag: number): { pcs: number[]; needflags: number };
    match(input: { endPos(): number }, pos: number, anchor: number): boolean | null;
  };
};

/** A pattern of a schema, matched in linear time; each match is paid for. Built at its first use. */
export function linearRegExp(source: string, spend: Spend): LinearRegExp {
  let built: RE2JS | undefined;
  return {
    test(text) {
      built ??= account(buildPattern(source), spend);
      spend(10 + text.length * 4);
      return built.test(text);
    },
    // Ajv takes patterns with the same text for the same pattern.
    toString: () => `/${source}/u`,
  };
}

/** Throws Refused where the pattern cannot be had in linear time. */
export function buildPattern(source: string): RE2JS {
  const translated = translatePattern(source);
  try {
    const built = RE2JS.compile(translated);
    if (built.programSize() > limits.patternInstructions)
      throw new Refused(`is too large (its repetitions expand to over ${limits.patternInstructions} steps)`);
    return built;
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new Refused(`cannot be matched in linear time (${error.message})`);
  }
}

/**
 * Known states cost one step a character, which `test` has paid; what costs more is a state met for the
 * first time (its whole set of instructions is followed) and the slow engine behind a full state cache.
 */
function account(built: RE2JS, spend: Spend): RE2JS {
  const engine = built.re2() as unknown as Engine;
  const { dfa } = engine;
  const instructions = engine.prog.numInst();
  // Both search for literals with costs of their own that nothing here could count.
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
  dfa.match = (input, pos, anchor) => {
    const result = match(input, pos, anchor);
    if (result === null) spend(input.endPos() * instructions * 2);
    return result;
  };
  return built;
}
