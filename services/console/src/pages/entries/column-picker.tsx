import { Button, Checkbox, Popover, ScrollArea, Stack } from '@mantine/core';
import type { Column } from '@sluice/tables/columns.ts';
import { words } from '../../words/en.ts';

interface Props {
  columns: Column[];
  /** Names. */
  shown: string[];
  show: (names: string[]) => void;
}

/** Chooses which fields are columns of the table. */
export function ColumnPicker({ columns, shown, show }: Props) {
  return (
    <Popover position="bottom-end" withinPortal={false}>
      <Popover.Target>
        <Button variant="default" size="xs">
          {words.entries.columns(shown.length, columns.length)}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <ScrollArea.Autosize mah={320}>
          <Checkbox.Group aria-label={words.entries.chooseColumns} value={shown} onChange={show}>
            <Stack gap="xs">
              {columns.map(({ name }) => (
                <Checkbox key={name} value={name} label={name} size="xs" />
              ))}
            </Stack>
          </Checkbox.Group>
        </ScrollArea.Autosize>
      </Popover.Dropdown>
    </Popover>
  );
}
