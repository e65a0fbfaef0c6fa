import { Fieldset, Group, NativeSelect, Text } from '@mantine/core';
import { schemaFields } from '@sluice/schemas/fields/schema-fields.ts';
import { words } from '../../words/en.ts';
import { type Chosen, labelOf, type MappedColumn } from './columns.ts';

interface Props {
  columns: MappedColumn[];
  schema: Record<string, unknown>;
  onChoose: (chosen: Chosen) => void;
  disabled: boolean;
}

const mostColumns = 100;

/** What each column of a CSV is stored as. */
export function ColumnChoices({ columns, schema, onChoose, disabled }: Props) {
  const fields = schemaFields(schema);
  const optionsOf = ({ own }: MappedColumn) => [
    ...(own === null || fields.includes(own) ? [] : [own]),
    ...fields,
  ];
  return (
    <Fieldset legend={words.imports.storedAs}>
      <Group gap="sm" align="flex-end">
        {columns.slice(0, mostColumns).map((column) => (
          <NativeSelect
            key={column.name}
            label={column.name}
            size="xs"
            w={180}
            value={column.pointer ?? ''}
            data={[
              ...optionsOf(column).map((pointer) => ({ value: pointer, label: labelOf(pointer) })),
              { value: '', label: words.imports.leaveOut },
            ]}
            onChange={({ currentTarget: { value } }) => onChoose({ [column.name]: value || null })}
            disabled={disabled}
          />
        ))}
      </Group>
      {columns.length > mostColumns && <Text>{words.imports.firstColumns(mostColumns)}</Text>}
    </Fieldset>
  );
}
