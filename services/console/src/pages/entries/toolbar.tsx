import { Switch } from '@mantine/core';
import { Link } from 'react-router';
import { SmallButton } from '../../components/buttons.tsx';
import { Icon } from '../../components/icons.tsx';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { ViewMenu } from '../views/view-menu.tsx';
import { ColumnPicker } from './column-picker.tsx';
import type { Fields } from './fields.ts';
import { Filters } from './filters.tsx';
import { PeriodPicker } from './period-picker.tsx';
import type { ViewActions } from './use-view.ts';
import { exportPath } from './view.ts';

interface Props {
  actions: ViewActions;
  fields: Fields;
  columns: string[];
  /** Fields of the loaded entries that the schema does not have. */
  seen: string[];
  mayFollow: boolean;
  hasRail: boolean;
  setRail: (has: boolean) => void;
}

/** Selects entries. */
export function Toolbar({ actions, fields, columns, seen, mayFollow, hasRail, setRail }: Props) {
  const { view, change } = actions;
  const { domain } = useApplication();
  const isUnread = view.unread.length > 0;
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
      {!isUnread && <ViewMenu view={view} />}
      {!isUnread && (
        <SmallButton
          className="icon-on-phone"
          aria-label={words.entries.exportThese}
          component={Link}
          to={exportPath(domain, view)}
        >
          <span className="wide-only">{words.entries.exportThese}</span>
          <span className="narrow-only">
            <Icon name="jobs" />
          </span>
        </SmallButton>
      )}
    </section>
  );
}
