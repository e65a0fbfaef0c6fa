import { Stack } from '@mantine/core';
import { columnsOf } from '@sluice/tables/columns.ts';
import { useMemo, useState } from 'react';
import { useApplication } from '../application/use-application.ts';
import { type Condition, toFilter } from './conditions.ts';
import { EntriesList } from './entries-list.tsx';
import type { Period } from './entries-query.ts';
import { FilterForm } from './filter-form.tsx';
import { PeriodForm } from './period-form.tsx';
import { Rates } from './rates.tsx';

const shownAtFirst = 6;

/** The entries of an application, and how many came when. */
export function Page() {
  const { template } = useApplication();
  const [period, setPeriod] = useState<Period>({});
  const [conditions, setConditions] = useState<Condition[]>([]);
  const columns = useMemo(
    () => columnsOf(template.schema as Record<string, unknown>, []).filter(({ pointer }) => pointer),
    [template],
  );
  const [shown, setShown] = useState(() => columns.slice(0, shownAtFirst).map(({ name }) => name));
  const filter = toFilter(conditions, template.schema);
  return (
    <Stack>
      <Rates period={period} setPeriod={setPeriod} />
      <PeriodForm period={period} setPeriod={setPeriod} />
      <FilterForm {...{ columns, conditions, setConditions }} schema={template.schema} />
      <EntriesList
        key={JSON.stringify([period, filter])}
        columns={columns}
        shown={shown}
        show={setShown}
        selection={{ ...period, filter }}
      />
    </Stack>
  );
}
