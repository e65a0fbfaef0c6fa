/** Begins the work of a client, or rejects with ApiError. The weight of the work counts until its end. */
export interface Admission {
  run<T>(client: string, work: () => Promise<T>, weight?: number): Promise<T>;
}

/** For a process that takes only work that it can do. */
export const unlimited: Admission = { run: (_client, work) => work() };
