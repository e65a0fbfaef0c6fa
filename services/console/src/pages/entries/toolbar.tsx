import { Button, Menu } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { SmallButton } from '../../components/buttons.tsx';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { ColumnPicker } from './column-picker.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import type { Selection } from './entries-query.ts';
import { ExportDialog } from './export-dialog.tsx';
import type { Fields } from './fields.ts';
import { Filters } from './filters.tsx';
import { LiveSwitch } from './live-switch.tsx';
import { PeriodPicker } from './period-picker.tsx';
import { SelectionText } from './selection-text.tsx';
import type { ViewActions } from './use-view.ts';

interface Props {
  actions: ViewActions;
  fields: Fields;
  selection: Selection;
  columns: string[];
  seen: string[];
  isFollowing: boolean;
  mayFollow: boolean;
}

/** Selects entries, and acts on all that are selected. */
export function Toolbar({ actions: { view, change }, fields, selection, columns, seen, ...live }: Props) {
  const { domain } = useApplication();
  const [dialog, setDialog] = useState<'export' | 'delete'>();
  const close = () => setDialog(undefined);
  const text = <SelectionText view={view} fields={fields} />;
  const acts = [
    { label: words.entries.exportThese, onClick: () => setDialog('export') },
    { label: words.entries.deleteThese, onClick: () => setDialog('delete'), c: 'var(--mantine-color-error)' },
  ];
  const toSend = { component: Link, to: `/applications/${domain}/send` } as const;
  return (
    <div className="toolbar" role="toolbar" aria-label={words.entries.toolbar}>
      <PeriodPicker period={view} setPeriod={change} />
      <Filters
        {...{ fields, seen, conditions: view.conditions }}
        setConditions={(conditions) => change({ conditions })}
      />
      <span className="gap" />
      <LiveSwitch {...live} setIsLive={(isLive) => change({ isLive })} />
      <ColumnPicker {...{ fields, seen, columns }} setColumns={(chosen) => change({ columns: chosen })} />
      {acts.map(({ label, ...props }) => (
        <SmallButton key={label} px="xs" visibleFrom="sm" {...props}>
          {label}
        </SmallButton>
      ))}
      <Button size="xs" px="xs" visibleFrom="sm" {...toSend}>
        {words.entries.sendData}
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <SmallButton hiddenFrom="sm" aria-label={words.entries.more}>
            ⋯
          </SmallButton>
        </Menu.Target>
        <Menu.Dropdown>
          {acts.map(({ label, ...props }) => (
            <Menu.Item key={label} {...props}>
              {label}
            </Menu.Item>
          ))}
          <Menu.Item {...toSend}>{words.entries.sendData}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ExportDialog
        opened={dialog === 'export'}
        columns={columns.map((pointer) => fields.fieldAt(pointer).name)}
        {...{ close, selection }}
      >
        {text}
      </ExportDialog>
      <DeleteDialog opened={dialog === 'delete'} {...{ close, selection }}>
        {text}
      </DeleteDialog>
    </div>
  );
}
