// Without TypeBox: it is a third of what workers and commands would load.
export const jobStates = ['waiting', 'active', 'completed', 'failed', 'cancelled'] as const;
export type JobState = (typeof jobStates)[number];
export const jobKinds = ['export', 'import', 'rehearsal', 'replay', 'deletion'] as const;
