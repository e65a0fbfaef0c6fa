/** What a command was asked for cannot be done. The message is shown as it is, without a stack. */
export class AdminError extends Error {}
