import { quoted } from '@sluice/shared/sql-text.ts';

/** `from` is included, `to` is not (ISO 8601). */
export interface AskedPeriod {
  from?: string | undefined;
  to?: string | undefined;
}

/** Conditions of SQL for the entries of a period. */
export const boundsOf = ({ from, to }: AskedPeriod): string[] => [
  ...(from ? [`"createdAt" >= ${quoted(from)}::timestamptz`] : []),
  ...(to ? [`"createdAt" < ${quoted(to)}::timestamptz`] : []),
];
