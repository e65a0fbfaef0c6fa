/** How often fast-check tries a property: FUZZ_RUNS, where it is set. */
export const runs = (usual = 100) => ({ numRuns: Number(process.env.FUZZ_RUNS ?? usual) });
