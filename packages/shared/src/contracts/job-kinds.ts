// Apart from the contracts: workers and commands need no TypeBox, which is a third of what they would load.
export const jobStates = ['waiting', 'active', 'completed', 'failed', 'cancelled'] as const;
export type JobState = (typeof jobStates)[number];
export const jobKinds = ['export', 'import', 'rehearsal', 'replay', 'deletion'] as const;
