import { CliError } from '../cli-error.ts';

/** The server did not answer. It may or may not have done the request. */
export class NoAnswer extends CliError {
  override name = 'NoAnswer';
  readonly isConnectTimeout: boolean;

  constructor(url: string, cause: Error) {
    super(`no answer from ${url} (${reasonOf(cause)}): check the network, and --url or SLUICE_URL`, 4);
    this.isConnectTimeout = (cause.cause as NodeJS.ErrnoException)?.code === 'UND_ERR_CONNECT_TIMEOUT';
  }
}

/** `fetch` hides the reason in the cause. */
function reasonOf({ cause, message, name }: Error): string {
  const { code, message: inner } = (cause ?? {}) as NodeJS.ErrnoException;
  if (name === 'TimeoutError') return 'time-out';
  return code ?? inner ?? message;
}
