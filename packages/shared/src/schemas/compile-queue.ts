import { createThread, type Thread } from '../threads/thread.ts';
import type { CompileReply, CompileRequest } from './compile-thread.ts';
import { limits } from './limits.ts';

export type CompileThread = Thread<CompileRequest, CompileReply>;

/** Compiles one schema after the other, in a thread that is ended when one takes too long or too much memory. */
export const createCompileThread = (deadlineMs: number): CompileThread =>
  createThread({
    name: 'the schema compiler',
    file: new URL('./compile-thread.ts', import.meta.url),
    heapMb: limits.compileHeapMb,
    // The API limits how many wait.
    limits: { waitingOfClient: Number.POSITIVE_INFINITY, waiting: Number.POSITIVE_INFINITY },
    deadlineMs,
    tooLong: { problem: 'the schema takes too long to compile' },
    tooLarge: { problem: 'the schema takes too much memory to compile' },
  });
