/** What the store holds is not what a job left there, or no worker gets through it: it fails, for its owner to try again. */
export class Conflict extends Error {}
