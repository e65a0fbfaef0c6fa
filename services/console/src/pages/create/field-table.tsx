import { Checkbox, Code, NativeSelect, Table } from '@mantine/core';
import {
  type Choice,
  type Choices,
  type FieldRow,
  fieldRows,
  formatOf,
  isListable,
  typesOf,
} from '../../infer/fields.ts';
import type { Field } from '../../infer/survey.ts';
import { words } from '../../words/en.ts';

interface Props {
  field: Field;
  choices: Choices;
  onChoices(choices: Choices): void;
}

const columns = words.create.columns;
/** Longer examples would widen the table. */
const shown = (example: unknown) => JSON.stringify(example)?.slice(0, 40) ?? '';

export function FieldTable({ field, choices, onChoices }: Props) {
  return (
    <Table.ScrollContainer minWidth={640}>
      <Table verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            {Object.values(columns).map((label) => (
              <Table.Th key={label}>{label}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {fieldRows(field).map((row) => (
            <Row
              key={row.pointer}
              row={row}
              choice={choices[row.pointer] ?? {}}
              onChoice={(choice) =>
                onChoices({ ...choices, [row.pointer]: { ...choices[row.pointer], ...choice } })
              }
            />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

interface RowProps {
  row: FieldRow;
  choice: Choice;
  onChoice(choice: Choice): void;
}

function Row({ row: { name, pointer, depth, field, isAlways }, choice, onChoice }: RowProps) {
  const types = typesOf(field);
  const format = formatOf(field);
  const labelOf = (column: string) => words.create.ofField(column, pointer);
  return (
    <Table.Tr>
      <Table.Td pl={`${0.5 + depth * 1.25}rem`} fw={500}>
        {name ?? words.create.items}
      </Table.Td>
      <Table.Td>
        {types.includes('integer') ? (
          <NativeSelect
            size="xs"
            aria-label={labelOf(columns.type)}
            data={[
              { value: 'integer', label: types.join(', ') },
              { value: 'number', label: types.join(', ').replace('integer', 'number') },
            ]}
            value={choice.fractions ? 'number' : 'integer'}
            onChange={({ currentTarget }) => onChoice({ fractions: currentTarget.value === 'number' })}
          />
        ) : (
          types.join(', ')
        )}
      </Table.Td>
      <Table.Td>
        <Checkbox
          aria-label={labelOf(columns.required)}
          disabled={!isAlways}
          checked={isAlways && !choice.optional}
          onChange={({ currentTarget }) => onChoice({ optional: !currentTarget.checked })}
        />
      </Table.Td>
      <Table.Td>
        {format && (
          <Checkbox
            aria-label={labelOf(format)}
            label={format}
            checked={!choice.anyText}
            onChange={({ currentTarget }) => onChoice({ anyText: !currentTarget.checked })}
          />
        )}
      </Table.Td>
      <Table.Td>
        {isListable(field) && (
          <Checkbox
            aria-label={labelOf(columns.values)}
            label={[...(field.values ?? [])].join(', ')}
            checked={choice.onlyThese ?? false}
            onChange={({ currentTarget }) => onChoice({ onlyThese: currentTarget.checked })}
          />
        )}
      </Table.Td>
      <Table.Td>
        <Code>{shown(field.example)}</Code>
      </Table.Td>
    </Table.Tr>
  );
}
