/** Ends the demo with its message as the only line. */
export class DemoError extends Error {}
