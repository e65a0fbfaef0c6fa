/** 1: lines were refused, the rest was stored. 2: wrong use. 4: the server or the network failed. 130: Ctrl-C. */
export type ExitCode = 0 | 1 | 2 | 4 | 130;

/** A command cannot do its work. The user sees the message without a stack. */
export class CliError extends Error {
  readonly code: ExitCode;

  constructor(message: string, code: ExitCode = 2) {
    super(message);
    this.code = code;
  }
}
