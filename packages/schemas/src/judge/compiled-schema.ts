import type { Draft } from '../draft.ts';
import { limits } from '../limits.ts';
import { parseSchema } from '../schema.ts';
import type { Rules } from './accepts.ts';
import { judge, judgeFully, type Verdict } from './judge.ts';
import { rulesOf } from './rules-of.ts';

/** A schema from `link`, and what is known of it. */
export interface Outline {
  /** As JSON text: other threads make their rules of it. */
  linked: string;
  draft: Draft;
  /** The same for schemas that differ only in notes, in spaces, and in where definitions are and how they are named. */
  hash: string;
  /** The RE2 instructions of all patterns. */
  instructions: number;
}

/** What judges payloads in this thread, and what other threads need for it. */
export interface CompiledSchema extends Outline {
  /** In about a millisecond. The main thread would make the rules of a large schema for longer, so that takes too many steps. */
  judgeQuickly(payload: unknown): Verdict;
  /** In up to seconds. */
  judge(payload: unknown): Verdict;
  /** About the bytes of memory that it takes, for the size of caches. */
  size: number;
}

export function createCompiledSchema({ linked, draft, hash, instructions }: Outline): CompiledSchema {
  const isQuick = linked.length <= limits.quickSchemaLength && instructions <= limits.quickInstructions;
  let made: Rules | undefined;
  const rules = () => {
    made ??= rulesOf(parseSchema(linked));
    return made;
  };
  return {
    linked,
    draft,
    hash,
    instructions,
    judgeQuickly: (payload) => (isQuick ? judge(rules(), payload, limits.quickSteps) : 'too many steps'),
    judge: (payload) => judgeFully(rules(), payload),
    size: 1_000 + linked.length + (isQuick ? linked.length * 8 + instructions * 1_200 : 0),
  };
}
