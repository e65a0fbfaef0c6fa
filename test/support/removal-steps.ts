import fc from 'fast-check';

/** What can become of stored entries: some of them go, or all between two, or milestones are corrected. `places`: in thousandths, in the order of keys. */
export const removalSteps = [
  {
    weight: 2,
    arbitrary: fc.record({
      what: fc.constant('some' as const),
      places: fc.array(fc.nat(999), { maxLength: 12 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ what: fc.constant('range' as const), places: fc.tuple(fc.nat(999), fc.nat(999)) }),
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('fold' as const) }) },
] as const;
