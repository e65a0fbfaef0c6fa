/** Lets work of a client begin, or refuses it: rejects with ApiError. What it weighs counts until it is over. */
export interface Admission {
  run<T>(client: string, work: () => Promise<T>, weight?: number): Promise<T>;
}

/** For a process that takes work only as it can do it. */
export const unlimited: Admission = { run: (_client, work) => work() };
