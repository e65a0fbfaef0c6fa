/** Sluice cannot start or go on. The message is one line that says what to do, fit to be shown as it is. */
export class StartError extends Error {
  override name = 'StartError';
}
