import './entries.css';
import { Text } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { words } from '../../words/en.ts';
import { useApplication, useMay } from '../application/use-application.ts';
import { Chart } from './chart.tsx';
import { type FormCondition, toFilter, withValue } from './conditions.ts';
import { EntriesList } from './entries-list.tsx';
import { entriesQuery, type ListSelection } from './entries-query.ts';
import { FieldRail } from './field-rail.tsx';
import { fieldsOf, leavesOf } from './fields.ts';
import { isInverted } from './period.ts';
import { RunningDeletion } from './running-deletion.tsx';
import { Toolbar } from './toolbar.tsx';
import { UnreadFilters } from './unread-filters.tsx';
import { useLive } from './use-live.ts';
import { useView } from './use-view.ts';
import { whyNotLive } from './view.ts';

const shownAtFirst = 6;
const refreshMs = 5_000;
const followMs = 2_000;

export function Page() {
  const { domain } = useApplication();
  return <Entries key={domain} />;
}

function Entries() {
  const { domain, template } = useApplication();
  const mayDelete = useMay('editor');
  const actions = useView();
  const { view, change } = actions;
  const fields = useMemo(() => fieldsOf(template.schema as Record<string, unknown>), [template]);
  const declared = useMemo(() => fields.declared.map(({ pointer }) => pointer), [fields]);
  const columns = view.columns ?? declared.slice(0, shownAtFirst);
  const { last, from, to, order, sort, after, start } = view;
  // Off at first: the answer makes files of all entries.
  const [hasRail, setRail] = useLocalStorage({ key: 'fields-rail', defaultValue: false });
  const selection: ListSelection = { last, from, to, filter: toFilter(view.conditions, fields) };
  const mayFollow = whyNotLive(view) === undefined;
  const isFollowing = view.isLive && mayFollow;
  const isFiltered = view.conditions.length > 0;
  const live = useLive(domain, isFollowing && !isFiltered);
  const page = useQuery({
    ...entriesQuery(domain, { ...selection, order, sort, after, start }),
    enabled: !isInverted(view),
    // New entries come by themselves only while the list is live.
    refetchOnWindowFocus: isFollowing,
    // The stream of new entries takes no filter.
    refetchInterval: isFollowing && (isFiltered ? followMs : refreshMs),
  });
  const seen = useMemo(() => {
    const found = leavesOf((page.data?.result ?? []).map(({ payload }) => payload));
    return found.filter((pointer) => !declared.includes(pointer));
  }, [page.data, declared]);
  const setConditions = (conditions: FormCondition[]) => change({ conditions });
  const pick = (pointer: string, text: string) => setConditions(withValue(view.conditions, pointer, text));
  return (
    <>
      <Toolbar {...{ actions, fields, columns, seen, mayFollow, hasRail, setRail }} />
      {mayDelete && <RunningDeletion />}
      {isInverted(view) ? (
        <Text role="alert" mt="sm" c="var(--mantine-color-error)">
          {words.entries.inverted}
        </Text>
      ) : (
        <>
          <Chart
            {...{ selection, pick }}
            fields={fields.declared.filter(({ kind }) => kind !== 'nested')}
            by={view.by === undefined ? undefined : fields.fieldAt(view.by)}
            setBy={(by) => change({ by })}
            setPeriod={change}
          />
          <UnreadFilters unread={view.unread} remove={() => change({ unread: [] })} />
          <div className={hasRail ? 'with-rail' : undefined}>
            {hasRail && <FieldRail {...{ selection, fields, setConditions }} conditions={view.conditions} />}
            <EntriesList
              {...{ actions, selection, page, live, columns, pick }}
              allFields={fields}
              fields={columns.map(fields.fieldAt)}
            />
          </div>
        </>
      )}
    </>
  );
}
