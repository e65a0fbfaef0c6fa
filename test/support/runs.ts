/** `.ci/run` tries some properties more often than a developer does. */
export const isLong = process.env.LONG_RUNS !== undefined;

/** How often fast-check tries a property: FUZZ_RUNS, where it is set. */
export const runs = (usual = 100, long = usual) => ({
  numRuns: Number(process.env.FUZZ_RUNS ?? (isLong ? long : usual)),
});
