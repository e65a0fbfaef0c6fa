import Type, { type Static } from 'typebox';
import { Timestamp } from './contract.ts';

export const StatsQuery = Type.Object(
  {
    from: Type.Optional(Timestamp),
    to: Type.Optional(Timestamp),
    step: Type.Optional(
      Type.Enum(['minute', 'hour', 'day'], {
        title: 'StatsStep',
        default: 'minute',
        description: 'What is counted together.',
      }),
    ),
  },
  { additionalProperties: false },
);

export const Stats = Type.Object(
  {
    at: Type.String({ format: 'date-time', description: 'Begin of the step.' }),
    accepted: Type.Integer({
      description: 'Entries with `createdAt` in this step, exactly.',
      examples: [120],
    }),
    refused: Type.Integer({ description: 'Uploads that were refused in this step.', examples: [3] }),
  },
  { title: 'Stats' },
);

export type StatsQuery = Static<typeof StatsQuery>;
export type Stats = Static<typeof Stats>;
