/** A command cannot do its work. The user sees the message without a stack. */
export class AdminError extends Error {}
