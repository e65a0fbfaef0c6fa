import { Text } from '@mantine/core';
import { useMemo } from 'react';
import type { ListedJob } from '../../jobs/jobs.ts';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { useKeyNames } from '../application/use-key-names.ts';
import { fromFilter } from '../entries/conditions.ts';
import { fieldsOf } from '../entries/fields.ts';
import { sayCondition } from '../entries/filters.tsx';
import { sayPeriod } from '../entries/selection-text.ts';

/** `place = Oslo · 706 entries · 12 columns`: what an export was asked for, and how many entries it has. */
export function ExportAsked({ job: { asked = {}, file } }: { job: ListedJob }) {
  const { template } = useApplication();
  const fields = useMemo(() => fieldsOf(template.schema as Record<string, unknown>), [template]);
  const { from, before: to, filter, key, column_count } = asked;
  const nameOf = useKeyNames({ isNeeded: key !== undefined });
  const parts = [
    ...(filter ? fromFilter(filter, fields).map((one) => sayCondition(one, fields)) : []),
    key && words.entries.withKey(nameOf(key)),
    (from || to) && sayPeriod({ from, to, last: 'all' }),
    file && words.common.entries(file.rows),
    column_count !== undefined && words.exports.columnCount(column_count),
  ].filter(Boolean);
  return parts.length > 0 && <Text style={{ overflowWrap: 'anywhere' }}>{parts.join(' · ')}</Text>;
}
