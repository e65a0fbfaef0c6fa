import { Group, Stack, TextInput } from '@mantine/core';
import { columnsOf } from '@sluice/tables/columns.ts';
import { useMemo, useState } from 'react';
import { SmallButton } from '../../components/buttons.tsx';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { type Condition, toFilter } from './conditions.ts';
import { EntriesList } from './entries-list.tsx';
import type { Period } from './entries-query.ts';
import { FilterForm } from './filter-form.tsx';
import { Rates } from './rates.tsx';
import { fromLocal, toLocal } from './steps.ts';

const shownAtFirst = 6;

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
  const clear = () => {
    setPeriod({});
    setConditions([]);
  };
  return (
    <Stack>
      <Rates period={period} setPeriod={setPeriod} />
      <Group align="flex-end" gap="xs">
        {(['from', 'to'] as const).map((bound) => (
          <TextInput
            key={bound}
            size="xs"
            type="datetime-local"
            label={words.entries[bound]}
            value={toLocal(period[bound])}
            onChange={(event) => setPeriod({ ...period, [bound]: fromLocal(event.currentTarget.value) })}
          />
        ))}
        {(period.from || period.to) && (
          <SmallButton onClick={() => setPeriod({})}>{words.entries.allTime}</SmallButton>
        )}
      </Group>
      <FilterForm {...{ columns, conditions, setConditions }} schema={template.schema} />
      <EntriesList
        key={JSON.stringify([period, filter])}
        {...{ columns, shown, clear }}
        show={setShown}
        selection={{ ...period, filter }}
      />
    </Stack>
  );
}
