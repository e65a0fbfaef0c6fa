/** Sluice cannot start or continue. The message is one line for the user, and says what to do. */
export class StartError extends Error {
  override name = 'StartError';
}
