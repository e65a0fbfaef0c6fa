import { parentPort } from 'node:worker_threads';
import type { Draft } from './draft.ts';
import { generate } from './generate.ts';
import { Refused } from './refusal.ts';

/** The thread of ./compiler.ts: one request at a time, stateless in between, ended when it takes too long. */
export type CompileRequest = {
  id: number;
  schema: Record<string, unknown>;
  draft: Draft;
  exhaustive: boolean;
};
export type CompileReply = { id: number; code: string } | { id: number; problem: string };
export type ThreadMessage = { ready: true } | CompileReply;

const port = parentPort;
if (!port) throw new Error('this file runs as a worker thread');

// The start of the thread is not the first schema's time.
generate({ type: 'object' }, '2020-12', false);

port.on('message', (request: CompileRequest) => port.postMessage(answer(request)));
port.postMessage({ ready: true });

function answer({ id, schema, draft, exhaustive }: CompileRequest): CompileReply {
  try {
    return { id, code: generate(schema, draft, exhaustive) };
  } catch (error) {
    return { id, problem: describe(error) };
  }
}

/** Ajv throws plain errors for what it cannot compile: all are the schema's doing. */
function describe(error: unknown): string {
  if (error instanceof Refused) return error.message;
  if (error instanceof RangeError) return 'the schema is nested or referenced too deeply to compile';
  return `the schema does not compile: ${error instanceof Error ? error.message.slice(0, 300) : 'unknown reason'}`;
}
