/** What the store holds is not what an import left there: nothing that a retry could mend. */
export class Conflict extends Error {}
