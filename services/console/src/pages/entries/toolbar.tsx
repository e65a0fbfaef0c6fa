import { Menu, Switch } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link } from 'react-router';
import { SmallButton } from '../../components/buttons.tsx';
import { words } from '../../words/en.ts';
import { useApplication, useMay } from '../application/use-application.ts';
import { ColumnPicker } from './column-picker.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import type { ListSelection } from './entries-query.ts';
import type { Fields } from './fields.ts';
import { Filters } from './filters.tsx';
import { PeriodPicker } from './period-picker.tsx';
import { saySelection } from './selection-text.ts';
import type { ViewActions } from './use-view.ts';
import { toParams, usualView } from './view.ts';

interface Props {
  actions: ViewActions;
  fields: Fields;
  selection: ListSelection;
  columns: string[];
  /** Fields of the loaded entries that the schema does not have. */
  seen: string[];
  mayFollow: boolean;
  hasRail: boolean;
  setRail: (has: boolean) => void;
}

/** Selects entries, and acts on all that are selected. */
export function Toolbar({ actions, fields, selection, columns, seen, mayFollow, hasRail, setRail }: Props) {
  const { view, change } = actions;
  const base = `/applications/${useApplication().domain}`;
  const [isDeleting, { open, close }] = useDisclosure();
  // Of the page and the open entry, exports know nothing.
  const { last, from, to, conditions } = view;
  const selected = toParams({ ...usualView, last, from, to, conditions, columns: view.columns });
  const isUnread = view.unread.length > 0;
  const mayDelete = useMay('editor');
  const exports = {
    component: Link,
    children: words.entries.exportThese,
    to: `${base}/jobs?new=export&${selected}`,
  };
  return (
    <section className="toolbar" aria-label={words.entries.toolbar}>
      <PeriodPicker period={view} setPeriod={change} />
      <Filters
        {...{ fields, seen, conditions: view.conditions }}
        setConditions={(conditions) => change({ conditions })}
      />
      <SmallButton px="xs" aria-pressed={hasRail} onClick={() => setRail(!hasRail)}>
        {words.entries.showRail}
      </SmallButton>
      <Switch
        ml="auto"
        size="xs"
        label={words.entries.live}
        checked={view.isLive && mayFollow}
        disabled={!mayFollow}
        aria-describedby="why-not-live"
        onChange={(event) => change({ isLive: event.currentTarget.checked })}
      />
      <ColumnPicker {...{ fields, seen, columns }} setColumns={(chosen) => change({ columns: chosen })} />
      {!isUnread && <SmallButton px="xs" visibleFrom="sm" {...exports} />}
      {!isUnread && (
        <Menu position="bottom-end">
          <Menu.Target>
            <SmallButton px="xs" hiddenFrom={mayDelete ? undefined : 'sm'} aria-label={words.entries.more}>
              ⋯
            </SmallButton>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item hiddenFrom="sm" {...exports} />
            {mayDelete && (
              <Menu.Item c="var(--mantine-color-error)" onClick={open}>
                {words.entries.deleteThese}
              </Menu.Item>
            )}
          </Menu.Dropdown>
        </Menu>
      )}
      {isDeleting && <DeleteDialog {...{ selection, close }} said={saySelection(view, fields)} />}
    </section>
  );
}
