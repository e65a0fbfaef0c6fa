import type { AlertSettings } from '@sluice/store/alerts/alerts.ts';
import Type, { type Static } from 'typebox';
import { Bool, Int, Named, Strict } from '../http/schemas.ts';

const threshold = {
  count: Type.Integer({ minimum: 1, maximum: 1_000_000, examples: [10] }),
  minutes: Type.Integer({ minimum: 1, maximum: 1_440, examples: [5] }),
};
const ofRefused = {
  description: 'When so many uploads were refused or lost within so many minutes. Null: never.',
};
const minutes = { minimum: 1, maximum: 43_200, examples: [60] };
const ofSilence = { description: 'After so many minutes without an entry, from 1 to 43,200. Null: never.' };

const flags = {
  jobs: Type.Optional(Bool('When exports and imports end.', true)),
  failing: Type.Optional(Bool('When an archive or a webhook fails.', true)),
  publications: Type.Optional(Bool('When a schema is published that may refuse more.', true)),
};

export const AlertUpdate = Strict(
  { title: 'AlertUpdate', examples: [{ silence: 60 }] },
  {
    refused: Type.Optional(Type.Union([Strict('AlertThreshold', threshold), Type.Null()], ofRefused)),
    silence: Type.Optional(Type.Union([Type.Integer(minutes), Type.Null()], ofSilence)),
    ...flags,
  },
);

export const Alerts = Named(
  { title: 'Alerts', examples: [{ silence: 60, proposed_silence: 90 }] },
  {
    refused: Type.Optional(Named({ title: 'RefusedAlert', ...ofRefused }, threshold)),
    silence: Type.Optional(Type.Integer({ ...minutes, ...ofSilence })),
    ...flags,
    proposed_silence: Type.Optional(
      Int('Minutes without an entry that were unusual in the last month. Absent: it had no entries.', 90),
    ),
  },
);

export const toAlerts = (settings: AlertSettings, proposed: number | undefined): Static<typeof Alerts> => ({
  ...settings,
  ...(proposed !== undefined && { proposed_silence: proposed }),
});
