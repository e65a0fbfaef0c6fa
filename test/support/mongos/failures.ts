import type { Document } from 'mongodb';

/** The names of the codes that the stand-in answers with. */
const names = {
  6: 'HostUnreachable',
  7: 'HostNotFound',
  20: 'IllegalOperation',
  23: 'AlreadyInitialized',
  59: 'CommandNotFound',
  61: 'ShardKeyNotFound',
  64: 'WriteConcernFailed',
  67: 'CannotCreateIndex',
  70: 'ShardNotFound',
  72: 'InvalidOptions',
  91: 'ShutdownInProgress',
  96: 'OperationFailed',
  118: 'NamespaceNotSharded',
  133: 'FailedToSatisfyReadPreference',
  189: 'PrimarySteppedDown',
} as const;

export type Code = keyof typeof names;

export const failure = (code: Code, errmsg: string, errorLabels: string[] = []): Document => ({
  ok: 0,
  errmsg,
  code,
  codeName: names[code],
  ...(errorLabels.length > 0 && { errorLabels }),
});

/** A failure that ends what a command does. */
export class Failed extends Error {
  readonly answer: Document;

  constructor(...failed: Parameters<typeof failure>) {
    super(failed[1]);
    this.answer = failure(...failed);
  }
}
